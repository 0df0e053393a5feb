//! A block that has begun: its threads, warps, barrier and shared memory.

use std::ops::Range;

use super::checker::CheckedBlock;
use super::config::Launch;
use super::error::EmulatorError;
use super::memory::{Buffer, POISON};
use super::order::ReadyQueue;
use super::threads::{DeviceBlock, DeviceThread, Offer, Site, State, Thread};
use super::warp::{self, Collective, Group, Warp};

/// Barriers: `EmulatorBarrier` in `emulator/runtime.h`.
const BARRIER_NAMES: [&str; 4] = [
    "__syncthreads",
    "__syncthreads_count",
    "__syncthreads_and",
    "__syncthreads_or",
];
const BARRIER_AND: u32 = 2;
const BARRIER_OR: u32 = 3;

/// The barrier of a block.
#[derive(Default)]
struct Barrier {
    kind: u32,
    /// Threads that have come.
    waiting: u32,
    /// How many of them said yes.
    yes: u32,
}

/// A block that has begun.
pub(super) struct Block {
    pub(super) device: DeviceBlock,
    /// Its number in the grid.
    pub(super) number: u64,
    pub(super) threads: Vec<Thread>,
    pub(super) warps: Vec<Warp>,
    pub(super) ready: ReadyQueue,
    /// Threads that have not returned.
    pub(super) live: u32,
    /// Polls since the block had its turn.
    pub(super) polls: u32,
    pub(super) dynamic: Buffer,
    /// Its static shared memory while another block has its turn.
    pub(super) static_copy: Vec<u8>,
    /// What the checker knows of it, if there is one.
    pub(super) checked: Option<Box<CheckedBlock>>,
    lanes: u32,
    barrier: Barrier,
}

impl Block {
    /// Room for a block of such a launch.
    pub(super) fn new(
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
        block.threads = grid_points(launch.block)
            .map(|index| thread(index, device))
            .collect();
        let warps = block.threads.chunks(lanes as usize);
        block.warps = warps.map(|threads| warp_of(threads.len())).collect();
        Ok(block)
    }

    /// Becomes the block of that number, with nothing done yet.
    pub(super) fn begin(&mut self, number: u64) {
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
    pub(super) fn lane(&self, thread: u32) -> (usize, u32) {
        ((thread / self.lanes) as usize, thread % self.lanes)
    }

    /// A thread comes to the barrier: its answer, if all are there now.
    ///
    /// # Errors
    /// If others wait at another kind of barrier.
    pub(super) fn arrive(&mut self, kind: u32, yes: bool) -> Result<Option<i32>, String> {
        let barrier = &mut self.barrier;
        if barrier.waiting > 0 && barrier.kind != kind {
            let name = |kind: u32| BARRIER_NAMES.get(kind as usize).unwrap_or(&"?");
            let (mine, theirs) = (name(kind), name(barrier.kind));
            return Err(format!("{mine} meets {theirs} of other threads"));
        }
        barrier.kind = kind;
        barrier.waiting += 1;
        barrier.yes += u32::from(yes);
        Ok(self.open_barrier())
    }

    /// Lets everybody go on if all live threads are at the barrier.
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
        for (number, thread) in (0..).zip(&mut self.threads) {
            if let State::AtBarrier(fiber, _) = thread.state {
                thread.state = State::Ready(fiber);
                thread.result = u64::from(answer);
                self.ready.push(number);
            }
        }
        Some(answer.cast_signed())
    }

