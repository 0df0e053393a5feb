//! Checks each access of a kernel: it must be inside the kernel's memory, read only written memory,
//! and be ordered after conflicting accesses of others.
//!
//! | module | content |
//! |---|---|
//! | `clocks` | the clocks of the threads of a block |
//! | `spaces` | global, dynamic shared and static shared memory, and the last users of each word |
//! | `lines` | program counters to lines of source |

mod clocks;
mod lines;
mod spaces;

use std::collections::BTreeMap;
use std::ops::Range;

use self::clocks::{AccessTime, Clocks, VectorClock};
use self::lines::Image;
use self::spaces::{Space, SpaceId, Trace};
use super::error::{BadAccess, Fault, MemoryLocation, OtherAccess, SourceLine};
use super::memory::DeviceMemory;
use super::traffic::{LaunchTraffic, LaunchUses};

/// State of the checker for a launch.
pub(super) struct Checker {
    image: Image,
    global: Vec<(usize, Space)>,
    /// One entry per allocation; empty if traffic is not counted.
    uses: Vec<LaunchUses>,
    /// Clocks published at addresses of global memory.
    published: BTreeMap<usize, VectorClock>,
}

/// An access that must not be, and the line that does it.
pub(super) type Finding = (SourceLine, BadAccess);

impl Checker {
    /// Starts without accesses; takes the record of written bytes from `memory`.
    pub(super) fn new(memory: &mut DeviceMemory) -> Self {
        let global = memory.regions.iter_mut().map(|region| {
            let written = std::mem::take(&mut region.written);
            let base = region.buffer.base() as usize;
            (region.number, Space::new(base, written))
        });
        let global = global.collect();
        let uses = memory.counter.as_ref().map_or_else(Vec::new, |counter| {
            let uses = memory.regions.iter_mut().map(|region| std::mem::take(&mut region.uses));
            uses.map(|uses| counter.launch_uses(uses)).collect()
        });
        Checker { image: Image::for_this_program(), global, uses, published: BTreeMap::new() }
    }

    /// Returns the record of written bytes to `memory`, with the kernel's writes; returns the
    /// counted traffic.
    pub(super) fn finish(self, memory: &mut DeviceMemory) -> LaunchTraffic {
        for (region, (_, space)) in memory.regions.iter_mut().zip(self.global) {
            region.written = space.into_written();
        }
        let mut traffic = LaunchTraffic::default();
        for (region, uses) in memory.regions.iter_mut().zip(self.uses) {
            region.uses = uses.end(&mut traffic);
        }
        traffic
    }

    /// Looks at an access.
    pub(super) fn access(
        &mut self,
        block: &mut CheckedBlock,
        stack: &Range<usize>,
        access: Access,
    ) -> Result<(), Box<Finding>> {
        let Access { address, bytes, flags, .. } = access;
        if stack.contains(&address) || block.own.iter().any(|own| own.contains(&address)) {
            return Ok(());
        }
        let Some((found, location)) = self.find(block, address, bytes) else {
            // Constants.
            let inside = self.image.addresses.contains(&address) && !flags.writes();
            let location = self.nearest(block, address);
            let wrong = || self.finding(access, Fault::OutOfBounds, location);
            return if inside { Ok(()) } else { Err(wrong()) };
        };
        if !flags.unaligned() && !address.is_multiple_of(bytes) {
            return Err(self.finding(access, Fault::Misaligned, location));
        }
        // Before publishing, which covers the access itself.
        let trace = self.trace(block, access);
        self.synchronise(block, access, matches!(found, SpaceId::Global(_)));
        let CheckedBlock { clocks, dynamic_shared, static_shared, .. } = block;
        let space = match found {
            SpaceId::Global(index) => {
                let space = &mut self.global[index].1;
                if let Some(uses) = self.uses.get_mut(index) {
                    let offset = address - space.base();
                    uses.access(offset..offset + bytes, flags.reads(), flags.writes());
                }
                space
            }
            SpaceId::Dynamic => dynamic_shared,
            SpaceId::Static => static_shared,
        };
        if flags.reads() && !space.is_written(address, bytes) {
            return Err(self.finding(access, Fault::Uninitialised, location));
        }
        // A block has at most 1024 threads.
        let happened = |time: &AccessTime| clocks.happened(time, access.thread as u16);
        let conflict = space.access(address, bytes, trace, flags.writes(), &happened);
        conflict.map_or(Ok(()), |(conflict, address)| {
            let location = self.location(block, found, address);
            let race = Fault::Race(OtherAccess {
                block: u64::from(conflict.trace.time.block),
                thread: u32::from(conflict.trace.time.thread),
                wrote: conflict.wrote,
                line: self.image.line(conflict.trace.pc),
            });
            Err(self.finding(access, race, location))
        })
    }

    fn find(
        &self,
        block: &CheckedBlock,
        address: usize,
        bytes: usize,
    ) -> Option<(SpaceId, MemoryLocation)> {
        let inside = |space: &Space| space.contains(address, bytes);
        let found = if inside(&block.dynamic_shared) {
            SpaceId::Dynamic
        } else if inside(&block.static_shared) {
            SpaceId::Static
        } else {
            SpaceId::Global(self.global.iter().position(|(_, space)| inside(space))?)
        };
        Some((found, self.location(block, found, address)))
    }

