//! A block that has begun: its threads, warps, barrier and shared memory, and a description of what its
//! threads wait for.

use std::ops::Range;

use super::checker::CheckedBlock;
use super::collective::{self, Collective, Group, Warp};
use super::config::Launch;
use super::error::EmulatorError;
use super::memory::{Buffer, POISON};
use super::order::ReadyQueue;
use super::threads::{DeviceBlock, DeviceThread, LaneOperand, Site, State, Thread};

/// Barriers that ask, by their numbers in `build/include/runtime.h`.
const BARRIER_AND: u32 = 2;
const BARRIER_OR: u32 = 3;

/// The barrier of a block.
#[derive(Default)]
struct Barrier {
    kind: u32,
    /// Threads that have come.
    waiting: u32,
    /// Number of nonzero votes.
    yes: u32,
}

/// A block that has begun.
pub(crate) struct Block {
    pub(crate) device: DeviceBlock,
    /// Index in the grid.
    pub(crate) number: u64,
    pub(crate) threads: Vec<Thread>,
    pub(crate) warps: Vec<Warp>,
    pub(crate) ready: ReadyQueue,
    /// Threads that have not returned.
    pub(crate) live: u32,
    /// Polls since the block was resumed.
    pub(crate) polls: u32,
    pub(crate) dynamic: Buffer,
    /// Its static shared memory while another block runs.
    pub(crate) static_copy: Vec<u8>,
    /// State of the checker, if enabled.
    pub(crate) checked: Option<Box<CheckedBlock>>,
    lanes: u32,
    barrier: Barrier,
}

impl Block {
    /// Allocates a block of such a launch.
    pub(crate) fn new(
        launch: &Launch,
        lanes: u32,
        static_bytes: usize,
    ) -> Result<Box<Self>, EmulatorError> {
        let dynamic = Buffer::new(launch.shared_bytes)?;
        let device = DeviceBlock {
            index: [0; 3],
            block_dim: launch.block,
            grid_dim: launch.grid,
            dynamic_shared: dynamic.base().cast(),
        };
        let mut block = Box::new(Block {
            device,
            number: 0,
            threads: Vec::new(),
            warps: Vec::new(),
            ready: ReadyQueue::default(),
            live: 0,
            polls: 0,
            dynamic,
            static_copy: vec![POISON; static_bytes],
            checked: None,
            lanes,
            barrier: Barrier::default(),
        });
        // Threads point at the block, which stays in its box.
        let device = &raw const block.device;
        block.threads = grid_points(launch.block).map(|index| thread(index, device)).collect();
        let warps = block.threads.chunks(lanes as usize);
        block.warps = warps.map(|threads| warp_of(threads.len())).collect();
        Ok(block)
    }

    /// Resets the state for the start of the block with this index.
    pub(crate) fn begin(&mut self, number: u64) {
        self.number = number;
        self.device.index = grid_point(self.device.grid_dim, number);
        self.live = self.threads.len() as u32;
        self.polls = 0;
        self.barrier = Barrier::default();
        self.ready.fill(self.live);
        self.dynamic.poison();
        self.static_copy.fill(POISON);
        for thread in &mut self.threads {
            thread.state = State::Fresh;
        }
        if let Some(checked) = &mut self.checked {
            checked.begin(number);
        }
        for warp in &mut self.warps {
            warp.exited = 0;
            warp.groups.clear();
        }
    }

    /// The warp and lane of a thread.
    pub(crate) fn lane(&self, thread: u32) -> (usize, u32) {
        ((thread / self.lanes) as usize, thread % self.lanes)
    }

    /// Handles the arrival of a thread at the barrier; returns its result if all have arrived.
    pub(crate) fn arrive(&mut self, kind: u32, yes: bool) -> Result<Option<i32>, String> {
        let barrier = &mut self.barrier;
        if barrier.waiting > 0 && barrier.kind != kind {
            let mine = barrier_name(kind);
            let theirs = barrier_name(barrier.kind);
            return Err(format!("{mine} meets {theirs} of other threads"));
        }
        barrier.kind = kind;
        barrier.waiting += 1;
        barrier.yes += u32::from(yes);
        Ok(self.open_barrier())
    }

    /// Releases all threads if all live threads are at the barrier.
    fn open_barrier(&mut self) -> Option<i32> {
        let Barrier { kind, waiting, yes } = self.barrier;
        if waiting == 0 || waiting < self.live {
            return None;
        }
        let answer = match kind {
            BARRIER_AND => u32::from(yes == waiting),
            BARRIER_OR => u32::from(yes > 0),
            _ => yes,
        };
        self.barrier = Barrier::default();
        if let Some(checked) = &mut self.checked {
            checked.at_barrier();
        }
        for (index, thread) in (0..).zip(&mut self.threads) {
            if let State::AtBarrier(fiber, _) = thread.state {
                thread.state = State::Ready(fiber);
                thread.result = u64::from(answer);
                self.ready.push(index);
            }
        }
        Some(answer.cast_signed())
    }

    /// Handles the arrival of a thread at a warp collective; returns the group if all have arrived.
    pub(crate) fn meet(
        &mut self,
        thread: u32,
        collective: Collective,
        mask: u64,
        width: u32,
        operand: LaneOperand,
    ) -> Result<Option<Group>, String> {
        let (warp, lane) = self.lane(thread);
        self.threads[thread as usize].operand = operand;
        let group = self.warps[warp].arrive(lane, collective, mask, width)?;
        if let Some(group) = &group {
            self.answer(warp, group, thread);
            self.check_warp_sync(warp, group);
        }
        Ok(group)
    }

