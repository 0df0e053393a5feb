//! Looks at each access of a kernel: is it in the kernel's memory, has somebody
//! written what is read, and what orders it after the accesses of others?
//!
//! | module | holds |
//! |---|---|
//! | `knowledge` | what is known to have happened before |
//! | `shadow` | who last read and wrote each word |
//! | `spaces` | global, dynamic shared and static shared memory |
//! | `lines` | program counters to lines of source |

mod knowledge;
mod lines;
mod shadow;
mod spaces;

use std::collections::BTreeMap;
use std::ops::Range;

use knowledge::{Clocks, Knowledge};
use lines::Image;
use shadow::Trace;
use spaces::{Found, Space};

use super::error::{BadAccess, Fault, MemoryPlace, OtherAccess, SourceLine};
use super::memory::DeviceMemory;

/// What an access does: bits of `EmulatorAccess` in `emulator/runtime.h`.
#[derive(Clone, Copy)]
pub(super) struct How(pub(super) u32);

impl How {
    fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    fn writes(self) -> bool {
        self.has(1)
    }

    fn reads(self) -> bool {
        self.has(2)
    }

    /// Whether no two of such race.
    pub(super) fn atomic(self) -> bool {
        self.has(4)
    }

    fn acquires(self) -> bool {
        self.has(8)
    }

    fn releases(self) -> bool {
        self.has(16)
    }

    /// Whether it may be a poll that the kernel doesn't call one.
    pub(super) fn volatile(self) -> bool {
        self.has(64)
    }

    /// Whether any address will do.
    fn unaligned(self) -> bool {
        self.has(32)
    }
}

/// An access as the compiler announces it.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) address: usize,
    pub(super) bytes: usize,
    pub(super) how: How,
    /// Where the announcement returns to.
    pub(super) pc: usize,
    /// The thread's number in its block.
    pub(super) thread: u32,
}

/// What is known of a launch.
pub(super) struct Checker {
    image: Image,
    global: Vec<(usize, Space)>,
    /// What was published at addresses of global memory.
    published: BTreeMap<usize, Knowledge>,
}

/// What is known of a block.
pub(super) struct CheckedBlock {
    clocks: Clocks,
    threads: usize,
    lanes: usize,
    dynamic_shared: Space,
    static_shared: Space,
    /// What was published at addresses of shared memory.
    published: BTreeMap<usize, Knowledge>,
    /// What kernels read of themselves: no memory of theirs.
    own: Vec<Range<usize>>,
}

/// An access that must not be, and the line that does it.
pub(super) type Finding = (SourceLine, BadAccess);

impl Checker {
    /// Nothing has happened yet; what the host has written is taken over.
    pub(super) fn new(memory: &mut DeviceMemory) -> Self {
        let global = memory.regions.iter_mut().map(|region| {
            let written = std::mem::take(&mut region.written);
            let base = region.buffer.base() as usize;
            (region.number, Space::new(base, written))
        });
        Checker {
            image: Image::of_this_program(),
            global: global.collect(),
            published: BTreeMap::new(),
        }
    }

    /// Gives back what was taken over, with what kernels have written.
    pub(super) fn finish(self, memory: &mut DeviceMemory) {
        for (region, (_, space)) in memory.regions.iter_mut().zip(self.global) {
            region.written = space.into_written();
        }
    }

    /// Looks at an access.
    ///
    /// # Errors
    /// If it must not be.
    pub(super) fn access(
        &mut self,
        block: &mut CheckedBlock,
        stack: &Range<usize>,
        access: Access,
    ) -> Result<(), Box<Finding>> {
        let Access {
            address,
            bytes,
            how,
            ..
        } = access;
        if stack.contains(&address) || block.own.iter().any(|own| own.contains(&address)) {
            return Ok(());
        }
        let Some((found, place)) = self.find(block, address, bytes) else {
            // Constants.
            let inside = self.image.addresses.contains(&address) && !how.writes();
            let place = self.nearest(block, address);
            let wrong = || self.finding(access, Fault::OutOfBounds, place);
            return if inside { Ok(()) } else { Err(wrong()) };
        };
        if !how.unaligned() && !address.is_multiple_of(bytes) {
            return Err(self.finding(access, Fault::Misaligned, place));
        }
        // Before what it publishes, which covers the access itself.
        let trace = self.trace(block, access);
        self.synchronise(block, access, matches!(found, Found::Global(_)));
        let CheckedBlock {
            clocks,
            dynamic_shared,
            static_shared,
            ..
        } = block;
        let space = match found {
            Found::Global(index) => &mut self.global[index].1,
            Found::Dynamic => dynamic_shared,
            Found::Static => static_shared,
        };
        if how.reads() && !space.is_written(address, bytes) {
            return Err(self.finding(access, Fault::Uninitialised, place));
        }
        // A block has at most 1024 threads.
        let happened = |moment: &knowledge::Moment| clocks.happened(moment, access.thread as u16);
        let conflict = space.access(address, bytes, trace, how.writes(), &happened);
        conflict.map_or(Ok(()), |conflict| {
            let place = place.moved_to(conflict.offset);
            let race = Fault::Race(OtherAccess {
                block: u64::from(conflict.trace.moment.block),
                thread: u32::from(conflict.trace.moment.thread),
                wrote: conflict.wrote,
                line: self.image.line(conflict.trace.pc),
            });
            Err(self.finding(access, race, place))
        })
    }

