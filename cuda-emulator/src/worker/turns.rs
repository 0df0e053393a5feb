//! Choice of the running block.
//!
//! Blocks start in the order of their indices. A block runs until it has finished or only polls;
//! with random choices, several blocks alternate.

use std::ptr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Run, Worker};
use crate::block::Block;
use crate::error::EmulatorError;
use crate::fiber::MAX_STACKS;
use crate::threads::DeviceThread;

/// Blocks of a worker that have begun and not finished.
const MAX_BLOCKS: usize = 16;
/// Number of blocks that run concurrently with random choices.
const CONCURRENT_BLOCKS: usize = 4;
/// With random choices, another block runs after this many choices on average: more than a block
/// that only polls needs, or most of the time would be spent on polls.
const CHOICES_PER_BLOCK: usize = 256;
/// Number of polls after which a block without progress yields to others.
const POLLS_BEFORE_YIELD: u32 = 16;
/// Polls for other workers after which it pays to sleep.
const POLLS_UNTIL_SLEEP: u64 = 1 << 12;
const SLEEP: Duration = Duration::from_micros(50);

impl Worker<'_> {
    /// Handles a block without ready threads: starts another block, or finishes this one. Returns
    /// true if there is anything left to do.
    pub(super) fn settle(&mut self) -> Result<bool, EmulatorError> {
        if let Some(block) = self.blocks.get(self.current) {
            if block.live > 0 {
                return Err(EmulatorError::Deadlock {
                    at: self.block_at(),
                    waiting: block.waiting(),
                });
            }
            self.retire_block();
        }
        let wanted = if self.policy().is_random() { CONCURRENT_BLOCKS } else { 1 };
        let wanted = wanted.min(self.max_blocks());
        while self.blocks.len() < wanted && self.begin_block()? {}
        Ok(!self.blocks.is_empty())
    }

    /// Maximum number of blocks for which there are stacks.
    fn max_blocks(&self) -> usize {
        let threads = self.run.launch.threads() as usize;
        let share = MAX_STACKS / self.run.workers / threads;
        share.clamp(1, MAX_BLOCKS)
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
        let Run { launch, config, kernel, .. } = self.run;
        let mut block = Block::new(launch, config.lanes.count(), kernel.shared.size)?;
        if self.checker.is_some() {
            let shared = self.static_shared.addr();
            let slot = self.slot.addr();
            let shared = shared..shared + kernel.shared.size;
            block.check(shared, slot..slot + size_of::<*const DeviceThread>());
        }
        Ok(block)
    }

    fn retire_block(&mut self) {
        self.statistics.blocks += 1;
        self.run.progress.fetch_add(1, Ordering::Relaxed);
        self.spare.push(self.blocks.swap_remove(self.current));
        if !self.blocks.is_empty() {
            self.enter_block(0);
        }
    }

    /// All blocks of a host thread share the static shared memory: saves the block's content.
    fn leave_block(&mut self) {
        if let Some(block) = self.blocks.get_mut(self.current) {
            let copy = &mut block.static_copy;
            // SAFETY: both regions have the bytes of the shared memory of the kernel's file, and
            // they don't overlap.
            unsafe { ptr::copy_nonoverlapping(self.static_shared, copy.as_mut_ptr(), copy.len()) };
        }
    }

    fn enter_block(&mut self, index: usize) {
        self.current = index;
        let block = &mut self.blocks[index];
        block.polls = 0;
        let copy = &block.static_copy;
        // SAFETY: both regions have the bytes of the shared memory of the kernel's file, and they
        // don't overlap.
        unsafe { ptr::copy_nonoverlapping(copy.as_ptr(), self.static_shared, copy.len()) };
    }

    /// Switches to another block, at random or because this one only polls.
    pub(super) fn perhaps_turn(&mut self) -> Result<(), EmulatorError> {
        let Some(block) = self.blocks.get(self.current) else {
            return Ok(());
        };
        let polled = block.polls >= POLLS_BEFORE_YIELD;
        let by_chance = || self.policy().is_random() && self.blocks.len() > 1;
        if polled || (by_chance() && self.random.below(CHOICES_PER_BLOCK) == 0) {
            self.turn(polled)?;
        }
        Ok(())
    }

    fn turn(&mut self, polled: bool) -> Result<(), EmulatorError> {
        let next = self.current + 1;
        let last = next == self.blocks.len();
        if last && self.blocks.len() < self.max_blocks() && self.begin_block()? {
            return Ok(());
        }
        if polled && self.run.at_work.load(Ordering::Relaxed) > 1 {
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
}
