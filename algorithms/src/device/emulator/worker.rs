//! A thread of the host that runs blocks, and takes turns among their threads.
//!
//! Blocks begin in the order of their numbers, and a block has its turn until it
//! has finished or only polls. So who polls for what an earlier block does is
//! served in the end, also by one worker.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::block::Block;
use super::checker::{Access, Checker};
use super::config::{Config, Launch, Policy, Statistics};
use super::error::{BlockAt, EmulatorError, SourceLine, ThreadAt};
use super::fiber::{self, Fiber, StackPool};
use super::order::Chance;
use super::table::{Call, Kernel};
use super::threads::{DeviceThread, Site, State};

/// Blocks of a worker that have begun and not finished.
const MOST_BLOCKS: usize = 16;
/// As many begin at once where chance decides.
const BLOCKS_AT_ONCE: usize = 4;
/// Where chance decides, another block has its turn once in so many choices.
const TURN: usize = 64;
/// Polls after which a block that does nothing else gives way to others.
const POLLS_OF_A_TURN: u32 = 64;
/// Polls of a worker that mean "for ever", unless a thread of its own returns or
/// any block finishes meanwhile.
const MOST_POLLS: u64 = 1 << 22;
/// Polls for other workers after which it pays to sleep.
const POLLS_UNTIL_SLEEP: u64 = 1 << 12;
const SLEEP: Duration = Duration::from_micros(50);
/// What a thread may spend on atomics and polls before others have their turn.
const SLICE: i32 = 1024;
/// As `EMULATOR_POLL_COST` in `emulator/memory.h`.
const POLL_COST: i32 = 16;
const SLICE_PREEMPTING: usize = 8;

/// What the workers of a launch share.
pub(super) struct Run<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) arguments: Vec<*const c_void>,
    pub(super) launch: Launch,
    pub(super) config: Config,
    pub(super) stacks: &'a StackPool,
    /// The host thread's pointer to the current CUDA thread.
    pub(super) slot: super::table::ThreadSlot,
    /// The number of the block that begins next.
    pub(super) next_block: AtomicU64,
    /// Blocks that have finished.
    pub(super) progress: AtomicU64,
    /// Workers that have blocks to run.
    pub(super) at_work: AtomicUsize,
    /// Somebody has failed.
    pub(super) stop: AtomicBool,
    /// Looks at each access, if that is wanted; the only worker has it.
    pub(super) checker: Mutex<Option<Checker>>,
}

// SAFETY: the arguments are only read, and outlive the launch.
unsafe impl Sync for Run<'_> {}

/// See the module.
pub(super) struct Worker<'a> {
    run: &'a Run<'a>,
    call: Call,
    slot: *mut *const DeviceThread,
    static_shared: *mut u8,
    // Boxed: fibers and threads are pointed at.
    #[expect(clippy::vec_box)]
    fibers: Vec<Box<Fiber>>,
    idle: Vec<u32>,
    #[expect(clippy::vec_box)]
    blocks: Vec<Box<Block>>,
    #[expect(clippy::vec_box)]
    spare: Vec<Box<Block>>,
    /// The block that has its turn.
    current: usize,
    /// Its thread that runs, and on which fiber.
    thread: u32,
    fiber: u32,
    /// The thread that runs next, if that is decided already.
    chosen: Option<u32>,
    chance: Chance,
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

/// Runs blocks until there are none left, or somebody fails.
pub(super) fn work(run: &Run<'_>, number: usize) -> Result<Statistics, EmulatorError> {
    let mut worker = Worker::new(run, number);
    WORKER.set((&raw mut worker).cast());
    run.at_work.fetch_add(1, Ordering::Relaxed);
    while let Some(fiber) = with(Worker::next_fiber) {
        // SAFETY: the fiber is boxed and lives until the end of this function; no
        // borrow of the worker is alive.
        unsafe { Fiber::resume(fiber) };
    }
    run.at_work.fetch_sub(1, Ordering::Relaxed);
    WORKER.set(ptr::null_mut());
    // SAFETY: the slot is this thread's, and nothing is emulated any more.
    unsafe { *worker.slot = ptr::null() };
    worker.finish()
}

