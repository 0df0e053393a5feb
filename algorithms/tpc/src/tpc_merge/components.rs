//! Connected components.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use generators_tpc::slice_tracks::{NONE, SliceTracks};

use parallel::{Grain, collect, for_each_range};

/// The slice tracks that one refers to, each relation once: its link, the piece before it, the leg
/// below it. All of these are in one component.
#[inline(always)]
pub(super) fn named(input: &SliceTracks, track: usize) -> impl Iterator<Item = u32> {
    let related = &input.relations()[track];
    let named = [input.links()[track], related.segment_prev, related.neighbours[0]];
    named.into_iter().filter(|other| *other != NONE)
}

/// The component of each slice track, labelled by its first slice track: all cores join sets
/// without a lock (Anderson and Woll 1991). Parents have smaller indices, so the roots don't depend
/// on the order of the threads.
pub(super) fn labels(input: &SliceTracks) -> Vec<u32> {
    let parents = collect(input.len(), Grain::Adaptive, |tracks| {
        tracks.map(|track| AtomicU32::new(track as u32))
    });
    for_each_range(input.len(), Grain::Adaptive, |tracks| {
        for track in tracks {
            named(input, track).for_each(|other| join(&parents, track as u32, other));
        }
    });
    collect(input.len(), Grain::Adaptive, |tracks| tracks.map(|track| root(&parents, track as u32)))
}

/// Joins the sets of two slice tracks.
fn join(parents: &[AtomicU32], mut one: u32, mut other: u32) {
    loop {
        (one, other) = (root(parents, one), root(parents, other));
        if one == other {
            return;
        }
        let lower = one.min(other);
        let upper = one.max(other);
        let parent = &parents[upper as usize];
        // Another thread may have changed the parent meanwhile.
        if parent.compare_exchange(upper, lower, Relaxed, Relaxed).is_ok() {
            return;
        }
    }
}

/// The root of a tree, with path halving: an ancestor remains an ancestor.
fn root(parents: &[AtomicU32], mut track: u32) -> u32 {
    loop {
        let parent = parents[track as usize].load(Relaxed);
        let above = parents[parent as usize].load(Relaxed);
        if above == parent {
            return parent;
        }
        parents[track as usize].store(above, Relaxed);
        track = above;
    }
}

/// Describes the number of components and their sizes.
pub(super) fn describe(input: &SliceTracks) -> String {
    let sizes = sizes(input);
    let components: usize = sizes.values().sum();
    let largest = sizes.keys().last().unwrap_or(&0);
    let few = sizes.range(2..=6).map(|(size, count)| size * count);
    let share = 100.0 * few.sum::<usize>() as f64 / input.len().max(1) as f64;
    format!(
        "{components} components, the largest of {largest} slice tracks; {share:.0} % of the \
         slice tracks are in components of 2 to 6"
    )
}

/// The number of components of each size.
fn sizes(input: &SliceTracks) -> BTreeMap<usize, usize> {
    let mut members = vec![0_usize; input.len()];
    for label in labels(input) {
        members[label as usize] += 1;
    }
    let mut sizes = BTreeMap::new();
    for size in members.into_iter().filter(|size| *size > 0) {
        *sizes.entry(size).or_insert(0) += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use generators_tpc::slice_tracks::{Ids, Relations, SliceTrack, TrackShape, generate};
    use parallel::testing::with_all_pools;

    use super::*;

    #[test]
    fn all_relations_connect_components() {
        let mut relations = vec![Relations::ALONE; 8];
        relations[0].segment_next = 1;
        relations[1].segment_prev = 0;
        relations[0].neighbours[1] = 5;
        relations[5].neighbours[0] = 0;
        let mut links = vec![NONE; 8];
        links[7] = 5;
        let input = SliceTracks::new(vec![SliceTrack::default(); 8], relations, links);
        let input = input.expect("sound");
        assert_eq!(labels(&input), [0, 0, 2, 3, 4, 0, 6, 0]);
        assert!(describe(&input).starts_with("5 components, the largest of 4"));
    }

    #[test]
    fn labels_are_the_first_of_each_component_on_any_number_of_threads() {
        for ids in [Ids::Local, Ids::Shuffled] {
            let tracks = 100_000;
            let input = generate(&TrackShape { tracks, ids }, 2).expect("made");
            let found = with_all_pools(|| labels(&input));
            for track in 0..tracks {
                let label = found[track];
                assert!(label as usize <= track && found[label as usize] == label);
                assert!(named(&input, track).all(|other| found[other as usize] == label));
            }
        }
    }

    #[test]
    fn generated_ones_are_small_with_a_tail() {
        let shape = TrackShape { tracks: 200_000, ids: Ids::Shuffled };
        let sizes = sizes(&generate(&shape, 1).expect("made"));
        let within: usize = sizes.range(2..=6).map(|(size, count)| size * count).sum();
        assert!((100_000..180_000).contains(&within), "{within}");
        let largest = sizes.keys().last().expect("some");
        assert!((100..2000).contains(largest), "{largest}");
    }
}
