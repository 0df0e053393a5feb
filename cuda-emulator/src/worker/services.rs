//! The worker's side of the functions that kernels call.

use std::sync::atomic::Ordering;

use super::Worker;
use crate::block::Block;
use crate::checker::Access;
use crate::error::{BlockAt, EmulatorError, SourceLine, ThreadAt};
use crate::threads::{Site, State};

/// Equal to `EMULATOR_POLL_COST` in `build/include/memory.h`.
const POLL_COST: i32 = 16;

impl Worker<'_> {
    pub(crate) fn block(&mut self) -> &mut Block {
        &mut self.blocks[self.current]
    }

    /// Index of the current thread in its block.
    pub(crate) fn thread(&self) -> u32 {
        self.thread
    }

    pub(crate) fn count_barrier(&mut self) {
        self.statistics.barriers += 1;
    }

    pub(crate) fn count_collective(&mut self) {
        self.statistics.collectives += 1;
    }

    /// Result of the current thread's wait.
    pub(crate) fn result(&mut self) -> u64 {
        let thread = self.thread;
        self.block().threads[thread as usize].result
    }

    pub(crate) fn set_result(&mut self, result: u64) {
        let thread = self.thread;
        self.block().threads[thread as usize].result = result;
    }

    /// The current thread waits in the state that `state` makes of its fiber.
    pub(crate) fn block_thread(&mut self, state: fn(u32, Site) -> State, site: Site) {
        let thread = self.thread;
        let fiber = self.fiber;
        self.block().threads[thread as usize].state = state(fiber, site);
    }

    /// For a current thread that arrived last: returns true if another one runs first nevertheless.
    pub(crate) fn last_waits_too(&mut self) -> bool {
        let random = self.policy().is_random();
        if random {
            let thread = self.thread;
            self.block().ready.push(thread);
        }
        random
    }

    /// The current thread polls: others first.
    pub(crate) fn poll(&mut self) {
        let progress = self.run.progress.load(Ordering::Relaxed);
        if progress != self.progress_seen {
            (self.progress_seen, self.polls) = (progress, 0);
        }
        self.polls += 1;
        if self.polls > self.run.config.max_polls {
            let at = self.block_at();
            let polls = self.polls;
            self.fail(EmulatorError::EndlessSpin { at, polls });
            return;
        }
        let thread = self.thread;
        let policy = self.policy();
        let block = self.block();
        block.polls += 1;
        block.ready.push_last(thread, policy);
    }

    /// Charges a poll to the current thread; returns true if its budget is spent.
    pub(crate) fn spend(&mut self) -> bool {
        let thread = self.thread;
        let slice = &mut self.block().threads[thread as usize].device.slice;
        *slice -= POLL_COST;
        *slice <= 0
    }

    /// Shows the checker an access of the current thread.
    pub(crate) fn check(&mut self, access: Access) {
        let stack = self.own_fiber().addresses.clone();
        let block = self.blocks[self.current].checked.as_mut();
        let Some((checker, block)) = self.checker.as_mut().zip(block) else {
            return;
        };
        if let Err(finding) = checker.access(block, &stack, access) {
            let (line, access) = *finding;
            let at = self.thread_at(line);
            let access = Box::new(access);
            self.fail(EmulatorError::Access { at, access });
        }
    }

    /// Ends the launch; the first failure is reported.
    pub(crate) fn fail(&mut self, error: EmulatorError) {
        self.run.stop.store(true, Ordering::Relaxed);
        self.failure.get_or_insert(error);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    pub(crate) fn misuse(&mut self, line: SourceLine, problem: String) {
        let at = self.thread_at(line);
        self.fail(EmulatorError::Misuse { at, problem });
    }

    pub(crate) fn block_at(&self) -> BlockAt {
        BlockAt {
            kernel: self.run.kernel.name.to_owned(),
            block: self.blocks[self.current].device.index,
        }
    }

    pub(crate) fn thread_at(&self, line: SourceLine) -> ThreadAt {
        ThreadAt { block: self.block_at(), thread: self.thread, line }
    }
}
