//! Errors of clusters in pieces.

/// Clusters that can't be gathered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClusterProblem {
    /// No tracks at all.
    #[error("there are no tracks; at least one is needed")]
    NoTracks,
    /// More slots than 32-bit indices can address.
    #[error(
        "{tracks} tracks, {attached} places for their clusters and {rows} rows with \
         {row_capacity} places each are too many"
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
    #[error("there are places of {starts} first clusters; each of the {tracks} tracks needs one")]
    Starts {
        /// Those that there are.
        starts: usize,
        /// The tracks.
        tracks: usize,
    },
    /// Arrays of another size.
    #[error("the arrays have {found} bytes instead of {expected}")]
    Bytes {
        /// Those that there are.
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
    /// A piece that does not lie in its arrays.
    #[error("track {track}: {count} clusters from place {start} on exceed the {places} places")]
    BeyondArray {
        /// Index of the track.
        track: usize,
        /// Index of its first cluster.
        start: u32,
        /// Its clusters.
        count: u32,
        /// Slots of the arrays.
        places: usize,
    },
    /// Two pieces with a slot in common.
    #[error("tracks {first} and {second} overlap at place {place}")]
    Overlap {
        /// The track that starts first.
        first: usize,
        /// The track that starts before the other one ends.
        second: usize,
        /// The first common slot.
        place: u32,
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
