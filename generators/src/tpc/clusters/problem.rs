//! Errors of clusters in pieces.

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
