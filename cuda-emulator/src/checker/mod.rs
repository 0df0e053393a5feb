//! Checks each access of a kernel: it must be inside the kernel's memory, read only written memory,
//! and be ordered after conflicting accesses of others.
//!
//! | module | content |
//! |---|---|
//! | `access` | an access, as announced by the compiler |
//! | `block` | the state of a block |
//! | `clocks` | the clocks of the threads of a block |
//! | `knowledge` | vector clocks |
//! | `shadow` | the last readers and writers of each word |
//! | `spaces` | global, dynamic shared and static shared memory |
//! | `lines` | program counters to lines of source |

mod access;
mod block;
mod clocks;
mod knowledge;
mod lines;
mod shadow;
mod spaces;

use std::collections::BTreeMap;
use std::ops::Range;

pub(super) use access::{Access, How};
pub(super) use block::CheckedBlock;
use knowledge::{Knowledge, Moment};
use lines::Image;
use shadow::Trace;
use spaces::{Found, Space};

use super::memory::DeviceMemory;
use super::report::{BadAccess, Fault, MemoryPlace, OtherAccess, SourceLine};
use super::traffic::{LaunchUses, Moved};

/// State of the checker for a launch.
pub(super) struct Checker {
    image: Image,
    global: Vec<(usize, Space)>,
    /// One entry per allocation; empty if traffic is not counted.
    uses: Vec<LaunchUses>,
    /// Clocks published at addresses of global memory.
    published: BTreeMap<usize, Knowledge>,
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
        Checker { image: Image::of_this_program(), global, uses, published: BTreeMap::new() }
    }

    /// Returns the record of written bytes to `memory`, with the kernel's writes; returns the
    /// counted traffic.
    pub(super) fn finish(self, memory: &mut DeviceMemory) -> Moved {
        for (region, (_, space)) in memory.regions.iter_mut().zip(self.global) {
            region.written = space.into_written();
        }
        let mut moved = Moved::default();
        for (region, uses) in memory.regions.iter_mut().zip(self.uses) {
            region.uses = uses.end(&mut moved);
        }
        moved
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
        let Access { address, bytes, how, .. } = access;
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
        // Before publishing, which covers the access itself.
        let trace = self.trace(block, access);
        self.synchronise(block, access, matches!(found, Found::Global(_)));
        let CheckedBlock { clocks, dynamic_shared, static_shared, .. } = block;
        let space = match found {
            Found::Global(index) => {
                let space = &mut self.global[index].1;
                if let Some(uses) = self.uses.get_mut(index) {
                    let offset = address - space.base();
                    uses.access(offset..offset + bytes, how.reads(), how.writes());
                }
                space
            }
            Found::Dynamic => dynamic_shared,
            Found::Static => static_shared,
        };
        if how.reads() && !space.is_written(address, bytes) {
            return Err(self.finding(access, Fault::Uninitialised, place));
        }
        // A block has at most 1024 threads.
        let happened = |moment: &Moment| clocks.happened(moment, access.thread as u16);
        let conflict = space.access(address, bytes, trace, how.writes(), &happened);
        conflict.map_or(Ok(()), |(conflict, address)| {
            let place = self.place(block, found, address);
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
            Found::Static => {
                MemoryPlace::StaticShared { offset: block.static_shared.offset(address) }
            }
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

    /// Synchronises an atomic access with the clock published at its address, and publishes its
    /// own.
    fn synchronise(&mut self, block: &mut CheckedBlock, access: Access, global: bool) {
        let Access { address, how, .. } = access;
        if !how.atomic() {
            return;
        }
        let thread = access.thread as u16;
        let published = if global { &mut self.published } else { &mut block.published };
        if let Some(known) = published.get(&address).filter(|_| how.reads()) {
            block.clocks.sees(thread, known, how.acquires());
        }
        if !how.writes() {
            return;
        }
        let mine = block.clocks.publishes(thread, how.releases());
        match mine {
            // A read-modify-write continues the release sequence.
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
        let bad = BadAccess { fault, bytes: access.bytes, writes: access.how.writes(), place };
        Box::new((line, bad))
    }
}
