//! Parts of an input: to find the links that make a variant wrong.

use generators::tpc::slice_tracks::{NONE, SliceTracks};

/// What is left if a half of the links is taken away, a quarter, and so on. The slice
/// tracks stay, so that their numbers do.
pub(super) fn all(input: &SliceTracks) -> impl Iterator<Item = SliceTracks> + '_ {
    let linked: Vec<usize> = (0..input.len())
        .filter(|&track| input.links()[track] != NONE)
        .collect();
    let count = linked.len();
    let lengths = std::iter::successors(Some(count.div_ceil(2)), |length| Some(length / 2));
    let lengths = lengths.take_while(|&length| length > 0);
    lengths.flat_map(move |length| {
        let linked = linked.clone();
        let starts = (0..count).step_by(length);
        starts.filter_map(move |start| without(input, &linked[start..(start + length).min(count)]))
    })
}

fn without(input: &SliceTracks, gone: &[usize]) -> Option<SliceTracks> {
    let mut links = input.links().to_vec();
    for &track in gone {
        links[track] = NONE;
    }
    let (tracks, relations) = (input.tracks().to_vec(), input.relations().to_vec());
    SliceTracks::new(tracks, relations, links).ok()
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
