//! Links by component: a list for each, or shares of many components.
//!
//! Links of lists are counted by component, lists are laid out one after the other, and links are
//! stored in them in any order: so each list is sorted by the worker that follows it.

use std::ops::Range;
use std::sync::atomic::Ordering;

use generators_tpc::slice_tracks::{NONE, SliceTracks};
use parallel::prefetch::prefetch;
use parallel::shared::{SharedSlice, atomic, offsets_of_parts};
use parallel::{Grain, for_each, for_each_dynamic, for_each_range, map};

use super::{GroupLinks, PART};
use crate::tpc_merge::resolve::{RelationStore, SharedRelations, follow};
use tasks::device::{Arena, ArenaVec, buffers};

/// The slice tracks with links, by component.
pub(super) struct LinksByComponent<'a> {
    /// For each component, by its label: number of links, then the offset of its list, then its
    /// end.
    ends: ArenaVec<'a, u32>,
    linked: ArenaVec<'a, u32>,
}

buffers!(LinksByComponent<'_>: ends, linked);

impl<'a> GroupLinks<'a> for LinksByComponent<'a> {
    fn take(input: &SliceTracks, _: usize, arena: &'a Arena) -> Self {
        let links = input.links().iter().filter(|link| **link != NONE).count();
        LinksByComponent { ends: arena.vector(input.len()), linked: arena.vector(links) }
    }

    fn order(&mut self, input: &SliceTracks, labels: &[u32]) {
        self.count(input, labels);
        lay_out(&mut self.ends);
        self.fill(input, labels);
    }

    fn resolve(&mut self, input: &SliceTracks, legs: SharedRelations<'_>) {
        let mut parts = Vec::new();
        let mut rest = &mut self.linked[..];
        let mut begin = 0;
        for ends in self.ends.chunks(PART) {
            let end = ends[ends.len() - 1];
            let (part, others) = rest.split_at_mut((end - begin) as usize);
            parts.push((ends, begin, part));
            (rest, begin) = (others, end);
        }
        for_each(parts, |(ends, begin, linked)| {
            let mut list_begin = begin;
            for &end in ends {
                let list = (list_begin - begin) as usize..(end - begin) as usize;
                follow_list(input, legs, linked, list);
                list_begin = end;
            }
        });
    }
}

impl LinksByComponent<'_> {
    fn count(&mut self, input: &SliceTracks, labels: &[u32]) {
        for_each(self.ends.chunks_mut(PART), |counts| counts.fill(0));
        let counts = atomic(&mut self.ends);
        for_each_linked(input, |track| {
            counts[labels[track] as usize].fetch_add(1, Ordering::Relaxed);
        });
    }

    fn fill(&mut self, input: &SliceTracks, labels: &[u32]) {
        let offsets = atomic(&mut self.ends);
        let list = SharedSlice::new(&mut self.linked);
        for_each_linked(input, |track| {
            let offset = offsets[labels[track] as usize].fetch_add(1, Ordering::Relaxed);
            // SAFETY: each index is claimed only once.
            unsafe { list.write(offset as usize, track as u32) };
        });
    }
}

/// Calls `work` for all slice tracks that have a link.
#[inline]
fn for_each_linked(input: &SliceTracks, work: impl Fn(usize) + Sync) {
    for_each_range(input.len(), Grain::AtLeast(PART), |tracks| {
        tracks.filter(|&track| input.links()[track] != NONE).for_each(&work);
    });
}

/// Replaces counts by their exclusive scan.
fn lay_out(counts: &mut [u32]) {
    let sums: Vec<u32> = map(counts.chunks(PART), |part| part.iter().sum());
    let starts = sums.iter().scan(0, |begin, sum| {
        let this = *begin;
        *begin += sum;
        Some(this)
    });
    let starts: Vec<u32> = starts.collect();
    for_each(counts.chunks_mut(PART).zip(starts), |(part, mut begin)| {
        for count in part {
            begin += std::mem::replace(count, begin);
        }
    });
}

fn follow_list(
    input: &SliceTracks,
    mut legs: SharedRelations<'_>,
    linked: &mut [u32],
    list: Range<usize>,
) {
    let list = &mut linked[list];
    list.sort_unstable();
    for &track in list.iter() {
        let link = input.links()[track as usize];
        follow(&mut legs, input.tracks(), track, link);
    }
}

// In shares, links of a component have to stay in ascending order, which a stable partition
// preserves: so no list for each component is needed. Components are assigned to shares by their
// labels; a worker that takes a share follows its links from the first to the last. As the next
// accesses are bounds, they are prefetched.

