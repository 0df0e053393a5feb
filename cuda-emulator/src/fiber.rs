//! Stacks to run CUDA threads on.
//!
//! A fiber runs one thread after another; a thread that waits keeps its fiber,
//! and one that never waits costs no switch at all.

use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use corosensei::stack::{DefaultStack, Stack as StackMemory, StackPointer};
use corosensei::{Coroutine, Yielder};

use super::error::EmulatorError;

/// Room for a kernel's local arrays; pages that are never touched cost nothing.
const STACK_BYTES: usize = 128 << 10;
/// Stacks start at different offsets in their pages; otherwise all of them would share the few sets
/// of the cache that an address's low bits select.
const COLOURS: usize = 16;
const COLOUR_BYTES: usize = 192;

/// Stacks of a launch. With its guard, each is two mappings, of which a process has 65,530 by
/// default on Linux.
pub(super) const MAX_STACKS: usize = 24_000;

/// The memory of a fiber.
pub(super) struct Stack {
    memory: DefaultStack,
    offset: usize,
}

// SAFETY: all is the default stack's, which has a guard page; the base is traffic
// by less than a page of many, and stays aligned.
unsafe impl StackMemory for Stack {
    fn base(&self) -> StackPointer {
        let base = self.memory.base();
        StackPointer::new(base.get() - self.offset).unwrap_or(base)
    }

    fn limit(&self) -> StackPointer {
        self.memory.limit()
    }
}

/// Stacks that no launch uses.
#[derive(Default)]
pub(super) struct StackPool {
    free: Mutex<Vec<Stack>>,
}

/// The stacks of all emulators, because the number of mappings of a process is limited.
pub(super) static STACKS: StackPool = StackPool { free: Mutex::new(Vec::new()) };

impl StackPool {
    fn take(&self, number: usize) -> Result<Stack, EmulatorError> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let new = || {
            let memory = DefaultStack::new(STACK_BYTES)?;
            let offset = number % COLOURS * COLOUR_BYTES;
            Ok(Stack { memory, offset })
        };
        let refused = |error: std::io::Error| EmulatorError::Resources {
            what: "stack",
            problem: error.to_string(),
        };
        free.map_or_else(|| new().map_err(refused), Ok)
    }

    fn give(&self, stack: Stack) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(stack);
    }
}

/// Handle by which a waiting fiber is resumed.
type Suspender = Yielder<(), ()>;

/// A stack that something runs on.
pub(super) struct Fiber {
    /// Code running on it accesses the rest of the fiber meanwhile.
    coroutine: UnsafeCell<Coroutine<(), (), (), Stack>>,
    /// Null before it has begun.
    waiting: Cell<*const Suspender>,
    /// The addresses of the stack.
    pub(super) addresses: Range<usize>,
}

impl Fiber {
    /// Creates a fiber that will run `body`, which first stores its handle by `waits_at`.
    pub(super) fn new(
        stacks: &StackPool,
        number: usize,
        body: fn(*const Suspender),
    ) -> Result<Self, EmulatorError> {
        let stack = stacks.take(number)?;
        let addresses = stack.limit().get()..stack.memory.base().get();
        let coroutine = Coroutine::with_stack(stack, move |waiting: &Suspender, ()| body(waiting));
        Ok(Fiber {
            coroutine: UnsafeCell::new(coroutine),
            waiting: Cell::new(ptr::null()),
            addresses,
        })
    }

    /// Stores the handle that `body` got.
    pub(super) fn waits_at(&self, waiting: *const Suspender) {
        self.waiting.set(waiting);
    }

    /// Its handle.
    pub(super) fn waiting(&self) -> *const Suspender {
        self.waiting.get()
    }

    /// Runs it until it suspends itself.
    ///
    /// # Safety
    /// It must not be running, and the code that it runs must not access anything that is borrowed
    /// now.
    pub(super) unsafe fn resume(&self) {
        // SAFETY: the caller promises that the fiber is not running, so nothing else borrows the
        // coroutine.
        let coroutine = unsafe { &mut *self.coroutine.get() };
        coroutine.resume(());
    }

    /// Returns the stack to the pool, even if the coroutine is suspended.
    pub(super) fn retire(mut self, stacks: &StackPool) {
        // SAFETY: code that suspends on fibers owns nothing to drop: see `worker::carry`; kernels
        // are C++ code without destructors of their own.
        unsafe { self.coroutine.get_mut().force_reset() };
        stacks.give(self.coroutine.into_inner().into_stack());
    }
}

/// Suspends the running fiber and returns to the caller of `resume`.
///
/// # Safety
/// `waiting` must be the handle of the running fiber.
pub(super) unsafe fn suspend(waiting: *const Suspender) {
    // SAFETY: the caller's; it lives as long as the fiber's body.
    unsafe { (*waiting).suspend(()) };
}
