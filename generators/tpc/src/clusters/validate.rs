//! Checks that clusters can be gathered, and their errors.

use super::{Pieces, Slots};

/// Checks the sizes of arrays against the numbers of slots.
pub(super) fn sizes(slots: &Slots, starts: usize, bytes: usize) -> Result<(), ClusterProblem> {
    if let Some(problem) = slots.problem() {
        return Err(problem);
    }
    if starts != slots.tracks {
        let tracks = slots.tracks;
        return Err(ClusterProblem::Starts { starts, tracks });
    }
    let expected = slots.layout().bytes();
    if bytes != expected {
        return Err(ClusterProblem::Bytes { found: bytes, expected });
    }
    Ok(())
}

/// Checks that each track has clusters, in slots that no other track uses.
pub(super) fn tracks(slots: &Slots, tracks: &Pieces) -> Result<(), ClusterProblem> {
    for (track, (&start, &count)) in tracks.starts.iter().zip(&tracks.counts).enumerate() {
        if count == 0 {
            return Err(ClusterProblem::EmptyTrack { track });
        }
        if start as usize + count as usize > slots.attached {
            return Err(ClusterProblem::BeyondArray { track, start, count, slots: slots.attached });
        }
    }
    disjoint(tracks)
}

fn disjoint(tracks: &Pieces) -> Result<(), ClusterProblem> {
    let mut order: Vec<u32> = (0..tracks.len() as u32).collect();
    order.sort_unstable_by_key(|&track| (tracks.starts[track as usize], track));
    let overlap = order.windows(2).find_map(|pair| {
        let [first, second] = [pair[0] as usize, pair[1] as usize];
        let slot = tracks.starts[second];
        let end = tracks.starts[first] + tracks.counts[first];
        (slot < end).then_some(ClusterProblem::Overlap { first, second, slot })
    });
    overlap.map_or(Ok(()), Err)
}

/// Checks that no row has more clusters than its capacity.
pub(super) fn rows(slots: &Slots, rows: &Pieces) -> Result<(), ClusterProblem> {
    let capacity = slots.row_capacity;
    let beyond = |&count: &u32| count as usize > capacity;
    match rows.counts.iter().position(beyond) {
        None => Ok(()),
        Some(row) => Err(ClusterProblem::BeyondCapacity { row, count: rows.counts[row], capacity }),
    }
}

