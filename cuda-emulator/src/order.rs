//! Choice of the next thread.

use std::collections::VecDeque;

use super::config::{Policy, Schedule};

/// The generator splitmix64, sufficient to shuffle the order of threads.
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator for each worker.
    pub(super) fn new(schedule: Schedule, worker: usize) -> Self {
        let mut random = SplitMix64(schedule.seed);
        SplitMix64(random.next() ^ worker as u64)
    }

    /// Random numbers for choices outside of workers.
    pub(super) fn with_seed(seed: u64) -> Self {
        SplitMix64(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.next()) * end as u128;
        // Less than `end`.
        (wide >> 64) as usize
    }
}

/// Factor by which a polling thread is chosen less often at random than one that makes progress.
const POLLING_RARITY: usize = 16;

/// The ready threads of a block.
#[derive(Default)]
pub(super) struct ReadyQueue {
    threads: VecDeque<u32>,
    /// Polling threads, with random choices: otherwise they would be chosen nearly always.
    polling: VecDeque<u32>,
}

impl ReadyQueue {
    /// All threads of a block, in order.
    pub(super) fn fill(&mut self, threads: u32) {
        self.polling.clear();
        self.threads.clear();
        self.threads.extend(0..threads);
    }

    /// Adds a ready thread.
    pub(super) fn push(&mut self, thread: u32) {
        self.threads.push_back(thread);
    }

    /// Adds a thread without progress: all others run first.
    pub(super) fn push_last(&mut self, thread: u32, policy: Policy) {
        match policy {
            Policy::Reverse => self.threads.push_front(thread),
            Policy::InOrder => self.threads.push_back(thread),
            Policy::Random | Policy::Preempting => self.polling.push_back(thread),
        }
    }

    pub(super) fn pop(&mut self, policy: Policy, random: &mut SplitMix64) -> Option<u32> {
        match policy {
            Policy::InOrder => self.threads.pop_front(),
            Policy::Reverse => self.threads.pop_back(),
            Policy::Random | Policy::Preempting => {
                let polls = self.threads.is_empty()
                    || (!self.polling.is_empty() && random.below(POLLING_RARITY) == 0);
                let threads = if polls { &mut self.polling } else { &mut self.threads };
                threads.swap_remove_front(random.below(threads.len()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(policy: Policy, seed: u64) -> Vec<u32> {
        let mut random = SplitMix64::new(Schedule { seed, policy }, 0);
        let mut queue = ReadyQueue::default();
        queue.fill(50);
        std::iter::from_fn(|| queue.pop(policy, &mut random)).collect()
    }

    #[test]
    fn every_thread_is_chosen_once_in_an_order_by_seed() {
        assert!(order(Policy::InOrder, 1).is_sorted());
        assert!(order(Policy::Reverse, 1).iter().rev().is_sorted());
        let mut shuffled = order(Policy::Random, 1);
        assert_eq!(shuffled, order(Policy::Random, 1));
        assert_ne!(shuffled, order(Policy::Random, 2));
        shuffled.sort_unstable();
        assert!(shuffled.into_iter().eq(0..50));
    }

    #[test]
    fn polling_threads_are_chosen_rarely() {
        for policy in Policy::ALL {
            let mut random = SplitMix64::new(Schedule { seed: 1, policy }, 0);
            let mut queue = ReadyQueue::default();
            queue.push(0);
            queue.push_last(1, policy);
            let mut turns = [0; 2];
            for _ in 0..1_000 {
                let thread = queue.pop(policy, &mut random).expect("two");
                turns[thread as usize] += 1;
                if thread == 0 { queue.push(0) } else { queue.push_last(1, policy) }
            }
            let by_chance = policy.is_random();
            assert!(turns[1] > 0 || policy == Policy::Reverse, "{policy:?}: {turns:?}");
            assert!(!by_chance || turns[1] < turns[0] / 8, "{policy:?}: {turns:?}");
        }
    }
}
