//! What holds a component together.

use std::collections::BTreeMap;

use generators::tpc::slice_tracks::{NONE, SliceTracks};

/// The slice tracks that one names, each relation once: its link, the piece before it,
/// the leg below it. The ends of all these lie in one component.
#[inline(always)]
pub(super) fn named(input: &SliceTracks, track: usize) -> impl Iterator<Item = u32> {
    let related = &input.relations()[track];
    let named = [
        input.links()[track],
        related.segment_prev,
        related.neighbours[0],
    ];
    named.into_iter().filter(|other| *other != NONE)
}

/// The component of each slice track, named by one of them: one after the other.
pub(super) fn labels(input: &SliceTracks) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..input.len() as u32).collect();
    for track in 0..input.len() {
        for other in named(input, track) {
            let (one, other) = (root(&mut parents, track as u32), root(&mut parents, other));
            parents[one.max(other) as usize] = one.min(other);
        }
    }
    for track in 0..parents.len() {
        parents[track] = root(&mut parents, track as u32);
    }
    parents
}

/// The end of the way up, which is halved.
fn root(parents: &mut [u32], mut track: u32) -> u32 {
    while parents[track as usize] != track {
        let above = parents[parents[track as usize] as usize];
        parents[track as usize] = above;
        track = above;
    }
    track
}

/// How many components there are, and how large, in words.
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

/// How many components of each size there are.
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
    use super::*;
    use generators::tpc::slice_tracks::{Ids, Relations, SliceTrack, TrackShape, generate};

    #[test]
    fn all_relations_hold_components_together() {
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
    fn generated_ones_are_small_with_a_tail() {
        let shape = TrackShape {
            tracks: 200_000,
            ids: Ids::Shuffled,
        };
        let sizes = sizes(&generate(&shape, 1).expect("made"));
        let within: usize = sizes.range(2..=6).map(|(size, count)| size * count).sum();
        assert!((100_000..180_000).contains(&within), "{within}");
        let largest = sizes.keys().last().expect("some");
        assert!((100..2000).contains(largest), "{largest}");
    }
}
