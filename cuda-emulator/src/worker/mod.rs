//! A thread of the host that runs blocks, and schedules their threads.
//!
//! Blocks start in the order of their indices, and a block runs until it has finished or only
//! polls. Therefore a thread that polls for an earlier block is served in the end, even by one
//! worker.

mod services;
mod turns;

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::SourceLine;
use crate::block::Block;
use crate::checker::Checker;
use crate::config::{Config, Launch, Policy, Statistics};
use crate::error::EmulatorError;
use crate::fiber::{self, Fiber, StackPool};
use crate::order::SplitMix64;
use crate::table::{Call, Kernel, ThreadSlot};
use crate::threads::{DeviceThread, State};

/// Budget of a thread for atomics and polls before others run.
const SLICE: i32 = 1024;
const SLICE_PREEMPTING: usize = 8;

/// State that the workers of a launch share.
pub(crate) struct Run<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) arguments: Vec<*const c_void>,
    pub(crate) launch: Launch,
    pub(crate) config: Config,
    pub(crate) stacks: &'a StackPool,
    /// Threads of the host that run blocks.
    pub(crate) workers: usize,
    /// The host thread's pointer to the current CUDA thread.
    pub(crate) slot: ThreadSlot,
    /// Index of the block that starts next.
    pub(crate) next_block: AtomicU64,
    /// Blocks that have finished.
    pub(crate) progress: AtomicU64,
    /// Workers that have blocks to run.
    pub(crate) at_work: AtomicUsize,
    /// Set after a failure.
    pub(crate) stop: AtomicBool,
    /// Checks each access, if enabled; there is only one worker then.
    pub(crate) checker: Mutex<Option<Checker>>,
}

// SAFETY: the arguments are only read, and outlive the launch.
unsafe impl Sync for Run<'_> {}

/// See the module.
pub(crate) struct Worker<'a> {
    run: &'a Run<'a>,
    call: Call,
    slot: *mut *const DeviceThread,
    static_shared: *mut u8,
    /// Raw pointers, because running fibers must not be borrowed exclusively.
    fibers: Vec<NonNull<Fiber>>,
    idle: Vec<u32>,
    // Boxed: their threads are pointed at.
    #[expect(clippy::vec_box)]
    blocks: Vec<Box<Block>>,
    #[expect(clippy::vec_box)]
    spare: Vec<Box<Block>>,
    /// The running block.
    current: usize,
    /// Its running thread, and the fiber.
    thread: u32,
    fiber: u32,
    /// The thread that runs next, if that is decided already.
    chosen: Option<u32>,
    random: SplitMix64,
    polls: u64,
    progress_seen: u64,
    statistics: Statistics,
    failure: Option<EmulatorError>,
    checker: Option<Checker>,
}

thread_local! {
    /// The worker that this thread of the host is.
    static WORKER: Cell<*mut Worker<'static>> = const { Cell::new(ptr::null_mut()) };
}

/// Runs blocks until there are none left, or a worker fails.
pub(crate) fn work(run: &Run<'_>, number: usize) -> Result<Statistics, EmulatorError> {
    let mut worker = Worker::new(run, number);
    WORKER.set((&raw mut worker).cast());
    run.at_work.fetch_add(1, Ordering::Relaxed);
    while let Some(fiber) = with(Worker::next_fiber) {
        // SAFETY: the fiber lives until the end of this function; no borrow of the worker is
        // alive.
        unsafe { fiber.as_ref().resume() };
    }
    run.at_work.fetch_sub(1, Ordering::Relaxed);
    WORKER.set(ptr::null_mut());
    // SAFETY: the slot is this thread's, and nothing is emulated any more.
    unsafe { *worker.slot = ptr::null() };
    worker.finish()
}

