//! Holds the device until the host has started all that it wants to be timed.
//!
//! A function of the host in the stream waits, and with it all that comes behind
//! it. It waits for a moment only: a host that has to wait for the device first
//! (for memory, for a copy from memory that is not page-locked, for room in the
//! queue) would otherwise wait for ever.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::engine::Hold;

/// Some hundred times what launches take.
const PATIENCE: Duration = Duration::from_millis(100);

/// What holds a stream at the moment.
#[derive(Default)]
pub(super) struct Gate(Mutex<Option<Arc<Latch>>>);

#[derive(Default)]
struct Latch {
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Closed,
    Open,
    TimedOut,
}

impl Gate {
    /// Holds what is started from now on. `start` puts a call of [`wait`] into a stream, with what
    /// it is given; if that fails, `wait` is not called.
    pub(super) fn close<E>(
        &self,
        start: impl FnOnce(*mut c_void) -> Result<(), E>,
    ) -> Result<(), E> {
        let latch = Arc::new(Latch::default());
        let given = Arc::into_raw(Arc::clone(&latch)).cast_mut();
        let held = start(given.cast());
        if held.is_err() {
            // SAFETY: nobody else has it.
            drop(unsafe { Arc::from_raw(given) });
            return held;
        }
        self.open();
        *lock(&self.0) = Some(latch);
        Ok(())
    }

    /// Lets go of what is held.
    pub(super) fn open(&self) -> Hold {
        lock(&self.0).take().map_or(Hold::LetGo, |latch| latch.open())
    }
}

impl Latch {
    fn open(&self) -> Hold {
        let mut state = lock(&self.state);
        if *state == State::TimedOut {
            return Hold::TimedOut;
        }
        *state = State::Open;
        self.opened.notify_all();
        Hold::LetGo
    }

    fn wait(&self, patience: Duration) {
        let state = lock(&self.state);
        let is_closed = |state: &mut State| *state == State::Closed;
        let waited = self.opened.wait_timeout_while(state, patience, is_closed);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *state == State::Closed {
            *state = State::TimedOut;
        }
    }
}

/// Called by the stream. After a failed kernel some drivers never do: some bytes are lost then.
///
/// # Safety
/// [`Gate::close`] gave it away for this one call.
pub(super) unsafe extern "C" fn wait(latch: *mut c_void) {
    // SAFETY: as the caller promises.
    let latch = unsafe { Arc::from_raw(latch.cast_const().cast::<Latch>()) };
    latch.wait(PATIENCE);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_latch_holds_until_it_is_opened() {
        let latch = Arc::new(Latch::default());
        let waiting = Arc::clone(&latch);
        let waiter = thread::spawn(move || waiting.wait(Duration::from_secs(600)));
        assert_eq!(latch.open(), Hold::LetGo);
        waiter.join().expect("it goes on");
        assert_eq!(*lock(&latch.state), State::Open);
    }

    #[test]
    fn a_latch_that_nobody_opens_gives_up_and_says_so() {
        let latch = Latch::default();
        latch.wait(Duration::from_millis(1));
        assert_eq!(latch.open(), Hold::TimedOut);
    }

    #[test]
    fn a_gate_without_a_hold_is_open() {
        assert_eq!(Gate::default().open(), Hold::LetGo);
    }
}