    /// A thread comes to a warp collective: the meeting, if all are there now.
    pub(super) fn meet(
        &mut self,
        thread: u32,
        collective: Collective,
        mask: u64,
        width: u32,
        offer: Offer,
    ) -> Result<Option<Group>, String> {
        let (warp, lane) = self.lane(thread);
        self.threads[thread as usize].offer = offer;
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
    pub(super) fn check(&mut self, static_shared: Range<usize>, slot: Range<usize>) {
        let dynamic = self.dynamic.addresses();
        let threads = self.threads.as_ptr_range();
        let device = (&raw const self.device).addr();
        let own = vec![
            threads.start.addr()..threads.end.addr(),
            device..device + size_of::<DeviceBlock>(),
            slot,
        ];
        let (threads, lanes) = (self.threads.len(), self.lanes as usize);
        self.checked = Some(CheckedBlock::new(
            threads,
            lanes,
            dynamic,
            static_shared,
            own,
        ));
    }

    /// Gives all of a meeting their answers; those that waited can go on.
    fn answer(&mut self, warp: usize, group: &Group, last: u32) {
        let first = warp * self.lanes as usize;
        let (threads, ready) = (&mut self.threads[first..], &mut self.ready);
        let mut offers = [Offer::default(); u64::BITS as usize];
        for lane in warp::lanes(group.mask) {
            offers[lane as usize] = threads[lane as usize].offer;
        }
        for (lane, answer) in warp::answers(group, &|lane| offers[lane as usize]) {
            let thread = &mut threads[lane as usize];
            thread.result = answer;
            if let State::AtCollective(fiber, _) = thread.state {
                thread.state = State::Ready(fiber);
                ready.push(first as u32 + lane);
            }
        }
        debug_assert!(matches!(self.threads[last as usize].state, State::Ready(_)));
    }

    /// A thread returns; says whether that opened the barrier.
    ///
    /// # Errors
    /// If lanes of its warp wait for it.
    pub(super) fn exit(&mut self, thread: u32) -> Result<bool, String> {
        self.threads[thread as usize].state = State::Exited;
        self.live -= 1;
        let (warp, lane) = self.lane(thread);
        self.warps[warp].exit(lane)?;
        Ok(self.open_barrier().is_some())
    }

    /// Which threads wait where, for a report: `threads 0-31 at __syncthreads (a.cu:7)`.
    pub(super) fn waiting(&self) -> String {
        let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
        for (number, thread) in (0..).zip(&self.threads) {
            let Some(what) = self.activity(number, thread) else {
                continue;
            };
            match groups.iter_mut().find(|(known, _)| *known == what) {
                Some((_, threads)) => threads.push(number),
                None => groups.push((what, vec![number])),
            }
        }
        let say =
            |(what, threads): &(String, Vec<u32>)| format!("threads {} {what}", ranges(threads));
        groups.iter().map(say).collect::<Vec<_>>().join("; ")
    }

    fn activity(&self, number: u32, thread: &Thread) -> Option<String> {
        let at = |name: &str, site: Site| format!("wait at {name} in {}", site.source_line());
        match thread.state {
            State::AtBarrier(_, site) => {
                let name = BARRIER_NAMES.get(self.barrier.kind as usize);
                Some(at(name.unwrap_or(&"a barrier"), site))
            }
            State::AtCollective(_, site) => {
                let (warp, lane) = self.lane(number);
                let here = |group: &&Group| group.arrived >> lane & 1 == 1;
                let group = self.warps[warp].groups.iter().find(here)?;
                let Group {
                    collective, mask, ..
                } = group;
                Some(at(
                    &format!("{} with mask {mask:#x}", collective.name()),
                    site,
                ))
            }
            State::Exited => Some("have returned".to_owned()),
            State::Fresh | State::Ready(_) => None,
        }
    }
}

fn thread(index: [u32; 3], block: *const DeviceBlock) -> Thread {
    Thread {
        device: DeviceThread {
            index,
            slice: 0,
            block,
        },
        state: State::Fresh,
        offer: Offer::default(),
        result: 0,
    }
}

fn warp_of(threads: usize) -> Warp {
    Warp {
        existing: u64::MAX >> (u64::BITS as usize - threads),
        ..Warp::default()
    }
}

/// The points of a box, x first.
fn grid_points(size: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let points = size.iter().map(|&n| u64::from(n)).product();
    (0..points).map(move |number| grid_point(size, number))
}

fn grid_point([x, y, _]: [u32; 3], number: u64) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    // Each is less than a 32-bit size.
    [number % x, number / x % y, number / x / y].map(|n| n as u32)
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
    let say = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    parts.iter().map(say).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_shortly() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    }

    #[test]
    fn points_go_along_x_first() {
        let points: Vec<_> = grid_points([2, 1, 2]).collect();
        assert_eq!(points, [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]]);
    }
}