/// Runs an action with this thread's worker. Nothing borrowed outlives it: another fiber may do the
/// same before this one resumes.
pub(crate) fn with<R>(action: impl FnOnce(&mut Worker<'static>) -> R) -> R {
    let worker = WORKER.get();
    assert!(!worker.is_null(), "no kernel runs on this thread");
    // SAFETY: within `work` only there is one, on this thread, and `action` does not switch
    // fibers, so there is one borrow at a time.
    action(unsafe { &mut *worker })
}

/// Lets others run until this thread is resumed. Code on a fiber must not own anything here: after
/// a failure it is not resumed.
pub(crate) fn wait() {
    let waiting = with(|worker| worker.own_fiber().waiting());
    // SAFETY: that is the fiber that runs.
    unsafe { fiber::suspend(waiting) };
}

/// Main function of fibers: runs one thread after the other.
fn carry(waiting: *const corosensei::Yielder<(), ()>) {
    with(|worker| worker.own_fiber().waits_at(waiting));
    loop {
        let (call, arguments) = with(|worker| (worker.call, worker.run.arguments.as_ptr()));
        // SAFETY: the caller of `launch` vouches for the arguments, and `call` belongs to the
        // launched kernel.
        unsafe { call(arguments) };
        if !with(Worker::thread_returned) {
            wait();
        }
    }
}

impl Run<'_> {
    fn checker(&self) -> MutexGuard<'_, Option<Checker>> {
        self.checker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Worker<'a> {
    fn new(run: &'a Run<'a>, number: usize) -> Self {
        Worker {
            run,
            call: run.kernel.call(),
            // SAFETY: it only returns an address.
            slot: unsafe { (run.slot)() },
            static_shared: run.kernel.shared.base(),
            fibers: Vec::new(),
            idle: Vec::new(),
            blocks: Vec::new(),
            spare: Vec::new(),
            current: 0,
            thread: 0,
            fiber: 0,
            chosen: None,
            random: SplitMix64::new(run.config.schedule, number),
            polls: 0,
            progress_seen: 0,
            statistics: Statistics::default(),
            failure: None,
            checker: run.checker().take(),
        }
    }

    fn finish(self) -> Result<Statistics, EmulatorError> {
        for fiber in self.fibers {
            // SAFETY: it came from a box, and nothing runs on it any more.
            unsafe { Box::from_raw(fiber.as_ptr()) }.retire(self.run.stacks);
        }
        if self.checker.is_some() {
            *self.run.checker() = self.checker;
        }
        self.failure.map_or(Ok(self.statistics), Err)
    }

    fn policy(&self) -> Policy {
        self.run.config.schedule.policy
    }

    /// Chooses the fiber to resume, and sets its thread as the current one.
    fn next_fiber(&mut self) -> Option<NonNull<Fiber>> {
        let prepared = self.prepare();
        let fiber = prepared.unwrap_or_else(|error| {
            self.fail(error);
            None
        })?;
        Some(self.fibers[fiber as usize])
    }

    /// The fiber that runs.
    fn own_fiber(&self) -> &Fiber {
        // SAFETY: it lives as long as the worker.
        unsafe { self.fibers[self.fiber as usize].as_ref() }
    }

    fn prepare(&mut self) -> Result<Option<u32>, EmulatorError> {
        while self.failure.is_none() && !self.run.stop.load(Ordering::Relaxed) {
            if let Some(thread) = self.next_thread()? {
                return self.enter(thread).map(Some);
            }
            if !self.settle()? {
                break;
            }
        }
        Ok(None)
    }

    fn next_thread(&mut self) -> Result<Option<u32>, EmulatorError> {
        if let Some(thread) = self.chosen.take() {
            return Ok(Some(thread));
        }
        self.perhaps_turn()?;
        Ok(self.pick())
    }

    fn pick(&mut self) -> Option<u32> {
        let policy = self.policy();
        let block = self.blocks.get_mut(self.current)?;
        block.ready.pop(policy, &mut self.random)
    }

    /// Resumes a thread on its fiber, or starts it on an idle one; returns the fiber.
    fn enter(&mut self, thread: u32) -> Result<u32, EmulatorError> {
        let fiber = match self.blocks[self.current].threads[thread as usize].state {
            State::Ready(fiber) => {
                self.statistics.switches += 1;
                fiber
            }
            _ => self.idle_fiber()?,
        };
        self.run_on(thread, fiber);
        Ok(fiber)
    }

    fn run_on(&mut self, thread: u32, fiber: u32) {
        (self.thread, self.fiber) = (thread, fiber);
        let slice = self.slice();
        let thread = &mut self.blocks[self.current].threads[thread as usize];
        thread.state = State::Ready(fiber);
        thread.device.slice = slice;
        // SAFETY: the slot is this thread's of the host.
        unsafe { *self.slot = &raw const thread.device };
    }

    fn slice(&mut self) -> i32 {
        match self.policy() {
            Policy::Preempting => 1 + self.random.below(SLICE_PREEMPTING) as i32,
            _ => SLICE,
        }
    }

    fn idle_fiber(&mut self) -> Result<u32, EmulatorError> {
        if let Some(fiber) = self.idle.pop() {
            return Ok(fiber);
        }
        let number = self.fibers.len();
        let fiber = Box::new(Fiber::new(self.run.stacks, number, carry)?);
        self.fibers.push(NonNull::from(Box::leak(fiber)));
        Ok(number as u32)
    }

    /// The current thread has returned. Says whether this fiber has another one
    /// to run; otherwise it is idle.
    fn thread_returned(&mut self) -> bool {
        let thread = self.thread;
        match self.block().exit(thread) {
            Ok(_) => self.polls = 0,
            Err(problem) => self.misuse(SourceLine::default(), problem),
        }
        if self.failure.is_none() {
            self.chosen = self.pick();
        }
        let fresh = |&thread: &u32| {
            self.blocks[self.current].threads[thread as usize].state == State::Fresh
        };
        if let Some(next) = self.chosen.filter(fresh) {
            self.chosen = None;
            self.run_on(next, self.fiber);
            return true;
        }
        self.idle.push(self.fiber);
        false
    }
}
