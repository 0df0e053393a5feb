//! A power command that runs while energy is measured only, and never again once it has failed.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::power_command::{PowerCommandError, PowerMeter};

/// A command with its state.
pub(super) struct PowerCommand {
    pub(super) command: String,
    state: Mutex<State>,
}

enum State {
    Stopped,
    Running(PowerMeter),
    Failed(PowerCommandError),
}

impl PowerCommand {
    /// A command that is not started yet.
    pub(super) fn new(command: String) -> Self {
        PowerCommand { command, state: Mutex::new(State::Stopped) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts it, unless it has failed before, and waits for its first readings.
    pub(super) fn start(&self) {
        let mut state = self.state();
        if let State::Stopped = *state {
            *state = match PowerMeter::start(&self.command) {
                Ok(meter) => State::Running(meter),
                Err(error) => State::Failed(error),
            };
        }
    }

    /// Ends it, so that it takes nothing of the machine.
    pub(super) fn stop(&self) {
        let mut state = self.state();
        if let State::Running(meter) = &*state {
            *state = match meter.check() {
                Ok(()) => State::Stopped,
                Err(error) => State::Failed(error),
            };
        }
    }

    /// Usual interval of its readings while it runs.
    pub(super) fn interval(&self) -> Option<Duration> {
        match &*self.state() {
            State::Running(meter) => Some(meter.interval()),
            _ => None,
        }
    }

    /// Reason why it has failed, if it has.
    pub(super) fn problem(&self) -> Option<PowerCommandError> {
        match &*self.state() {
            State::Failed(error) => Some(error.clone()),
            State::Running(meter) => meter.check().err(),
            State::Stopped => None,
        }
    }

    /// Joules in a period; `None` while it does not run.
    pub(super) fn joules(
        &self,
        begin: Instant,
        end: Instant,
    ) -> Option<Result<f64, PowerCommandError>> {
        match &*self.state() {
            State::Running(meter) => Some(meter.joules(begin, end)),
            State::Failed(error) => Some(Err(error.clone())),
            State::Stopped => None,
        }
    }
}