    fn location(&self, block: &CheckedBlock, found: SpaceId, address: usize) -> MemoryLocation {
        match found {
            SpaceId::Global(index) => {
                let (allocation, space) = &self.global[index];
                MemoryLocation::Global {
                    allocation: *allocation,
                    offset: space.offset(address),
                    size: space.size(),
                }
            }
            SpaceId::Dynamic => MemoryLocation::DynamicShared {
                offset: block.dynamic_shared.offset(address),
                size: block.dynamic_shared.size(),
            },
            SpaceId::Static => {
                MemoryLocation::StaticShared { offset: block.static_shared.offset(address) }
            }
        }
    }

    /// The closest memory to an address outside of all.
    fn nearest(&self, block: &CheckedBlock, address: usize) -> MemoryLocation {
        let global = self.global.iter().enumerate();
        let global = global.map(|(index, (_, space))| (SpaceId::Global(index), space));
        let all = global.chain([(SpaceId::Dynamic, &block.dynamic_shared)]);
        let near = all.filter_map(|(found, space)| Some((space.near(address)?, found)));
        let nearest = near.min_by_key(|(distance, _)| *distance);
        nearest.map_or(MemoryLocation::Unknown { address }, |(_, found)| {
            self.location(block, found, address)
        })
    }

    /// Synchronises an atomic access with the clock published at its address, and publishes its
    /// own.
    fn synchronise(&mut self, block: &mut CheckedBlock, access: Access, global: bool) {
        let Access { address, flags, .. } = access;
        if !flags.atomic() {
            return;
        }
        let thread = access.thread as u16;
        let published = if global { &mut self.published } else { &mut block.published };
        if let Some(known) = published.get(&address).filter(|_| flags.reads()) {
            block.clocks.sees(thread, known, flags.acquires());
        }
        if !flags.writes() {
            return;
        }
        let mine = block.clocks.publishes(thread, flags.releases());
        match mine {
            // A read-modify-write continues the release sequence.
            Some(mine) if flags.reads() => published.entry(address).or_default().merge(&mine),
            Some(mine) => drop(published.insert(address, mine)),
            None if flags.reads() => (),
            None => drop(published.remove(&address)),
        }
    }

    fn trace(&self, block: &CheckedBlock, access: Access) -> Trace {
        Trace {
            time: block.clocks.now(access.thread as u16),
            pc: self.image.shorten(access.pc),
            atomic: access.flags.atomic(),
        }
    }

    fn finding(&self, access: Access, fault: Fault, location: MemoryLocation) -> Box<Finding> {
        let line = self.image.line(self.image.shorten(access.pc));
        let bad = BadAccess { fault, bytes: access.bytes, writes: access.flags.writes(), location };
        Box::new((line, bad))
    }
}

/// Properties of an access: bits of `EmulatorAccess` in `build/include/runtime.h`.
#[derive(Clone, Copy)]
pub(crate) struct AccessFlags(pub(crate) u32);

impl AccessFlags {
    fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    fn writes(self) -> bool {
        self.has(1)
    }

    fn reads(self) -> bool {
        self.has(2)
    }

    /// True if two such accesses don't race.
    pub(crate) fn atomic(self) -> bool {
        self.has(4)
    }

    fn acquires(self) -> bool {
        self.has(8)
    }

    fn releases(self) -> bool {
        self.has(16)
    }

    /// True if it may be a poll that the kernel doesn't mark as one.
    pub(crate) fn volatile(self) -> bool {
        self.has(64)
    }

    /// True if any address is allowed.
    fn unaligned(self) -> bool {
        self.has(32)
    }
}

/// An access, as announced by code that the compiler inserts.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) flags: AccessFlags,
    /// Return address of the announcement.
    pub(crate) pc: usize,
    /// The thread's number in its block.
    pub(crate) thread: u32,
}

/// The clocks of a block, and its shared memory.
pub(crate) struct CheckedBlock {
    clocks: Clocks,
    threads: usize,
    lanes: usize,
    dynamic_shared: Space,
    static_shared: Space,
    /// Clocks published at addresses of shared memory.
    published: BTreeMap<usize, VectorClock>,
    /// Memory that kernels read of their own parameters, which is not device memory.
    own: Vec<Range<usize>>,
}

impl CheckedBlock {
    /// Creates the state of a block with shared memory at these addresses.
    pub(crate) fn new(
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
    pub(crate) fn begin(&mut self, number: u64) {
        // Checking more blocks than that would take too long in any case.
        self.clocks = Clocks::new(number as u32, self.threads, self.lanes);
        self.dynamic_shared.clear();
        self.static_shared.clear();
        self.published.clear();
    }

    pub(crate) fn at_barrier(&mut self) {
        self.clocks.at_barrier();
    }

    pub(crate) fn at_warp_sync(&mut self, warp: usize, mask: u64) {
        self.clocks.at_warp_sync(warp, mask);
    }

    pub(crate) fn at_fence(&mut self, thread: u32) {
        self.clocks.at_fence(thread as u16);
    }
}
