//! Slice tracks: the part of a particle's track inside one sector, and how they may belong
//! together.
//!
//! Tracks are found in each sector separately. A particle that crosses a boundary leaves pieces of
//! a track in several sectors; one that curls up leaves several legs. Pieces of a leg form a
//! *segment chain*, linked to the previous and the next one. The heads of adjacent legs are linked
//! as *neighbours*, one on the lower and one on the upper side along the drift. A *link* proposes
//! that two slice tracks be joined.
//!
//! | module | content |
//! |---|---|
//! | `shape` | parameters |
//! | `particle` | the pieces of one particle |
//! | `numbering` | the order of slice tracks |
//! | `generate` | slice tracks from a seed |
//! | `problem`, `validate` | errors in chains, neighbours and links, and their detection |

mod generate;
mod numbering;
mod particle;
mod problem;
mod shape;
mod validate;

pub use generate::generate;
pub use problem::{Property, TrackProblem};
pub use shape::{Ids, MAX_TRACKS, TrackShape};

/// No slice track: the end of a chain, no neighbour, no link.
pub const NONE: u32 = u32::MAX;

/// Input of merging for a slice track.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct SliceTrack {
    /// Charge over transverse momentum, in c/GeV.
    pub q_over_pt: f32,
    /// The lower end of its extent along the drift.
    pub zt_min: f32,
    /// The upper end.
    pub zt_max: f32,
    /// Clusters on it.
    pub n_clusters: u32,
}

/// Relations of a slice track to others, by their indices or [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Relations {
    /// The piece before it on the same leg.
    pub segment_prev: u32,
    /// The next piece on the same leg.
    pub segment_next: u32,
    /// The heads of the adjacent legs, on the lower and on the upper side; only heads of chains
    /// have any.
    pub neighbours: [u32; 2],
}

impl Relations {
    /// A slice track that belongs to no other.
    pub const ALONE: Relations =
        Relations { segment_prev: NONE, segment_next: NONE, neighbours: [NONE; 2] };
}

impl Default for Relations {
    fn default() -> Self {
        Relations::ALONE
    }
}

/// The slice tracks of a timeframe, as they come to the merger. Chains have no cycles,
/// and all relations are mutual.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SliceTracks {
    tracks: Vec<SliceTrack>,
    relations: Vec<Relations>,
    links: Vec<u32>,
}

impl SliceTracks {
    /// Validates slice tracks with their relations and a link each.
    ///
    /// # Errors
    /// The first error, with the index of the slice track.
    pub fn new(
        tracks: Vec<SliceTrack>,
        relations: Vec<Relations>,
        links: Vec<u32>,
    ) -> Result<Self, TrackProblem> {
        validate::all(&tracks, &relations, &links)?;
        Ok(SliceTracks { tracks, relations, links })
    }

    /// Number of slice tracks.
    pub fn len(&self) -> usize {
        self.tracks.len()
    }

    /// True if there are no slice tracks.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// Their kinematics.
    pub fn tracks(&self) -> &[SliceTrack] {
        &self.tracks
    }

    /// Their relations before merging.
    pub fn relations(&self) -> &[Relations] {
        &self.relations
    }

    /// The slice track that each should be joined with, or [`NONE`].
    pub fn links(&self) -> &[u32] {
        &self.links
    }
}