    fn check_warp_sync(&mut self, warp: usize, group: &Group) {
        let orders = group.collective == Collective::Sync;
        if let Some(checked) = self.checked.as_mut().filter(|_| orders) {
            checked.at_warp_sync(warp, group.mask);
        }
    }

    /// Lets the checker look at the accesses of its threads.
    pub(crate) fn check(&mut self, static_shared: Range<usize>, slot: Range<usize>) {
        let dynamic = self.dynamic.addresses();
        let threads = self.threads.as_ptr_range();
        let device = (&raw const self.device).addr();
        let own = vec![
            threads.start.addr()..threads.end.addr(),
            device..device + size_of::<DeviceBlock>(),
            slot,
        ];
        let threads = self.threads.len();
        let lanes = self.lanes as usize;
        self.checked = Some(CheckedBlock::new(threads, lanes, dynamic, static_shared, own));
    }

    /// Stores the results of a collective; the waiting lanes become ready.
    fn answer(&mut self, warp: usize, group: &Group, last: u32) {
        let first = warp * self.lanes as usize;
        let threads = &mut self.threads[first..];
        let ready = &mut self.ready;
        let mut operands = [LaneOperand::default(); u64::BITS as usize];
        for lane in collective::lanes(group.mask) {
            operands[lane as usize] = threads[lane as usize].operand;
        }
        for (lane, answer) in collective::answers(group, &|lane| operands[lane as usize]) {
            let thread = &mut threads[lane as usize];
            thread.result = answer;
            if let State::AtCollective(fiber, _) = thread.state {
                thread.state = State::Ready(fiber);
                ready.push(first as u32 + lane);
            }
        }
        debug_assert!(matches!(self.threads[last as usize].state, State::Ready(_)));
    }

    /// Handles the return of a thread; returns true if that opened the barrier.
    pub(crate) fn exit(&mut self, thread: u32) -> Result<bool, String> {
        self.threads[thread as usize].state = State::Exited;
        self.live -= 1;
        let (warp, lane) = self.lane(thread);
        self.warps[warp].exit(lane)?;
        Ok(self.open_barrier().is_some())
    }
}

fn thread(index: [u32; 3], block: *const DeviceBlock) -> Thread {
    Thread {
        device: DeviceThread { index, slice: 0, block },
        state: State::Fresh,
        operand: LaneOperand::default(),
        result: 0,
    }
}

fn warp_of(threads: usize) -> Warp {
    Warp { existing: u64::MAX >> (u64::BITS as usize - threads), ..Warp::default() }
}

/// The points of a box, x first.
fn grid_points(size: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let points = size.iter().map(|&n| u64::from(n)).product();
    (0..points).map(move |index| grid_point(size, index))
}

fn grid_point([x, y, _]: [u32; 3], number: u64) -> [u32; 3] {
    let x = u64::from(x);
    let y = u64::from(y);
    // Each is less than a 32-bit size.
    [number % x, number / x % y, number / x / y].map(|n| n as u32)
}

/// Barriers: `EmulatorBarrier` in `build/include/runtime.h`.
const BARRIER_NAMES: [&str; 4] =
    ["__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"];

fn barrier_name(kind: u32) -> &'static str {
    BARRIER_NAMES.get(kind as usize).copied().unwrap_or("a barrier")
}

impl Block {
    /// Lists the waiting threads, for example `threads 0-31 at __syncthreads (a.cu:7)`.
    pub(crate) fn waiting(&self) -> String {
        let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
        for (index, thread) in (0..).zip(&self.threads) {
            let Some(what) = self.activity(index, thread) else {
                continue;
            };
            match groups.iter_mut().find(|(known, _)| *known == what) {
                Some((_, threads)) => threads.push(index),
                None => groups.push((what, vec![index])),
            }
        }
        let described =
            |(what, threads): &(String, Vec<u32>)| format!("threads {} {what}", ranges(threads));
        groups.iter().map(described).collect::<Vec<_>>().join("; ")
    }

    fn activity(&self, number: u32, thread: &Thread) -> Option<String> {
        let at = |name: &str, site: Site| format!("wait at {name} in {}", site.source_line());
        match thread.state {
            State::AtBarrier(_, site) => Some(at(barrier_name(self.barrier.kind), site)),
            State::AtCollective(_, site) => {
                let (warp, lane) = self.lane(number);
                let here = |group: &&Group| group.arrived >> lane & 1 == 1;
                let group = self.warps[warp].groups.iter().find(here)?;
                let Group { collective, mask, .. } = group;
                Some(at(&format!("{} with mask {mask:#x}", collective.name()), site))
            }
            State::Exited => Some("have returned".to_owned()),
            State::Fresh | State::Ready(_) => None,
        }
    }
}

/// `0-31, 40`.
fn ranges(numbers: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let described = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    parts.iter().map(described).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_along_x_first() {
        let points: Vec<_> = grid_points([2, 1, 2]).collect();
        assert_eq!(points, [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]]);
    }

    #[test]
    fn numbers_are_printed_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    }
}