/// Clusters that can't be gathered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClusterProblem {
    /// No tracks at all.
    #[error("there are no tracks; at least one is needed")]
    NoTracks,
    /// More slots than 32-bit indices can address.
    #[error(
        "{tracks} tracks, {attached} slots for their clusters and {rows} rows with \
         {row_capacity} slots each are too many"
    )]
    TooMany {
        /// Tracks.
        tracks: usize,
        /// Slots for clusters on tracks.
        attached: usize,
        /// Rows.
        rows: usize,
        /// Slots of each row.
        row_capacity: usize,
    },
    /// A number of starts that differs from the number of tracks.
    #[error("there are slots of {starts} first clusters; each of the {tracks} tracks needs one")]
    Starts {
        /// Their actual number.
        starts: usize,
        /// The tracks.
        tracks: usize,
    },
    /// Arrays of another size.
    #[error("the arrays have {found} bytes instead of {expected}")]
    Bytes {
        /// Their actual number.
        found: usize,
        /// Bytes for the slots.
        expected: usize,
    },
    /// A track without clusters.
    #[error("track {track} has no clusters; leave it out")]
    EmptyTrack {
        /// Index of the track.
        track: usize,
    },
    /// A piece that exceeds its arrays.
    #[error("track {track}: {count} clusters from slot {start} on exceed the {slots} slots")]
    BeyondArray {
        /// Index of the track.
        track: usize,
        /// Index of its first cluster.
        start: u32,
        /// Its clusters.
        count: u32,
        /// Slots of the arrays.
        slots: usize,
    },
    /// Two pieces with a slot in common.
    #[error("tracks {first} and {second} overlap at slot {slot}")]
    Overlap {
        /// The track that starts first.
        first: usize,
        /// The track that starts before the other one ends.
        second: usize,
        /// The first common slot.
        slot: u32,
    },
    /// More clusters than a row has slots.
    #[error("row {row} has {count} clusters, but a capacity of {capacity}")]
    BeyondCapacity {
        /// Index of the row, over all sectors.
        row: usize,
        /// Its clusters.
        count: u32,
        /// Its slots.
        capacity: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::super::Clusters;
    use super::super::layout::{CLUSTERS_OF_ROW, CLUSTERS_OF_TRACK};
    use super::*;

    const SLOTS: Slots = Slots { tracks: 2, attached: 20, rows: 3, row_capacity: 4 };

    /// Clusters of two tracks and three rows.
    fn clusters(starts: [u32; 2], tracks: [u16; 2], rows: [u32; 3]) -> Result<Clusters, String> {
        let layout = SLOTS.layout();
        let mut bytes = vec![7; layout.bytes()];
        let tracks = tracks.map(u16::to_le_bytes).concat();
        bytes[layout.range(CLUSTERS_OF_TRACK)].copy_from_slice(&tracks);
        let rows = rows.map(u32::to_le_bytes).concat();
        bytes[layout.range(CLUSTERS_OF_ROW)].copy_from_slice(&rows);
        Clusters::new(SLOTS, starts.to_vec(), bytes).map_err(|problem| problem.to_string())
    }

    #[test]
    fn valid_data_are_accepted() {
        let clusters = clusters([12, 2], [8, 10], [0, 4, 1]).expect("sound");
        assert_eq!(clusters.len(), 23);
        assert_eq!(clusters.rows().starts, [0, 4, 8]);
        assert_eq!(clusters.packed().differences, 16);
    }

    #[test]
    fn pieces_must_lie_in_their_arrays() {
        let beyond = clusters([13, 2], [8, 10], [0; 3]);
        assert_eq!(
            beyond.expect_err("refused"),
            "track 0: 8 clusters from slot 13 on exceed the 20 slots"
        );
        let beyond = clusters([u32::MAX, 2], [8, 10], [0; 3]);
        assert!(beyond.expect_err("refused").contains("track 0"));
        let row = clusters([12, 2], [8, 10], [0, 5, 0]);
        assert_eq!(row.expect_err("refused"), "row 1 has 5 clusters, but a capacity of 4");
    }

    #[test]
    fn pieces_must_not_overlap() {
        let problem = clusters([11, 2], [8, 10], [0; 3]).expect_err("refused");
        assert_eq!(problem, "tracks 1 and 0 overlap at slot 11");
        let same = clusters([2, 2], [1, 1], [0; 3]).expect_err("refused");
        assert_eq!(same, "tracks 0 and 1 overlap at slot 2");
    }

    #[test]
    fn there_must_be_tracks_with_clusters() {
        let empty = clusters([0, 1], [0, 1], [0; 3]).expect_err("refused");
        assert!(empty.starts_with("track 0 has no clusters"));
        let none = Clusters::new(Slots::default(), Vec::new(), Vec::new());
        assert_eq!(none, Err(ClusterProblem::NoTracks));
    }

    #[test]
    fn arrays_must_have_their_sizes() {
        let bytes = vec![0; SLOTS.layout().bytes() - 1];
        let short = Clusters::new(SLOTS, vec![0, 1], bytes).expect_err("refused");
        assert!(matches!(short, ClusterProblem::Bytes { .. }));
        let starts = Clusters::new(SLOTS, vec![0], Vec::new()).expect_err("refused");
        assert!(matches!(starts, ClusterProblem::Starts { starts: 1, .. }));
        let rows = Slots { rows: usize::MAX, ..SLOTS };
        let many = Clusters::new(rows, vec![0, 1], Vec::new()).expect_err("refused");
        assert!(matches!(many, ClusterProblem::TooMany { .. }));
    }
}
