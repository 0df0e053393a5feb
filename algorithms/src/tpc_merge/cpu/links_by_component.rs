//! A list of links for each component.
//!
//! Links are counted by component, lists are laid out behind each other, and links put
//! into them in any order: so each list is sorted by whoever follows it.

use std::ops::Range;
use std::sync::atomic::Ordering;

use generators::tpc::slice_tracks::{NONE, SliceTracks};
use rayon::prelude::*;

use super::by_component::{BringTogether, PART};
use crate::device::atomic;
use crate::device::{Arena, ArenaVec, SharedSlice, buffers};
use crate::tpc_merge::relation_store::SharedRelations;
use crate::tpc_merge::resolve::follow;

/// The slice tracks with links, by component.
pub(super) struct LinksByComponent<'a> {
    /// For each component, by the number of the slice track that names it: links, then
    /// where its list begins, then where it ends.
    ends: ArenaVec<'a, u32>,
    linked: ArenaVec<'a, u32>,
}

buffers!(LinksByComponent<'_>: ends, linked);

impl<'a> BringTogether<'a> for LinksByComponent<'a> {
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
        let (mut rest, mut begin) = (&mut self.linked[..], 0);
        for ends in self.ends.chunks(PART) {
            let end = ends[ends.len() - 1];
            let (part, others) = rest.split_at_mut((end - begin) as usize);
            parts.push((ends, begin, part));
            (rest, begin) = (others, end);
        }
        let parts = parts.into_par_iter();
        parts.for_each(|(ends, begin, linked)| {
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
        let counts = self.ends.par_chunks_mut(PART);
        counts.for_each(|counts| counts.fill(0));
        let counts = atomic(&mut self.ends);
        linked(input).for_each(|track| {
            counts[labels[track] as usize].fetch_add(1, Ordering::Relaxed);
        });
    }

    fn fill(&mut self, input: &SliceTracks, labels: &[u32]) {
        let places = atomic(&mut self.ends);
        let list = SharedSlice::new(&mut self.linked);
        linked(input).for_each(|track| {
            let place = places[labels[track] as usize].fetch_add(1, Ordering::Relaxed);
            // SAFETY: no place is given out twice.
            unsafe { list.write(place as usize, track as u32) };
        });
    }
}

/// The slice tracks that have a link.
fn linked(input: &SliceTracks) -> impl ParallelIterator<Item = usize> + '_ {
    let tracks = (0..input.len()).into_par_iter().with_min_len(PART);
    tracks.filter(|track| input.links()[*track] != NONE)
}

/// Counts become beginnings.
fn lay_out(counts: &mut [u32]) {
    let sums: Vec<u32> = counts.par_chunks(PART).map(|part| part.iter().sum()).collect();
    let begins = sums.iter().scan(0, |begin, sum| {
        let this = *begin;
        *begin += sum;
        Some(this)
    });
    let begins: Vec<u32> = begins.collect();
    let parts = counts.par_chunks_mut(PART).zip(begins);
    parts.for_each(|(part, mut begin)| {
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
