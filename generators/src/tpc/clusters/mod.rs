//! Compressed clusters in pieces: what the compression leaves in memory, to be gathered.
//!
//! What is known of a cluster lies in several arrays, an array a [`Field`]. The clusters of
//! a track are a *piece* of each array of attached clusters: where it begins is a matter of
//! chance, as it depends on which track was compressed first. Clusters on no track are
//! pieces too, one for each row of each sector; there is room for more clusters in each row
//! than it has.
//!
//! Of all clusters of a track but the first one the difference to the one before it is
//! kept, in the places of these clusters: the first place of each piece is unused.
//!
//! | module | holds |
//! |---|---|
//! | `field` | the arrays |
//! | `layout` | where arrays lie in a block of memory |
//! | `shape` | what is to be made |
//! | `generate` | all of it, from a seed |
//! | `problem`, `validate` | what can be wrong with pieces |

mod field;
mod generate;
mod layout;
mod problem;
mod shape;
mod validate;

pub use field::{FIELDS, Field, Per};
pub use generate::generate;
pub use layout::{ALIGNMENT, Entries, Layout};
pub use problem::ClusterProblem;
pub use shape::{ClusterShape, Places};

use field::{CLUSTERS_OF_ROW, CLUSTERS_OF_TRACK};

/// Pieces of an array of places: where each begins, and how many clusters it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// The places of the first clusters.
    pub starts: Vec<u32>,
    /// The numbers of clusters.
    pub counts: Vec<u32>,
}

/// Compressed clusters of a timeframe. Pieces lie within their arrays and don't overlap,
/// and each track has a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    places: Places,
    tracks: Pieces,
    rows: Pieces,
    layout: Layout,
    bytes: Vec<u8>,
}

impl Pieces {
    /// How many clusters all pieces have.
    pub fn clusters(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).sum()
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

impl Clusters {
    /// Clusters in the places given, if they make sense: for each track the place of its
    /// first cluster, and the bytes of all arrays as [`Places::layout`] has them. How many
    /// clusters tracks and rows have is in those of their arrays that say so.
    ///
    /// # Errors
    /// The first thing that is wrong, with the number of the track or row.
    pub fn new(places: Places, starts: Vec<u32>, bytes: Vec<u8>) -> Result<Self, ClusterProblem> {
        validate::sizes(&places, starts.len(), bytes.len())?;
        let layout = places.layout();
        let tracks = Pieces {
            starts,
            counts: numbers(&bytes[layout.range(CLUSTERS_OF_TRACK)], |count: [u8; 2]| {
                u16::from_le_bytes(count).into()
            }),
        };
        let row_start = |row| (row * places.row_capacity) as u32;
        let rows = Pieces {
            starts: (0..places.rows).map(row_start).collect(),
            counts: numbers(&bytes[layout.range(CLUSTERS_OF_ROW)], u32::from_le_bytes),
        };
        validate::tracks(&places, &tracks)?;
        validate::rows(&places, &rows)?;
        Ok(Clusters { places, tracks, rows, layout, bytes })
    }

    /// How many places there are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The pieces of attached clusters, one a track.
    pub fn tracks(&self) -> &Pieces {
        &self.tracks
    }

    /// The pieces of unattached clusters, one a row of a sector.
    pub fn rows(&self) -> &Pieces {
        &self.rows
    }

    /// Where arrays lie in [`Clusters::bytes`].
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All arrays.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of clusters, on tracks or not.
    pub fn len(&self) -> usize {
        self.tracks.clusters() + self.rows.clusters()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries arrays have once they have no gaps.
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

/// The numbers of an array of numbers of so many bytes.
fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> u32) -> Vec<u32> {
    let (chunks, _) = bytes.as_chunks::<N>();
    chunks.iter().map(|&chunk| number(chunk)).collect()
}
