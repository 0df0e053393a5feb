//! Digis by module side, made from the stream of a detector or from raw data.
//!
//! Event selection by multiplicity needs digis in order of time, and hit finding needs them by
//! sensor. With a table both orders can be kept: the permutation is a by-product.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::NonNull;

use generators_sts::raw::MicrosliceCounts;
use generators_sts::{Address, CHANNELS_PER_SIDE, Digi};
use nix::sys::mman::{MmapAdvise, madvise};
use parallel::shared::{SharedSlice, offsets_of_parts};
use parallel::{for_each, map};

use super::OfflineDigi;
use crate::sts_unpack::cpu::{UnpackInput, capacity_for, even_parts, messages_of, unpack_part};
use crate::sts_unpack::survey::Job;

/// Counting of digis before they are scattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    /// With one thread, which then scatters them.
    Serial,
    /// With all threads, each on a part of the stream.
    Parallel,
}

/// The orders of digis that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Orders {
    /// By sensor only, as hit finding needs it.
    OfSensors,
    /// And that of time, in which events are found: where each digi of the stream has
    /// gone.
    Both,
}

/// The digi with its channel counted on its side.
#[inline]
fn on_side(digi: Digi) -> Digi {
    const BACK: u16 = CHANNELS_PER_SIDE;
    digi.with_channel(digi.channel() & (BACK - 1))
}

/// True if the digi was read out on the back side.
#[inline]
fn is_back(digi: Digi) -> bool {
    digi.channel() >= CHANNELS_PER_SIDE
}

/// All addresses that digis can have.
const ADDRESSES: usize = Address::COUNT;

/// Digis by module side, each with its full address, as the offline reconstruction
/// keeps them: fronts of all modules, then backs.
pub(super) fn by_hash_map(stream: &[Digi], modules: usize) -> Vec<Vec<OfflineDigi>> {
    let mut lists: HashMap<u32, [Vec<OfflineDigi>; 2]> = HashMap::new();
    for &digi in stream {
        let lists = lists.entry(digi.address().full()).or_default();
        lists[usize::from(is_back(digi))].push(OfflineDigi::from(on_side(digi)));
    }
    let mut list = |module: usize, side: usize| {
        let address = Address::of_module(module).full();
        let lists = lists.get_mut(&address);
        lists.map_or_else(Vec::new, |lists| std::mem::take(&mut lists[side]))
    };
    let sides = (0..2).flat_map(|side| (0..modules).map(move |module| (module, side)));
    sides.map(|(module, side)| list(module, side)).collect()
}

/// Digis that a thread takes at a time, at least.
const MIN_PART: usize = 1 << 16;

/// Table from addresses to modules.
pub(super) struct LookupTable {
    modules: Vec<u32>,
    count: usize,
}

/// Output of the destination of each digi of the stream, if wanted.
pub(super) enum Permutation<'a> {
    Unwanted,
    Kept(&'a mut [u32]),
}

impl LookupTable {
    /// The table of a detector with `modules` modules.
    pub(in crate::sts) fn new(modules: usize) -> Self {
        let mut table = vec![u32::MAX; ADDRESSES];
        for module in 0..modules {
            table[Address::of_module(module).packed() as usize] = module as u32;
        }
        LookupTable { modules: table, count: modules }
    }

    /// The module of each address in the order of [`Address::module`], up to the last one with a
    /// module: modules of a detector are near each other in this order, unlike in that of the bits.
    pub(in crate::sts) fn by_position(&self) -> Vec<u32> {
        let module_at = |position| self.modules[Address::of_module(position).packed() as usize];
        let mut modules: Vec<_> = (0..ADDRESSES).map(module_at).collect();
        let known = modules.iter().rposition(|&module| module != u32::MAX);
        modules.truncate(known.map_or(0, |last| last + 1));
        modules
    }

