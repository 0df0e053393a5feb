//! Order in which the submitted commands run.

use std::backtrace::Backtrace;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::command::{Command, PageLocked};
use super::{Counts, Execution, Faults, QueuedEmulator};
use crate::Emulator;
use crate::error::EmulatorError;
use crate::memory::POISON;
use crate::order::SplitMix64;

/// State of all queues of a machine, which has one device or several.
pub(super) struct State {
    /// The queues of the first device, then those of the second one, and so on.
    pub(super) queues: Vec<Queue>,
    pub(super) devices: Vec<Device>,
    pub(super) page_locked: PageLocked,
    pub(super) random: SplitMix64,
    pub(super) faults: Faults,
    pub(super) counts: Counts,
    /// Call stack of the skipped wait.
    pub(super) skipped: Option<Backtrace>,
}

/// A device of a machine.
pub(super) struct Device {
    emulator: Arc<Emulator>,
    /// Commands of the queue that is being recorded.
    pub(super) recorded: Option<(usize, Vec<Command>)>,
    /// The first error since it was last reported.
    pub(super) failed: Option<EmulatorError>,
    pub(super) lost: bool,
}

/// Commands that were submitted and have not run.
pub(super) struct Queue {
    /// Index of its device.
    device: usize,
    pub(super) waiting: VecDeque<Command>,
    pub(super) submitted: u64,
    pub(super) ended: u64,
}

impl State {
    /// A machine without devices, whose commands run in this order.
    pub(super) fn new(execution: Execution) -> Self {
        State {
            queues: Vec::new(),
            devices: Vec::new(),
            page_locked: PageLocked::default(),
            random: SplitMix64::with_seed(execution.seed()),
            faults: Faults::default(),
            counts: Counts::default(),
            skipped: None,
        }
    }

    /// Adds a device with `count` queues; returns its index and the range of its queues.
    pub(super) fn add(&mut self, emulator: Arc<Emulator>, count: usize) -> (usize, Range<usize>) {
        let device = self.devices.len();
        let first = self.queues.len();
        let queue = |_| Queue { device, waiting: VecDeque::new(), submitted: 0, ended: 0 };
        self.devices.push(Device { emulator, recorded: None, failed: None, lost: false });
        self.queues.extend((0..count).map(queue));
        (device, first..first + count)
    }

    /// Counts a wait, and returns true if it is to be skipped.
    pub(super) fn skips(&mut self) -> bool {
        let number = self.counts.waits;
        self.counts.waits += 1;
        let skips = self.faults.skipped_wait == Some(number);
        if skips {
            self.skipped = Some(Backtrace::force_capture());
        }
        skips
    }

    /// The queue whose next command has to run first: the given one, unless its next command waits
    /// for another queue.
    fn next_of(&self, queue: usize) -> usize {
        match self.queues[queue].waiting.front() {
            Some(&Command::After { queue: other, count })
                if self.queues[other].ended < count && other != queue =>
            {
                self.next_of(other)
            }
            _ => queue,
        }
    }

    /// The device of a queue.
    fn device(&mut self, queue: usize) -> &mut Device {
        let index = self.queues[queue].device;
        &mut self.devices[index]
    }

    pub(super) fn records(&self, queue: usize) -> bool {
        let device = &self.devices[self.queues[queue].device];
        device.recorded.as_ref().is_some_and(|(recorded, _)| *recorded == queue)
    }

    /// Drops the commands of a device.
    pub(super) fn drop_waiting(&mut self, device: usize) {
        for queue in self.queues.iter_mut().filter(|queue| queue.device == device) {
            queue.ended += queue.waiting.len() as u64;
            queue.waiting.clear();
        }
    }

    /// Reports the error of a queue's device.
    pub(super) fn report(&mut self, queue: usize) -> Result<(), EmulatorError> {
        self.device(queue).failed.take().map_or(Ok(()), Err)
    }
}

