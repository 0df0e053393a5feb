//! Links in shares, each of many components.
//!
//! Links of a component have to stay in ascending order, which a stable partition preserves: so no
//! list for each component is needed. Components are assigned to shares by their labels; a worker
//! that takes a share follows its links from the first to the last. As the next accesses are bounds,
//! they are prefetched.

use std::ops::Range;

use generators::tpc::slice_tracks::{NONE, SliceTracks};

use super::by_component::GroupLinks;
use crate::device::{Arena, ArenaVec, buffers};
use crate::parallel::{for_each, for_each_dynamic, map};
use crate::prefetch::prefetch;
use crate::shared::SharedSlice;
use crate::tpc_merge::relation_store::{RelationStore, SharedRelations};
use crate::tpc_merge::resolve::follow;

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
        let (offsets, ends) = lay_out(&counts);
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

/// The offset of each part in each share, and the end of each share.
fn lay_out(counts: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut offsets = counts.to_vec();
    let mut ends = Vec::new();
    let mut sum = 0;
    for share in 0..counts.first().map_or(0, Vec::len) {
        for offsets in &mut offsets {
            sum += std::mem::replace(&mut offsets[share], sum);
        }
        ends.push(sum);
    }
    (offsets, ends)
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