    /// Scatters the stream over module sides, each in the order of the stream. Returns
    /// the digis of each side. All digis must be of modules of the detector.
    pub(in crate::sts) fn scatter(
        &self,
        stream: &[Digi],
        target: &mut [Digi],
        threads: usize,
        permutation: Permutation<'_>,
    ) -> Vec<usize> {
        assert_eq!(stream.len(), target.len());
        let part = stream.len().div_ceil(threads).max(MIN_PART);
        let counts = map(stream.chunks(part), |part| self.count(part));
        let (offsets, _) = offsets_of_parts(counts.clone(), self.sides(), 1);
        let target = SharedSlice::new(target);
        match permutation {
            Permutation::Unwanted => {
                for_each(stream.chunks(part).zip(offsets), |(digis, mut offsets)| {
                    self.move_part(digis, &mut offsets, &target, |_, _| ());
                });
            }
            Permutation::Kept(order) => {
                let parts = stream.chunks(part).zip(order.chunks_mut(part)).zip(offsets);
                for_each(parts, |((digis, order), mut offsets)| {
                    self.move_part(digis, &mut offsets, &target, |from, to| order[from] = to);
                });
            }
        }
        self.totals(&counts)
    }

    /// The digis of each side in all parts.
    fn totals(&self, counts: &[Vec<u32>]) -> Vec<usize> {
        let sides = 0..self.sides();
        sides.map(|side| counts.iter().map(|counts| counts[side] as usize).sum()).collect()
    }

    fn count(&self, digis: &[Digi]) -> Vec<u32> {
        let mut counts = vec![0; self.sides()];
        self.add(digis, &mut counts);
        counts
    }

    /// Adds the digis of each side.
    fn add(&self, digis: &[Digi], counts: &mut [u32]) {
        for &digi in digis {
            counts[self.side(digi)] += 1;
        }
    }

    /// Module sides.
    fn sides(&self) -> usize {
        2 * self.count
    }

    /// Moves digis to the next offsets of their sides. No other thread may write there.
    fn move_part(
        &self,
        digis: &[Digi],
        offsets: &mut [u32],
        target: &SharedSlice<'_, Digi>,
        mut report: impl FnMut(usize, u32),
    ) {
        for (from, &digi) in digis.iter().enumerate() {
            let offset = &mut offsets[self.side(digi)];
            // SAFETY: the ranges of all parts and sides are consecutive, each as long as the digis
            // that were counted for it; so they are disjoint and within `target`.
            unsafe { target.write(*offset as usize, on_side(digi)) };
            report(from, *offset);
            *offset += 1;
        }
    }

    /// The side that a digi is of, if the detector has its module.
    pub(in crate::sts) fn known_side(&self, digi: Digi) -> Option<usize> {
        let is_known = self.modules[digi.address().packed() as usize] != u32::MAX;
        is_known.then(|| self.side(digi))
    }

    #[inline]
    fn side(&self, digi: Digi) -> usize {
        let module = self.modules[digi.address().packed() as usize] as usize;
        module + if is_back(digi) { self.count } else { 0 }
    }
}

// From raw data to digis by module side; the digis of each side are counted in the same pass.
//
// Each thread unpacks a part into its own buffer, and counts digis while they are in the cache. So
// parts are not joined to a stream first, and digis are not read once more to be counted.

/// A part of all microslices, with its buffers.
struct Part<'p> {
    jobs: &'p [Job],
    counts: &'p mut [MicrosliceCounts],
    buffer: &'p mut [Digi],
}

/// Digis that were unpacked, and how many of them each side has.
struct Unpacked<'p> {
    digis: &'p [Digi],
    of_sides: Vec<u32>,
}

