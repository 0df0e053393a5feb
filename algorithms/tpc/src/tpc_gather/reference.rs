//! Simple and slow gathering: entry by entry, with pieces in parallel.

use generators_tpc::clusters::{Clusters, FIELDS, Layout, Per, Pieces};
use parallel::{copy, for_each};

use super::packed::Packed;

/// Pieces that a thread appends at a time.
const PIECES: usize = 1 << 12;

pub(super) fn gather(input: &Clusters) -> Packed {
    let layout = Layout::new(&input.packed());
    let mut packed = Packed::new(&input.packed());
    for (index, field) in FIELDS.iter().enumerate() {
        let from = &input.bytes()[input.layout().range(index)];
        let to = &mut packed.bytes_mut()[layout.range(index)];
        match field.per {
            Per::Row | Per::Track => copy(to, from),
            Per::Attached => append(to, from, field.bytes, input.tracks(), 0),
            Per::Difference => append(to, from, field.bytes, input.tracks(), 1),
            Per::Unattached => append(to, from, field.bytes, input.rows(), 0),
        }
    }
    packed
}

/// Appends all entries of each piece except the first `left_out` ones.
fn append(mut to: &mut [u8], from: &[u8], width: usize, pieces: &Pieces, left_out: usize) {
    let parts = pieces.starts.chunks(PIECES).zip(pieces.counts.chunks(PIECES));
    let mut shares = Vec::new();
    for (starts, counts) in parts {
        let entries = counts.iter().map(|&count| (count as usize).saturating_sub(left_out));
        let bytes = entries.sum::<usize>() * width;
        let (own, others) = std::mem::take(&mut to).split_at_mut(bytes);
        shares.push((own, starts, counts));
        to = others;
    }
    for_each(shares, |(to, starts, counts)| {
        let mut entries = to.chunks_exact_mut(width);
        for (&start, &count) in starts.iter().zip(counts) {
            for entry in start as usize + left_out..start as usize + count as usize {
                if let Some(next) = entries.next() {
                    next.copy_from_slice(&from[entry * width..(entry + 1) * width]);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use parallel::testing::with_all_pools;

    use super::*;
    use crate::tpc_gather::hard_inputs::clusters;

    #[test]
    fn parallel_shares_match_a_single_thread() {
        // Tracks of 1 to 6 clusters, enough for three shares, and a few more.
        let count = |track: u32| ((track * 5 + track / 3) % 6 + 1) as u16;
        let tracks = 0..3 * PIECES as u32 + 7;
        let tracks: Vec<_> = tracks.map(|track| (6 * track, count(track))).collect();
        let input = clusters(&tracks, &[3, 0, 2], 4).expect("sound");
        let packed = with_all_pools(|| gather(&input));
        let layout = Layout::new(&input.packed());
        for (index, field) in FIELDS.iter().enumerate() {
            let (pieces, left_out) = match field.per {
                Per::Row | Per::Track => continue,
                Per::Attached => (input.tracks(), 0),
                Per::Difference => (input.tracks(), 1),
                Per::Unattached => (input.rows(), 0),
            };
            let from = &input.bytes()[input.layout().range(index)];
            let mut expected: Vec<u8> = Vec::new();
            for (&start, &count) in pieces.starts.iter().zip(&pieces.counts) {
                let start = start as usize;
                for entry in start + left_out..start + count as usize {
                    expected.extend(&from[entry * field.bytes..(entry + 1) * field.bytes]);
                }
            }
            let name = field.name;
            assert!(packed.bytes()[layout.range(index)] == expected, "{name}");
        }
    }

    #[test]
    fn pieces_come_in_the_order_of_tracks_and_rows() {
        let input = clusters(&[(9, 2), (2, 1), (4, 3)], &[1, 0, 2], 4).expect("sound");
        let packed = gather(&input);
        let layout = Layout::new(&input.packed());
        let check = |name: &str, offsets: &[usize]| {
            let field = FIELDS.iter().position(|field| field.name == name);
            let (field, range) = field.map(|field| (field, layout.range(field))).expect(name);
            let begin = input.layout().range(field).start;
            let expected: Vec<_> =
                offsets.iter().map(|offset| input.bytes()[begin + offset]).collect();
            assert_eq!(packed.bytes()[range], expected, "{name}");
        };
        check("attached_flags", &[9, 10, 2, 4, 5, 6]);
        check("row_diff", &[10, 5, 6]);
        check("unattached_flags", &[0, 8, 9]);
        check("track_row", &[0, 1, 2]);
    }
}
