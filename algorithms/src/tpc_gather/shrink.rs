//! Reduced inputs: to find the pieces for which a variant fails.

use std::ops::Range;

use generators::tpc::clusters::{Clusters, FIELDS, Per, Slots};

use crate::algorithm::shrink::without_parts;

/// Copies of the input without a part of the tracks, or of the rows. The remaining pieces keep
/// their offsets.
pub(super) fn all(input: &Clusters) -> impl Iterator<Item = Clusters> + '_ {
    let tracks = without_parts(input.tracks().len(), |gone| without_tracks(input, gone));
    let rows = without_parts(input.rows().len(), |gone| without_rows(input, gone));
    tracks.chain(rows)
}

fn without_tracks(input: &Clusters, gone: Range<usize>) -> Option<Clusters> {
    let slots = Slots { tracks: input.tracks().len() - gone.len(), ..*input.slots() };
    let mut starts = input.tracks().starts.clone();
    starts.drain(gone.clone());
    let bytes = arrays(input, &slots, |per, width, array| {
        if per == Per::Track {
            array.drain(gone.start * width..gone.end * width);
        }
    });
    Clusters::new(slots, starts, bytes).ok()
}

/// Removes the clusters of rows; the other rows keep their offsets.
fn without_rows(input: &Clusters, gone: Range<usize>) -> Option<Clusters> {
    if input.rows().counts[gone.clone()].iter().all(|&count| count == 0) {
        return None;
    }
    let bytes = arrays(input, input.slots(), |per, width, array| {
        if per == Per::Row {
            array[gone.start * width..gone.end * width].fill(0);
        }
    });
    Clusters::new(*input.slots(), input.tracks().starts.clone(), bytes).ok()
}

/// All arrays after a change, in the layout of other slots.
fn arrays(input: &Clusters, slots: &Slots, change: impl Fn(Per, usize, &mut Vec<u8>)) -> Vec<u8> {
    let layout = slots.layout();
    let mut bytes = vec![0; layout.bytes()];
    for (index, field) in FIELDS.iter().enumerate() {
        let mut array = input.bytes()[input.layout().range(index)].to_vec();
        change(field.per, field.bytes, &mut array);
        bytes[layout.range(index)].copy_from_slice(&array);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_gather::hard_inputs::clusters;

    #[test]
    fn a_single_piece_can_be_reached() {
        let tracks = [(0, 3), (4, 5), (10, 2), (20, 7), (30, 1)];
        let input = clusters(&tracks, &[3, 1, 0, 2], 3).expect("sound");
        let has_it = |left: &Clusters| left.tracks().counts.contains(&7);
        let smaller = |left: &Clusters| all(left).find(has_it);
        let left = std::iter::successors(Some(input), smaller).last();
        let left = left.expect("the first");
        assert_eq!(left.tracks().starts, [20]);
        assert_eq!(left.rows().counts, [0; 4]);
    }
}