impl LookupTable {
    /// Unpacks microslices and scatters their digis to module sides in the order of the messages.
    /// Also writes the counts of microslices; `buffer` is overwritten, and needs
    /// [`capacity_for_parts`] elements. Returns the digis of each side.
    ///
    /// # Panics
    /// If the capacity is too small for all digis.
    pub(in crate::sts) fn scatter_raw(
        &self,
        input: &UnpackInput<'_>,
        counts: &mut [MicrosliceCounts],
        buffer: &mut [Digi],
        target: &mut [Digi],
        threads: usize,
    ) -> Vec<usize> {
        let unpacked = map(parts(input.jobs, counts, buffer, threads), |part| {
            let mut of_sides = vec![0; self.sides()];
            let count = |digis: &[Digi]| self.add(digis, &mut of_sides);
            let Part { jobs, counts, buffer } = part;
            let found = unpack_part(input, jobs, counts, buffer, count);
            Unpacked { digis: &buffer[..found], of_sides }
        });
        let counted: Vec<_> = unpacked.iter().map(|part| part.of_sides.clone()).collect();
        let totals = self.totals(&counted);
        assert!(
            totals.iter().sum::<usize>() <= target.len(),
            "the target is too short for all digis"
        );
        let target = SharedSlice::new(target);
        let (offsets, _) = offsets_of_parts(counted, self.sides(), 1);
        for_each(unpacked.into_iter().zip(offsets), |(part, mut offsets)| {
            self.move_part(part.digis, &mut offsets, &target, |_, _| ());
        });
        totals
    }
}

/// Buffer capacity for the digis of `messages` messages in `parts` parts.
pub(super) fn capacity_for_parts(messages: usize, parts: usize) -> usize {
    messages + parts * capacity_for(0)
}

fn parts<'p>(
    jobs: &'p [Job],
    mut counts: &'p mut [MicrosliceCounts],
    mut buffer: &'p mut [Digi],
    count: usize,
) -> Vec<Part<'p>> {
    let part = |range| {
        let jobs: &[Job] = &jobs[range];
        let part_counts = counts.split_off_mut(..jobs.len()).unwrap_or_default();
        let part_buffer =
            buffer.split_off_mut(..capacity_for(messages_of(jobs))).unwrap_or_default();
        Part { jobs, counts: part_counts, buffer: part_buffer }
    };
    even_parts(jobs, count).into_iter().map(part).collect()
}

/// Pages of this size or larger ones.
const PAGE: usize = 4 << 10;

/// The memory that digis are distributed into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pages {
    /// Used before, so its pages are resident.
    Faulted,
    /// The system has its pages: each is made again when it is first written to.
    Fresh,
}

/// Returns all pages that hold only these digis to the system. They keep their addresses, and their
/// contents are lost: digis there are zero, or unchanged where the system has not reclaimed the
/// pages yet.
pub(super) fn give_pages_back(digis: &mut [Digi]) {
    let bytes = bytemuck::cast_slice_mut::<Digi, u8>(digis);
    let before = bytes.as_ptr().align_offset(PAGE).min(bytes.len());
    let pages = &mut bytes[before..];
    let length = pages.len() / PAGE * PAGE;
    if length == 0 {
        return;
    }
    let start = NonNull::from(&mut *pages).cast::<c_void>();
    // SAFETY: the pages are heap memory within a slice that this function borrows exclusively, and
    // any bytes are valid digis. If the call fails, they are unchanged, so digis stay valid.
    let _ = unsafe { madvise(start, length, MmapAdvise::MADV_DONTNEED) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn only_whole_pages_go() {
        const DIGIS: usize = PAGE / size_of::<Digi>();
        let digi = Digi::from_bits(u64::MAX);
        let nothing = 0..0;
        let parts = [
            (0..DIGIS, 0..DIGIS),
            (0..DIGIS - 1, nothing.clone()),
            (1..DIGIS, nothing.clone()),
            (1..2 * DIGIS, DIGIS..2 * DIGIS),
            (3..3 * DIGIS + 7, DIGIS..3 * DIGIS),
            (5..5, nothing),
        ];
        for (part, gone) in parts {
            let mut digis = vec![digi; 5 * DIGIS];
            let first = digis.as_ptr().align_offset(PAGE);
            let pages = &mut digis[first..][..4 * DIGIS];
            give_pages_back(&mut pages[part.clone()]);
            let kept = |at: usize| pages[at] == digi;
            assert!((0..pages.len()).all(|at| kept(at) != gone.contains(&at)), "{part:?}");
        }
    }
}