impl Queue {
    pub(super) fn push(&mut self, command: Command) {
        self.waiting.push_back(command);
        self.submitted += 1;
    }
}

impl QueuedEmulator {
    /// Poisons the target of a download, unless an upload that has not run reads it first.
    ///
    /// # Safety
    /// The host's bytes must be valid, and no other thread may use them.
    pub(super) unsafe fn poison_target(&self, state: &State, command: &Command) {
        let Command::Download { to, .. } = command else { return };
        let mut waiting = state.queues.iter().flat_map(|queue| &queue.waiting);
        let is_read = waiting.any(|earlier| earlier.reads(to));
        if self.execution != Execution::Eager && !is_read {
            // SAFETY: the caller promises that the bytes at `to` are valid and unused by other
            // threads.
            unsafe { to.get_mut() }.fill(POISON);
        }
    }

    pub(super) fn submit(
        &self,
        state: &mut State,
        queue: usize,
        command: Command,
    ) -> Result<(), EmulatorError> {
        let recorded = state.device(queue).recorded.as_mut();
        if let Some((_, commands)) = recorded.filter(|(of, _)| *of == queue) {
            commands.push(command);
            return Ok(());
        }
        state.queues[queue].push(command);
        match self.execution {
            Execution::Late => Ok(()),
            Execution::Eager => {
                self.drain(state, queue);
                state.report(queue)
            }
            Execution::Random { .. } => {
                for _ in 0..state.random.below(3) {
                    self.run_any(state);
                }
                Ok(())
            }
        }
    }

    /// Runs the commands of a queue, and those of others that they wait for; at random also some
    /// more.
    pub(super) fn drain(&self, state: &mut State, queue: usize) {
        while !state.queues[queue].waiting.is_empty() {
            self.advance(state, queue);
        }
    }

    /// Runs commands until `count` commands of a queue have ended.
    pub(super) fn drain_until(&self, state: &mut State, queue: usize, count: u64) {
        while state.queues[queue].ended < count {
            self.advance(state, queue);
        }
    }

    /// Runs a command that brings a queue forward; at random, any command.
    pub(super) fn advance(&self, state: &mut State, queue: usize) {
        match self.execution {
            Execution::Random { .. } => {
                self.run_any(state);
            }
            Execution::Eager | Execution::Late => {
                let next = state.next_of(queue);
                self.run_next(state, next);
            }
        }
    }

    /// Runs the next command of some queue; `false` if there is none.
    pub(super) fn run_any(&self, state: &mut State) -> bool {
        let busy: Vec<_> =
            (0..state.queues.len()).filter(|&q| !state.queues[q].waiting.is_empty()).collect();
        if busy.is_empty() {
            return false;
        }
        let chosen = busy[state.random.below(busy.len())];
        let next = state.next_of(chosen);
        self.run_next(state, next);
        true
    }

    /// Runs the next command of a queue, which follows no other. After an error nothing that was
    /// submitted to its device before runs.
    fn run_next(&self, state: &mut State, queue: usize) {
        let Some(command) = state.queues[queue].waiting.pop_front() else {
            return;
        };
        state.queues[queue].ended += 1;
        let device = state.queues[queue].device;
        if let Err(error) = Self::run(state, device, &command) {
            state.drop_waiting(device);
            state.devices[device].failed.get_or_insert(error);
        }
    }

    fn run(state: &mut State, device: usize, command: &Command) -> Result<(), EmulatorError> {
        if let Command::After { .. } = command {
            return Ok(());
        }
        let number = state.counts.commands;
        state.counts.commands += 1;
        let is_lost = state.faults.lost_at.is_some_and(|at| number >= at);
        let Device { emulator, lost, .. } = &mut state.devices[device];
        *lost |= is_lost;
        if *lost {
            return Err(EmulatorError::Lost);
        }
        command.run(emulator, &state.page_locked)
    }
}
