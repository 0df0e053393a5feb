//! Gathering as slow and obvious as can be: entry by entry.

use generators::tpc::clusters::{Clusters, FIELDS, Layout, Per, Pieces};

use super::packed::Packed;

pub(super) fn gather(input: &Clusters) -> Packed {
    let layout = Layout::new(&input.packed());
    let mut packed = Packed::new(&input.packed());
    for (number, field) in FIELDS.iter().enumerate() {
        let from = &input.bytes()[input.layout().range(number)];
        let to = &mut packed.bytes_mut()[layout.range(number)];
        match field.per {
            Per::Row | Per::Track => to.copy_from_slice(from),
            Per::Attached => append(to, from, field.bytes, input.tracks(), 0),
            Per::Difference => append(to, from, field.bytes, input.tracks(), 1),
            Per::Unattached => append(to, from, field.bytes, input.rows(), 0),
        }
    }
    packed
}

/// Appends all entries of each piece but so many at its beginning.
fn append(to: &mut [u8], from: &[u8], width: usize, pieces: &Pieces, left_out: usize) {
    let mut entries = to.chunks_exact_mut(width);
    for (&start, &count) in pieces.starts.iter().zip(&pieces.counts) {
        for entry in start as usize + left_out..start as usize + count as usize {
            if let Some(next) = entries.next() {
                next.copy_from_slice(&from[entry * width..(entry + 1) * width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_gather::hard_inputs::clusters;

    #[test]
    fn pieces_come_in_the_order_of_tracks_and_rows() {
        let input = clusters(&[(9, 2), (2, 1), (4, 3)], &[1, 0, 2], 4).expect("sound");
        let packed = gather(&input);
        let layout = Layout::new(&input.packed());
        let check = |name: &str, places: &[usize]| {
            let field = FIELDS.iter().position(|field| field.name == name);
            let (field, range) = field.map(|field| (field, layout.range(field))).expect(name);
            let begin = input.layout().range(field).start;
            let expected: Vec<_> = places
                .iter()
                .map(|place| input.bytes()[begin + place])
                .collect();
            assert_eq!(packed.bytes()[range], expected, "{name}");
        };
        check("attached_flags", &[9, 10, 2, 4, 5, 6]);
        check("row_diff", &[10, 5, 6]);
        check("unattached_flags", &[0, 8, 9]);
        check("track_row", &[0, 1, 2]);
    }
}