/// Maximum number of shares: large enough that the threads finish together, and small enough that
/// each has a cache line open while links are distributed.
const SHARES: usize = 256;
/// Parts for each thread when links are distributed.
const PARTS_A_THREAD: usize = 4;
/// Distance of prefetches in links: first their ends, then the chains of these.
const FAR: usize = 24;
const NEAR: usize = 12;

/// A link: its start and its end.
type Link = [u32; 2];

/// All links, share after share.
pub(super) struct LinksByShare<'a> {
    links: ArenaVec<'a, Link>,
    ends: Vec<usize>,
    parts: usize,
}

buffers!(LinksByShare<'_>: links);

impl<'a> GroupLinks<'a> for LinksByShare<'a> {
    fn take(input: &SliceTracks, threads: usize, arena: &'a Arena) -> Self {
        let links = input.links().iter().filter(|link| **link != NONE).count();
        LinksByShare {
            links: arena.vector(links),
            ends: Vec::new(),
            parts: threads * PARTS_A_THREAD,
        }
    }

    fn order(&mut self, input: &SliceTracks, labels: &[u32]) {
        let share = Shares::new(input.len());
        let ranges = parts(input.len(), self.parts);
        let counts = map(&ranges, |range| share.count(input, labels, range.clone()));
        let (offsets, ends) = offsets_of_parts(counts, share.count, 1);
        self.ends = ends;
        let links = SharedSlice::new(&mut self.links);
        for_each(ranges.into_iter().zip(offsets), |(range, offsets)| {
            share.deal_out(input, labels, range, offsets, &links);
        });
    }

    fn resolve(&mut self, input: &SliceTracks, legs: SharedRelations<'_>) {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let shares = starts.zip(&self.ends).map(|(begin, &end)| begin..end);
        let shares = shares.map(|range| &self.links[range]);
        for_each_dynamic(shares, |links| follow_all(input, legs, links));
    }
}

/// Equal parts of all slice tracks.
fn parts(tracks: usize, parts: usize) -> Vec<Range<usize>> {
    let bound = |part| part * tracks / parts;
    (0..parts).map(|part| bound(part)..bound(part + 1)).collect()
}

/// Assignment of components to shares.
#[derive(Clone, Copy)]
struct Shares {
    shift: u32,
    count: usize,
}

impl Shares {
    fn new(tracks: usize) -> Self {
        let bits = tracks.next_power_of_two().ilog2();
        let shift = bits.saturating_sub(SHARES.ilog2());
        Shares { shift, count: (tracks >> shift) + 1 }
    }

    /// All links of a part of the slice tracks, with their shares.
    #[inline(always)]
    fn links<'a>(
        self,
        input: &'a SliceTracks,
        labels: &'a [u32],
        tracks: Range<usize>,
    ) -> impl Iterator<Item = (usize, Link)> + 'a {
        let links = input.links()[tracks.clone()].iter();
        let links = tracks.zip(links).filter(|(_, link)| **link != NONE);
        links.map(move |(track, &link)| {
            let share = labels[track] >> self.shift;
            (share as usize, [track as u32, link])
        })
    }

    fn count(self, input: &SliceTracks, labels: &[u32], tracks: Range<usize>) -> Vec<usize> {
        let mut counts = vec![0; self.count];
        for (share, _) in self.links(input, labels, tracks) {
            counts[share] += 1;
        }
        counts
    }

    fn deal_out(
        self,
        input: &SliceTracks,
        labels: &[u32],
        tracks: Range<usize>,
        mut offsets: Vec<usize>,
        links: &SharedSlice<'_, Link>,
    ) {
        for (share, link) in self.links(input, labels, tracks) {
            // SAFETY: offsets of parts and shares are consecutive ranges, each as long as the
            // number of links that were counted for it; so no two overlap.
            unsafe { links.write(offsets[share], link) };
            offsets[share] += 1;
        }
    }
}

/// Follows the links of a share.
fn follow_all(input: &SliceTracks, mut legs: SharedRelations<'_>, links: &[Link]) {
    for (index, &[track, link]) in links.iter().enumerate() {
        if let Some(ends) = links.get(index + FAR) {
            for &end in ends {
                prefetch(input.tracks(), end as usize);
                legs.prefetch(end);
            }
        }
        if let Some(ends) = links.get(index + NEAR) {
            for &end in ends {
                legs.prefetch(legs.prev(end));
                legs.prefetch(legs.next(end));
            }
        }
        follow(&mut legs, input.tracks(), track, link);
    }
}
