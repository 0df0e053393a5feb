//! What can be wrong with clusters in pieces.

/// Clusters that can't be gathered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClusterProblem {
    /// No tracks at all.
    #[error("there are no tracks; at least one is needed")]
    NoTracks,
    /// More places than numbers of 32 bits can name.
    #[error(
        "{tracks} tracks, {attached} places for their clusters and {rows} rows with \
         {row_capacity} places each are too many"
    )]
    TooMany {
        /// Tracks.
        tracks: usize,
        /// Places for clusters on tracks.
        attached: usize,
        /// Rows.
        rows: usize,
        /// Places of each row.
        row_capacity: usize,
    },
    /// A number of starts that is not that of the tracks.
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
        /// Those of so many places.
        expected: usize,
    },
    /// A track without clusters.
    #[error("track {track} has no clusters; leave it out")]
    EmptyTrack {
        /// Which.
        track: usize,
    },
    /// A piece that does not lie in its arrays.
    #[error("track {track}: {count} clusters from place {start} on exceed the {places} places")]
    BeyondArray {
        /// Which.
        track: usize,
        /// Where it begins.
        start: u32,
        /// Its clusters.
        count: u32,
        /// Places of the arrays.
        places: usize,
    },
    /// Two pieces with a place in common.
    #[error("tracks {first} and {second} overlap at place {place}")]
    Overlap {
        /// The one that begins first.
        first: usize,
        /// The one that begins before the other ends.
        second: usize,
        /// Where that is.
        place: u32,
    },
    /// More clusters than a row has places.
    #[error("row {row} has {count} clusters, but a capacity of {capacity}")]
    BeyondCapacity {
        /// Which, in all sectors.
        row: usize,
        /// Its clusters.
        count: u32,
        /// Its places.
        capacity: usize,
    },
}