/// Does something with this thread's worker. Nothing borrowed lives on: another
/// fiber does the same before this one goes on.
pub(super) fn with<R>(action: impl FnOnce(&mut Worker<'static>) -> R) -> R {
    // SAFETY: called from within `work` only, on this thread, and `action` does
    // not switch fibers, so there is one borrow at a time.
    action(unsafe { &mut *WORKER.get() })
}

/// Lets others run until this thread's turn comes again. Nothing that runs on a
/// fiber may own anything here: after a failure no turn comes.
pub(super) fn wait() {
    let waiting = with(|worker| worker.fibers[worker.fiber as usize].waiting());
    // SAFETY: that is the fiber that runs.
    unsafe { fiber::suspend(waiting) };
}

/// What fibers do: run thread after thread.
fn carry(waiting: *const corosensei::Yielder<(), ()>) {
    with(|worker| worker.fibers[worker.fiber as usize].waits_at(waiting));
    loop {
        let (call, arguments) = with(|worker| (worker.call, worker.run.arguments.as_ptr()));
        // SAFETY: whoever launched vouches for the arguments.
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
            // SAFETY: it only takes an address.
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
            chance: Chance::new(run.config.schedule, number),
            polls: 0,
            progress_seen: 0,
            statistics: Statistics::default(),
            failure: None,
            checker: run.checker().take(),
        }
    }

    fn finish(self) -> Result<Statistics, EmulatorError> {
        for fiber in self.fibers {
            fiber.retire(self.run.stacks);
        }
        if self.checker.is_some() {
            *self.run.checker() = self.checker;
        }
        self.failure.map_or(Ok(self.statistics), Err)
    }

    fn policy(&self) -> Policy {
        self.run.config.schedule.policy
    }

    /// The fiber to go on with, its thread set as the current one.
    fn next_fiber(&mut self) -> Option<*mut Fiber> {
        let prepared = self.prepare();
        let fiber = prepared.unwrap_or_else(|error| {
            self.fail(error);
            None
        })?;
        Some(&raw mut *self.fibers[fiber as usize])
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
        block.ready.pop(policy, &mut self.chance)
    }

    /// No thread of the current block can go on: begins a block, or gives it up
    /// for finished. Says whether there is anything left to do.
    fn settle(&mut self) -> Result<bool, EmulatorError> {
        if let Some(block) = self.blocks.get(self.current) {
            if block.live > 0 {
                return Err(EmulatorError::Deadlock {
                    at: self.block_at(),
                    waiting: block.waiting(),
                });
            }
            self.retire_block();
        }
        let wanted = if self.policy().is_random() {
            BLOCKS_AT_ONCE
        } else {
            1
        };
        while self.blocks.len() < wanted && self.begin_block()? {}
        Ok(!self.blocks.is_empty())
    }

    /// Makes the next block of the grid the current one, if there is one.
    fn begin_block(&mut self) -> Result<bool, EmulatorError> {
        let number = self.run.next_block.fetch_add(1, Ordering::Relaxed);
        if number >= self.run.launch.blocks() {
            return Ok(false);
        }
        let spare = self.spare.pop();
        let mut block = spare.map_or_else(|| self.new_block(), Ok)?;
        block.begin(number);
        self.statistics.threads += u64::from(block.live);
        self.leave_block();
        self.blocks.push(block);
        self.enter_block(self.blocks.len() - 1);
        Ok(true)
    }

    fn new_block(&self) -> Result<Box<Block>, EmulatorError> {
        let Run {
            launch,
            config,
            kernel,
            ..
        } = self.run;
        let mut block = Block::new(launch, config.lanes.count(), kernel.shared.size)?;
        if self.checker.is_some() {
            let (shared, slot) = (self.static_shared.addr(), self.slot.addr());
            let shared = shared..shared + kernel.shared.size;
            block.check(shared, slot..slot + size_of::<*const DeviceThread>());
        }
        Ok(block)
    }

    /// Shows the checker an access of the current thread.
    pub(super) fn check(&mut self, access: Access) {
        let stack = &self.fibers[self.fiber as usize].addresses;
        let block = self.blocks[self.current].checked.as_mut();
        let Some((checker, block)) = self.checker.as_mut().zip(block) else {
            return;
        };
        if let Err(finding) = checker.access(block, stack, access) {
            let (line, access) = *finding;
            let (at, access) = (self.thread_at(line), Box::new(access));
            self.fail(EmulatorError::Access { at, access });
        }
    }

    /// The current thread spends on a poll; says whether it has spent all.
    pub(super) fn spend(&mut self) -> bool {
        let thread = self.thread;
        let slice = &mut self.block().threads[thread as usize].device.slice;
        *slice -= POLL_COST;
        *slice <= 0
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    fn retire_block(&mut self) {
        self.statistics.blocks += 1;
        self.run.progress.fetch_add(1, Ordering::Relaxed);
        self.spare.push(self.blocks.swap_remove(self.current));
        if !self.blocks.is_empty() {
            self.enter_block(0);
        }
    }

    /// Static shared memory is one for all blocks of a host thread: the block
    /// takes a copy along.
    fn leave_block(&mut self) {
        if let Some(block) = self.blocks.get_mut(self.current) {
            let copy = &mut block.static_copy;
            // SAFETY: as many bytes as the kernel's file has shared memory.
            unsafe { ptr::copy_nonoverlapping(self.static_shared, copy.as_mut_ptr(), copy.len()) };
        }
    }

    fn enter_block(&mut self, index: usize) {
        self.current = index;
        let block = &mut self.blocks[index];
        block.polls = 0;
        let copy = &block.static_copy;
        // SAFETY: as above.
        unsafe { ptr::copy_nonoverlapping(copy.as_ptr(), self.static_shared, copy.len()) };
    }

    /// Gives another block its turn, by chance or because this one only polls.
    fn perhaps_turn(&mut self) -> Result<(), EmulatorError> {
        let Some(block) = self.blocks.get(self.current) else {
            return Ok(());
        };
        let polled = block.polls >= POLLS_OF_A_TURN;
        let by_chance = || self.policy().is_random() && self.blocks.len() > 1;
        if polled || (by_chance() && self.chance.below(TURN) == 0) {
            self.turn()?;
        }
        Ok(())
    }

    fn turn(&mut self) -> Result<(), EmulatorError> {
        let next = self.current + 1;
        let last = next == self.blocks.len();
        if last && self.blocks.len() < MOST_BLOCKS && self.begin_block()? {
            return Ok(());
        }
        if self.run.at_work.load(Ordering::Relaxed) > 1 {
            self.give_way_to_workers();
        }
        if self.blocks.len() > 1 {
            self.leave_block();
            self.enter_block(if last { 0 } else { next });
        } else {
            self.blocks[self.current].polls = 0;
        }
        Ok(())
    }

    fn give_way_to_workers(&self) {
        if self.polls < POLLS_UNTIL_SLEEP {
            std::thread::yield_now();
        } else {
            std::thread::sleep(SLEEP);
        }
    }

    /// The thread goes on: on its fiber, or begins on an idle one.
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
            Policy::Preempting => 1 + self.chance.below(SLICE_PREEMPTING) as i32,
            _ => SLICE,
        }
    }

    fn idle_fiber(&mut self) -> Result<u32, EmulatorError> {
        if let Some(fiber) = self.idle.pop() {
            return Ok(fiber);
        }
        let number = self.fibers.len();
        self.fibers
            .push(Fiber::new(self.run.stacks, number, carry)?);
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

    pub(super) fn block(&mut self) -> &mut Block {
        &mut self.blocks[self.current]
    }

    /// The number of the current thread in its block.
    pub(super) fn thread(&self) -> u32 {
        self.thread
    }

    pub(super) fn count_barrier(&mut self) {
        self.statistics.barriers += 1;
    }

    pub(super) fn count_collective(&mut self) {
        self.statistics.collectives += 1;
    }

    /// What the current thread waited for.
    pub(super) fn result(&mut self) -> u64 {
        let thread = self.thread;
        self.block().threads[thread as usize].result
    }

    /// What the current thread will find as that.
    pub(super) fn set_result(&mut self, result: u64) {
        let thread = self.thread;
        self.block().threads[thread as usize].result = result;
    }

    /// The current thread waits in the state that `state` makes of its fiber.
    pub(super) fn block_thread(&mut self, state: fn(u32, Site) -> State, site: Site) {
        let (thread, fiber) = (self.thread, self.fiber);
        self.block().threads[thread as usize].state = state(fiber, site);
    }

    /// The current thread was the last to come: says whether another one goes
    /// first all the same.
    pub(super) fn last_waits_too(&mut self) -> bool {
        let random = self.policy().is_random();
        if random {
            let thread = self.thread;
            self.block().ready.push(thread);
        }
        random
    }

    /// The current thread polls: others first.
    pub(super) fn poll(&mut self) {
        let progress = self.run.progress.load(Ordering::Relaxed);
        if progress != self.progress_seen {
            (self.progress_seen, self.polls) = (progress, 0);
        }
        self.polls += 1;
        if self.polls > MOST_POLLS {
            let (at, polls) = (self.block_at(), self.polls);
            self.fail(EmulatorError::EndlessSpin { at, polls });
            return;
        }
        let (thread, policy) = (self.thread, self.policy());
        let block = self.block();
        block.polls += 1;
        block.ready.push_last(thread, policy);
    }

    /// Ends the launch; the first failure is told.
    pub(super) fn fail(&mut self, error: EmulatorError) {
        self.run.stop.store(true, Ordering::Relaxed);
        self.failure.get_or_insert(error);
    }

    pub(super) fn misuse(&mut self, line: SourceLine, problem: String) {
        let at = self.thread_at(line);
        self.fail(EmulatorError::Misuse { at, problem });
    }

    pub(super) fn block_at(&self) -> BlockAt {
        BlockAt {
            kernel: self.run.kernel.name.to_owned(),
            block: self.blocks[self.current].device.index,
        }
    }

    pub(super) fn thread_at(&self, line: SourceLine) -> ThreadAt {
        ThreadAt {
            block: self.block_at(),
            thread: self.thread,
            line,
        }
    }
}
