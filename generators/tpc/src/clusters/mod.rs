//! Compressed clusters in pieces, as the compression leaves them in memory, to be gathered.
//!
//! The properties of a cluster are in several arrays, one array per [`Field`]. The clusters of a
//! track are a *piece* of each array of attached clusters: its start is random, because it depends
//! on which track was compressed first. Clusters on no track are pieces too, one for each row of
//! each sector; each row has capacity for more clusters than it has.
//!
//! For all clusters of a track but the first one, the difference to the previous one is stored, in
//! the slots of these clusters: the first slot of each piece is unused.
//!
//! | module | content |
//! |---|---|
//! | `layout` | the arrays, and their offsets in a block of memory |
//! | `generate` | clusters from a seed, and their parameters |
//! | `validate` | errors in pieces, and their detection |

mod generate;
mod layout;
mod validate;

pub use generate::{ClusterShape, Slots, generate};
pub use layout::{ALIGNMENT, Entries, FIELDS, Field, Layout, Per};
pub use validate::ClusterProblem;

use layout::{CLUSTERS_OF_ROW, CLUSTERS_OF_TRACK};

/// Pieces of an array of slots: the start and the number of clusters of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Indices of the first clusters.
    pub starts: Vec<u32>,
    /// Numbers of clusters.
    pub counts: Vec<u32>,
}

/// Compressed clusters of a timeframe. Pieces are within their arrays and don't overlap, and each
/// track has a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    slots: Slots,
    tracks: Pieces,
    rows: Pieces,
    layout: Layout,
    bytes: Vec<u8>,
}

impl Pieces {
    /// Number of clusters of all pieces.
    pub fn clusters(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).sum()
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True if there are no pieces.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

impl Clusters {
    /// Validates clusters in slots: `starts` has the index of each track's first cluster, `bytes`
    /// all arrays as laid out by [`Slots::layout`]. The numbers of clusters of tracks and rows are
    /// in two of the arrays.
    ///
    /// # Errors
    /// The first error, with the index of the track or row.
    pub fn new(slots: Slots, starts: Vec<u32>, bytes: Vec<u8>) -> Result<Self, ClusterProblem> {
        validate::sizes(&slots, starts.len(), bytes.len())?;
        let layout = slots.layout();
        let tracks = Pieces {
            starts,
            counts: numbers(&bytes[layout.range(CLUSTERS_OF_TRACK)], |count: [u8; 2]| {
                u16::from_le_bytes(count).into()
            }),
        };
        let row_start = |row| (row * slots.row_capacity) as u32;
        let rows = Pieces {
            starts: (0..slots.rows).map(row_start).collect(),
            counts: numbers(&bytes[layout.range(CLUSTERS_OF_ROW)], u32::from_le_bytes),
        };
        validate::tracks(&slots, &tracks)?;
        validate::rows(&slots, &rows)?;
        Ok(Clusters { slots, tracks, rows, layout, bytes })
    }

    /// Numbers of slots.
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// The pieces of attached clusters, one a track.
    pub fn tracks(&self) -> &Pieces {
        &self.tracks
    }

    /// The pieces of unattached clusters, one per row of a sector.
    pub fn rows(&self) -> &Pieces {
        &self.rows
    }

    /// Layout of the arrays in [`Clusters::bytes`].
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All arrays.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of clusters, on tracks or not.
    pub fn len(&self) -> usize {
        self.tracks.clusters() + self.rows.clusters()
    }

    /// True if there are no clusters.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Numbers of entries of the arrays without gaps.
    pub fn packed(&self) -> Entries {
        let attached = self.tracks.clusters();
        Entries {
            rows: self.rows.len(),
            tracks: self.tracks.len(),
            attached,
            differences: attached - self.tracks.len(),
            unattached: self.rows.clusters(),
        }
    }
}

/// Converts an array of `N`-byte numbers.
fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> u32) -> Vec<u32> {
    let (chunks, _) = bytes.as_chunks::<N>();
    chunks.iter().map(|&chunk| number(chunk)).collect()
}
