//! Reduced inputs: to find the links for which a variant fails.

use generators::tpc::slice_tracks::{NONE, SliceTracks};

use crate::algorithm::shrink::without_parts;

/// Copies of the input without a part of the links. The slice tracks remain, so that their indices
/// do.
pub(super) fn all(input: &SliceTracks) -> impl Iterator<Item = SliceTracks> + '_ {
    let linked = (0..input.len()).filter(|&track| input.links()[track] != NONE);
    let linked: Vec<usize> = linked.collect();
    without_parts(linked.len(), move |gone| {
        let mut links = input.links().to_vec();
        for &track in &linked[gone] {
            links[track] = NONE;
        }
        let tracks = input.tracks().to_vec();
        let relations = input.relations().to_vec();
        SliceTracks::new(tracks, relations, links).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use generators::tpc::slice_tracks::{Relations, SliceTrack};

    #[test]
    fn a_single_link_can_be_reached() {
        let tracks = vec![SliceTrack::default(); 6];
        let input = SliceTracks::new(tracks, vec![Relations::ALONE; 6], vec![1, 2, 3, 4, 5, NONE]);
        let has_it = |left: &SliceTracks| left.links()[3] == 4;
        let smaller = |left: &SliceTracks| all(left).find(has_it);
        let steps = std::iter::successors(input.ok(), smaller);
        let left = steps.last().expect("the first");
        assert_eq!(left.links(), [NONE, NONE, NONE, 4, NONE, NONE]);
    }
}
