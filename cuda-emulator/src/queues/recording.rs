//! Commands that are recorded, and submitted again as a whole.

use std::sync::Arc;

use super::QueuedEmulator;
use super::command::Command;
use crate::error::EmulatorError;

/// Recorded commands, to be submitted again as a whole.
#[derive(Clone)]
pub struct Recording(Arc<[Command]>);

impl QueuedEmulator {
    /// Starts to record the commands of a queue instead of running them.
    ///
    /// # Errors
    /// If another recording is active.
    pub fn start_recording(&self, queue: usize) -> Result<(), EmulatorError> {
        let mut state = self.state();
        let recorded = &mut state.devices[self.device].recorded;
        if recorded.is_some() {
            return Err(EmulatorError::Recording("another one is under way"));
        }
        *recorded = Some((self.index(queue), Vec::new()));
        Ok(())
    }

    /// Ends a recording.
    ///
    /// # Errors
    /// If none is active.
    pub fn end_recording(&self) -> Result<Recording, EmulatorError> {
        let recorded = self.state().devices[self.device].recorded.take();
        let (_, commands) = recorded.ok_or(EmulatorError::Recording("none is under way"))?;
        Ok(Recording(commands.into()))
    }

    /// Submits recorded commands.
    ///
    /// # Safety
    /// The promises made for each of them when it was recorded must still hold: the memory that
    /// they use must be allocated.
    ///
    /// # Errors
    /// Those of commands that run in this call.
    pub unsafe fn replay(&self, queue: usize, recording: &Recording) -> Result<(), EmulatorError> {
        let mut state = self.state();
        for command in recording.0.iter() {
            let again = command.again();
            // SAFETY: the caller promises that the memory of the recorded commands is valid and
            // unused by other threads.
            unsafe { self.poison_target(&state, &again) };
            self.submit(&mut state, self.index(queue), again)?;
        }
        Ok(())
    }
}
