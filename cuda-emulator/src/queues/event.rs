//! Order between queues: events, and copies between the devices of a machine.

use std::sync::{Arc, Mutex};

use super::command::Command;
use super::schedule::State;
use super::{QueuedEmulator, lock};
use crate::error::EmulatorError;

/// A point in the commands of a queue.
#[derive(Clone)]
pub struct Event {
    machine: Arc<Mutex<State>>,
    /// Index among all queues of the machine.
    queue: usize,
    /// Number of commands up to it.
    count: u64,
}

impl QueuedEmulator {
    /// Records the point that a queue has reached when all commands submitted to it so far have
    /// ended.
    pub fn record_event(&self, queue: usize) -> Event {
        let queue = self.index(queue);
        let count = self.state().queues[queue].submitted;
        Event { machine: Arc::clone(&self.state), queue, count }
    }

    /// Makes later commands of a queue wait for an event of this machine. Returns false, and does
    /// nothing, if the event is another machine's.
    pub fn follow_event(&self, queue: usize, event: &Event) -> bool {
        if !Arc::ptr_eq(&self.state, &event.machine) {
            return false;
        }
        let mut state = self.state();
        if !state.skips() {
            let Event { queue: other, count, .. } = *event;
            state.queues[self.index(queue)].push(Command::After { queue: other, count });
        }
        true
    }

    /// Makes later commands of a queue wait for all commands submitted to another one so far.
    pub fn follow(&self, queue: usize, other: usize) {
        self.follow_event(queue, &self.record_event(other));
    }

    /// Waits for an event of this device.
    ///
    /// # Errors
    /// The first error of any command since the last one was reported.
    pub fn wait_for_event(&self, event: &Event) -> Result<(), EmulatorError> {
        let mut state = lock(&event.machine);
        if state.skips() {
            return Ok(());
        }
        self.drain_until(&mut state, event.queue, event.count);
        state.report(event.queue)
    }

    /// True if the commands up to an event of this device have ended. If not, another command runs
    /// after the answer was found, as time passes on a GPU: polling comes to an end.
    ///
    /// # Errors
    /// The first error of any command since the last one was reported.
    pub fn has_ended(&self, event: &Event) -> Result<bool, EmulatorError> {
        let mut state = lock(&event.machine);
        let has_ended = state.queues[event.queue].ended >= event.count;
        if !has_ended {
            self.advance(&mut state, event.queue);
        }
        state.report(event.queue).map(|()| has_ended)
    }

    /// True if another emulator is a device of the same machine.
    pub fn shares_machine(&self, other: &QueuedEmulator) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    /// Submits a copy from memory of another device to memory of this one. The queue must wait for
    /// what writes the source, by [`QueuedEmulator::follow_event`].
    ///
    /// # Errors
    /// Those of commands that run in this call.
    pub fn copy_from_peer(
        &self,
        queue: usize,
        to: u64,
        peer: &QueuedEmulator,
        from: u64,
        bytes: usize,
    ) -> Result<(), EmulatorError> {
        let peer = Arc::clone(&peer.emulator);
        let command = Command::PeerCopy { to, peer, from, bytes };
        self.submit(&mut self.state(), self.index(queue), command)
    }
}
