//! Order in which the submitted commands run.

use std::backtrace::Backtrace;
use std::collections::VecDeque;

use super::command::{Command, PageLocked};
use super::{Counts, Execution, Faults, QueuedEmulator};
use crate::error::EmulatorError;
use crate::memory::POISON;
use crate::order::SplitMix64;

/// State of all queues.
pub(super) struct State {
    pub(super) queues: Vec<Queue>,
    pub(super) page_locked: PageLocked,
    pub(super) random: SplitMix64,
    /// Commands of the queue that is being recorded.
    pub(super) recorded: Option<(usize, Vec<Command>)>,
    /// The first error since it was last reported.
    pub(super) failed: Option<EmulatorError>,
    pub(super) faults: Faults,
    pub(super) counts: Counts,
    /// Call stack of the skipped wait.
    pub(super) skipped: Option<Backtrace>,
    pub(super) lost: bool,
}

/// Commands that were submitted and have not run.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) waiting: VecDeque<Command>,
    pub(super) submitted: u64,
    pub(super) ended: u64,
}

impl State {
    /// No commands in `queues` queues, which run in this order.
    pub(super) fn new(queues: usize, execution: Execution) -> Self {
        State {
            queues: (0..queues).map(|_| Queue::default()).collect(),
            page_locked: PageLocked::default(),
            random: SplitMix64::with_seed(execution.seed()),
            recorded: None,
            failed: None,
            faults: Faults::default(),
            counts: Counts::default(),
            skipped: None,
            lost: false,
        }
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

    pub(super) fn records(&self, queue: usize) -> bool {
        self.recorded.as_ref().is_some_and(|(recorded, _)| *recorded == queue)
    }

    pub(super) fn drop_waiting(&mut self) {
        for queue in &mut self.queues {
            queue.ended += queue.waiting.len() as u64;
            queue.waiting.clear();
        }
    }

    pub(super) fn report(&mut self) -> Result<(), EmulatorError> {
        self.failed.take().map_or(Ok(()), Err)
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
        if let Some((_, commands)) = state.recorded.as_mut().filter(|(of, _)| *of == queue) {
            commands.push(command);
            return Ok(());
        }
        state.queues[queue].push(command);
        match self.execution {
            Execution::Late => Ok(()),
            Execution::Eager => {
                self.drain(state, queue);
                state.report()
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
    /// submitted before runs.
    fn run_next(&self, state: &mut State, queue: usize) {
        let Some(command) = state.queues[queue].waiting.pop_front() else {
            return;
        };
        state.queues[queue].ended += 1;
        if let Err(error) = self.run(state, &command) {
            state.drop_waiting();
            state.failed.get_or_insert(error);
        }
    }

    fn run(&self, state: &mut State, command: &Command) -> Result<(), EmulatorError> {
        if let Command::After { .. } = command {
            return Ok(());
        }
        let number = state.counts.commands;
        state.counts.commands += 1;
        state.lost |= state.faults.lost_at.is_some_and(|at| number >= at);
        if state.lost {
            return Err(EmulatorError::Lost);
        }
        command.run(&self.emulator, &state.page_locked)
    }
}
