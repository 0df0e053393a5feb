//! Blocks a stream until the host has queued all work to be timed.
//!
//! A host function in the stream waits, and with it all work queued after it. It waits for a
//! limited time only: a host that has to wait for the device first (for memory, for a copy from
//! pageable memory, for space in the queue) would otherwise deadlock.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::engine::BlockEnd;

/// Time limit of a block: some hundred times the duration of launches.
const TIMEOUT: Duration = Duration::from_millis(100);

/// The latch that blocks a stream at the moment, if there is one.
#[derive(Default)]
pub(super) struct StreamGate(Mutex<Option<Arc<Latch>>>);

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

impl StreamGate {
    /// Blocks all work that is started from now on. `start` puts a call of [`wait`] with its
    /// argument into a stream; if it fails, `wait` must not be called.
    pub(super) fn close<E>(
        &self,
        start: impl FnOnce(*mut c_void) -> Result<(), E>,
    ) -> Result<(), E> {
        let latch = Arc::new(Latch::default());
        let argument = Arc::into_raw(Arc::clone(&latch)).cast_mut();
        let started = start(argument.cast());
        if started.is_err() {
            // SAFETY: `start` has failed, so no other code has the pointer.
            drop(unsafe { Arc::from_raw(argument) });
            return started;
        }
        self.open();
        *lock(&self.0) = Some(latch);
        Ok(())
    }

    /// Releases the stream.
    pub(super) fn open(&self) -> BlockEnd {
        lock(&self.0).take().map_or(BlockEnd::Released, |latch| latch.open())
    }
}

impl Latch {
    fn open(&self) -> BlockEnd {
        let mut state = lock(&self.state);
        if *state == State::TimedOut {
            return BlockEnd::TimedOut;
        }
        *state = State::Open;
        self.opened.notify_all();
        BlockEnd::Released
    }

    fn wait(&self, timeout: Duration) {
        let state = lock(&self.state);
        let is_closed = |state: &mut State| *state == State::Closed;
        let waited = self.opened.wait_timeout_while(state, timeout, is_closed);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *state == State::Closed {
            *state = State::TimedOut;
        }
    }
}

/// Host function of the stream. After a failed kernel some drivers never call it, which leaks the
/// latch.
///
/// # Safety
/// The pointer came from [`StreamGate::close`], for this one call.
pub(super) unsafe extern "C" fn wait(latch: *mut c_void) {
    // SAFETY: as the caller promises.
    let latch = unsafe { Arc::from_raw(latch.cast_const().cast::<Latch>()) };
    latch.wait(TIMEOUT);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_latch_blocks_until_it_is_opened() {
        let latch = Arc::new(Latch::default());
        let waiting = Arc::clone(&latch);
        let waiter = thread::spawn(move || waiting.wait(Duration::from_secs(600)));
        assert_eq!(latch.open(), BlockEnd::Released);
        waiter.join().expect("it goes on");
        assert_eq!(*lock(&latch.state), State::Open);
    }

    #[test]
    fn a_latch_that_is_never_opened_times_out() {
        let latch = Latch::default();
        latch.wait(Duration::from_millis(1));
        assert_eq!(latch.open(), BlockEnd::TimedOut);
    }

    #[test]
    fn an_unused_gate_is_open() {
        assert_eq!(StreamGate::default().open(), BlockEnd::Released);
    }
}
