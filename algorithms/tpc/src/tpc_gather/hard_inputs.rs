//! Small, difficult inputs, and smaller ones of those that a variant gathers wrongly.

use std::ops::Range;

use generators_common::random::hash;
use generators_tpc::clusters::{ClusterShape, Clusters, FIELDS, Per, Slots, generate};

use tasks::algorithm::shrink::without_parts;

/// Offset of the track, and its number of clusters.
type Track = (u32, u16);

pub(super) fn all(seed: u64) -> Vec<(String, Clusters)> {
    let mut inputs = pieces();
    inputs.extend(alignments());
    inputs.extend(generated(seed));
    inputs.extend(random(seed));
    inputs
}

/// Special pieces.
fn pieces() -> Vec<(String, Clusters)> {
    let ones: Vec<Track> = (0..700).map(|track| (track * 3 % 700, 1)).collect();
    let turned: Vec<Track> = (0..40).rev().map(|track| (track * 37, 37)).collect();
    let packed: Vec<Track> = (0..60).map(|track| (track * 21, 21)).collect();
    let giant = [(3, 5), (20, 20_011), (8, 12), (20_031, 1), (20_040, 160)];
    let mut giant_row = vec![2; 9];
    giant_row[5] = 9001;
    let inputs = [
        ("a track of one cluster, no rows", clusters(&[(5, 1)], &[], 0)),
        ("a track of two clusters", clusters(&[(0, 2)], &[0], 1)),
        ("tracks of one cluster", clusters(&ones, &[1; 9], 2)),
        ("tracks from the last to the first", clusters(&turned, &[3, 0, 5], 5)),
        ("tracks without gaps", clusters(&packed, &[7; 30], 8)),
        ("one giant track", clusters(&giant, &[4, 1], 4)),
        ("one giant row", clusters(&packed, &giant_row, 9001)),
        ("empty rows", clusters(&packed, &[0; 300], 12)),
        ("rows full to their capacity", clusters(&packed, &[13; 150], 13)),
    ];
    let sound = inputs.into_iter();
    sound.filter_map(|(name, input)| Some((name.to_owned(), input?))).collect()
}

/// Pieces that start at each distance from a multiple of 256 entries, with lengths around those of
/// words, vectors and bursts.
fn alignments() -> Vec<(String, Clusters)> {
    const LENGTHS: [u16; 13] = [1, 2, 3, 4, 5, 15, 16, 17, 33, 63, 65, 127, 129];
    let mut starts = Vec::new();
    let mut next = 0;
    for index in 0..256 {
        let count = LENGTHS[index as usize % LENGTHS.len()];
        starts.push((next + index, count));
        next = (next + index + u32::from(count)).next_multiple_of(256);
    }
    let rows: Vec<u32> = (0..131).collect();
    let input = clusters(&starts, &rows, 131);
    let input = input.map(|input| ("all alignments".to_owned(), input));
    input.into_iter().collect()
}

/// Inputs like measured ones, only smaller.
fn generated(seed: u64) -> Vec<(String, Clusters)> {
    let shape = |tracks, row_clusters| ClusterShape {
        tracks,
        min_clusters: 20,
        max_clusters: 160,
        row_clusters,
    };
    let shapes = [shape(1, 1), shape(300, 2)];
    let made = shapes.into_iter().filter_map(|shape| {
        let input = generate(&shape, seed).ok()?;
        let ClusterShape { tracks, row_clusters, .. } = shape;
        let name = format!("{tracks} tracks, {row_clusters} clusters a row");
        Some((name, input))
    });
    made.collect()
}

/// Tracks and rows of random lengths at random distances; numbers of pieces around those of blocks
/// of kernels.
fn random(seed: u64) -> Vec<(String, Clusters)> {
    let sizes = [(31, 33, 9), (257, 65, 40), (1025, 1, 5), (2049, 300, 3)];
    let make = |(case, (tracks, rows, max_clusters)): (usize, (u64, u64, u64))| {
        let draw =
            |what: u64, index: u64, range: u64| hash(seed, [case as u64, what, index]) % range;
        let mut next = 0;
        let tracks: Vec<Track> = (0..tracks)
            .map(|track| {
                let start = next + draw(0, track, 4) as u32;
                let count = 1 + draw(1, track, max_clusters) as u16;
                next = start + u32::from(count);
                (start, count)
            })
            .collect();
        let rows: Vec<u32> = (0..rows).map(|row| draw(2, row, max_clusters) as u32).collect();
        let name = format!("{} random tracks, {} rows", tracks.len(), rows.len());
        Some((name, clusters(&tracks, &rows, max_clusters as usize)?))
    };
    sizes.into_iter().enumerate().filter_map(make).collect()
}

/// Clusters of tracks and rows, with bytes that identify their origin.
pub(super) fn clusters(tracks: &[Track], rows: &[u32], row_capacity: usize) -> Option<Clusters> {
    let end = |&(start, count): &Track| start as usize + usize::from(count);
    let slots = Slots {
        tracks: tracks.len(),
        // A free entry after the last one, so that each alignment of arrays occurs.
        attached: tracks.iter().map(end).max().unwrap_or(0) + 1,
        rows: rows.len(),
        row_capacity,
    };
    let layout = slots.layout();
    let mut bytes: Vec<u8> = (0..layout.bytes() as u64).map(|at| hash(1, [at]) as u8).collect();
    for (index, field) in FIELDS.iter().enumerate() {
        let array = &mut bytes[layout.range(index)];
        match field.name {
            "track_n_clusters" => put(array, tracks.iter().map(|track| track.1.to_le_bytes())),
            "row_n_clusters" => put(array, rows.iter().map(|row| row.to_le_bytes())),
            _ => {}
        }
    }
    let starts = tracks.iter().map(|track| track.0).collect();
    Clusters::new(slots, starts, bytes).ok()
}

fn put<const N: usize>(to: &mut [u8], entries: impl Iterator<Item = [u8; N]>) {
    let (to, _) = to.as_chunks_mut();
    for (to, entry) in to.iter_mut().zip(entries) {
        *to = entry;
    }
}

/// Copies of the input without a part of the tracks, or of the rows. The remaining pieces keep
/// their offsets.
pub(super) fn shrunk(input: &Clusters) -> impl Iterator<Item = Clusters> + '_ {
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

    #[test]
    fn no_hard_input_is_invalid() {
        assert_eq!(all(1).len(), 9 + 1 + 2 + 4);
    }

    #[test]
    fn a_single_piece_can_be_reached() {
        let tracks = [(0, 3), (4, 5), (10, 2), (20, 7), (30, 1)];
        let input = clusters(&tracks, &[3, 1, 0, 2], 3).expect("sound");
        let has_it = |left: &Clusters| left.tracks().counts.contains(&7);
        let smaller = |left: &Clusters| shrunk(left).find(has_it);
        let left = std::iter::successors(Some(input), smaller).last();
        let left = left.expect("the first");
        assert_eq!(left.tracks().starts, [20]);
        assert_eq!(left.rows().counts, [0; 4]);
    }
}
