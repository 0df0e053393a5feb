//! A list of links for each component.
//!
//! Links are counted by component, lists are laid out one after the other, and links are stored in
//! them in any order: so each list is sorted by the worker that follows it.

use std::ops::Range;
use std::sync::atomic::Ordering;

use generators::tpc::slice_tracks::{NONE, SliceTracks};

use super::by_component::{GroupLinks, PART};
use crate::device::{Arena, ArenaVec, buffers};
use crate::parallel::{Grain, for_each, for_each_range, map};
use crate::shared::SharedSlice;
use crate::shared::atomic;
use crate::tpc_merge::relation_store::SharedRelations;
use crate::tpc_merge::resolve::follow;

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