    fn find(
        &self,
        block: &CheckedBlock,
        address: usize,
        bytes: usize,
    ) -> Option<(Found, MemoryPlace)> {
        let inside = |space: &Space| space.contains(address, bytes);
        let found = if inside(&block.dynamic_shared) {
            Found::Dynamic
        } else if inside(&block.static_shared) {
            Found::Static
        } else {
            Found::Global(self.global.iter().position(|(_, space)| inside(space))?)
        };
        Some((found, self.place(block, found, address)))
    }

    fn place(&self, block: &CheckedBlock, found: Found, address: usize) -> MemoryPlace {
        match found {
            Found::Global(index) => {
                let (allocation, space) = &self.global[index];
                MemoryPlace::Global {
                    allocation: *allocation,
                    offset: space.offset(address),
                    size: space.size(),
                }
            }
            Found::Dynamic => MemoryPlace::DynamicShared {
                offset: block.dynamic_shared.offset(address),
                size: block.dynamic_shared.size(),
            },
            Found::Static => MemoryPlace::StaticShared {
                offset: block.static_shared.offset(address),
            },
        }
    }

    /// The memory that was probably meant by an address outside of all.
    fn nearest(&self, block: &CheckedBlock, address: usize) -> MemoryPlace {
        let global = self.global.iter().enumerate();
        let global = global.map(|(index, (_, space))| (Found::Global(index), space));
        let all = global.chain([(Found::Dynamic, &block.dynamic_shared)]);
        let near = all.filter_map(|(found, space)| Some((space.near(address)?, found)));
        let nearest = near.min_by_key(|(distance, _)| *distance);
        nearest.map_or(MemoryPlace::Unknown { address }, |(_, found)| {
            self.place(block, found, address)
        })
    }

    /// An atomic access sees what was published at its address, and publishes.
    fn synchronise(&mut self, block: &mut CheckedBlock, access: Access, global: bool) {
        let Access { address, how, .. } = access;
        if !how.atomic() {
            return;
        }
        let thread = access.thread as u16;
        let published = if global {
            &mut self.published
        } else {
            &mut block.published
        };
        if let Some(known) = published.get(&address).filter(|_| how.reads()) {
            block.clocks.sees(thread, known, how.acquires());
        }
        if !how.writes() {
            return;
        }
        let mine = block.clocks.publishes(thread, how.releases());
        match mine {
            // What is read and written at once carries on what was published.
            Some(mine) if how.reads() => published.entry(address).or_default().merge(&mine),
            Some(mine) => drop(published.insert(address, mine)),
            None if how.reads() => (),
            None => drop(published.remove(&address)),
        }
    }

    fn trace(&self, block: &CheckedBlock, access: Access) -> Trace {
        Trace {
            moment: block.clocks.now(access.thread as u16),
            pc: self.image.shorten(access.pc),
            atomic: access.how.atomic(),
        }
    }

    fn finding(&self, access: Access, fault: Fault, place: MemoryPlace) -> Box<Finding> {
        let line = self.image.line(self.image.shorten(access.pc));
        let bad = BadAccess {
            fault,
            bytes: access.bytes,
            writes: access.how.writes(),
            place,
        };
        Box::new((line, bad))
    }
}

impl CheckedBlock {
    /// A block with shared memory in these places.
    pub(super) fn new(
        threads: usize,
        lanes: usize,
        dynamic_shared: Range<usize>,
        static_shared: Range<usize>,
        own: Vec<Range<usize>>,
    ) -> Box<Self> {
        let space = |range: Range<usize>| Space::new(range.start, vec![false; range.len()]);
        Box::new(CheckedBlock {
            clocks: Clocks::new(0, threads, lanes),
            threads,
            lanes,
            dynamic_shared: space(dynamic_shared),
            static_shared: space(static_shared),
            published: BTreeMap::new(),
            own,
        })
    }

    /// Nothing has happened yet in the block of that number.
    pub(super) fn begin(&mut self, number: u64) {
        // More blocks than that take longer than anybody waits for a check.
        self.clocks = Clocks::new(number as u32, self.threads, self.lanes);
        self.dynamic_shared.clear();
        self.static_shared.clear();
        self.published.clear();
    }

    pub(super) fn at_barrier(&mut self) {
        self.clocks.at_barrier();
    }

    pub(super) fn at_warp_sync(&mut self, warp: usize, mask: u64) {
        self.clocks.at_warp_sync(warp, mask);
    }

    pub(super) fn at_fence(&mut self, thread: u32) {
        self.clocks.at_fence(thread as u16);
    }
}
