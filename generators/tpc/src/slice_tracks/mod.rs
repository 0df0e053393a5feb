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
//! | `particle` | the pieces of one particle |
//! | `generate` | slice tracks from a seed, in their order |
//! | `validate` | errors in chains, neighbours and links, and their detection |

mod generate;
mod particle;
mod validate;

pub use generate::generate;
pub use validate::{Property, TrackProblem};

use std::fmt;
use std::str::FromStr;

use text::Untrusted;

use generators_common::DataError;

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

/// Numbers of slice tracks have 31 bits, as the experiment's.
pub const MAX_TRACKS: usize = 1 << 31;

/// Numbering of the pieces of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// Numbers that are close to each other.
    Local,
    /// Any numbers.
    Shuffled,
}

/// Parameters of slice tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackShape {
    /// Number of slice tracks.
    pub tracks: usize,
    /// Their numbering.
    pub ids: Ids,
}

impl TrackShape {
    /// Checks the parameters.
    ///
    /// # Errors
    /// The invalid value, and the valid ones.
    pub fn validate(&self) -> Result<(), DataError> {
        if (1..=MAX_TRACKS).contains(&self.tracks) {
            return Ok(());
        }
        let tracks = self.tracks;
        Err(DataError::shape(format!(
            "{tracks} slice tracks can't be made; use --tracks 1 to {MAX_TRACKS}"
        )))
    }
}

impl FromStr for Ids {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "local" => Ok(Ids::Local),
            "shuffled" => Ok(Ids::Shuffled),
            _ => Err(format!("{} is neither local nor shuffled", name.quoted())),
        }
    }
}

impl fmt::Display for Ids {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Ids::Local => "local",
            Ids::Shuffled => "shuffled",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_at_all_are_refused() {
        let shape = |tracks| TrackShape { tracks, ids: Ids::Local };
        assert!(shape(1).validate().is_ok());
        let error = shape(0).validate().expect_err("refused");
        assert!(error.to_string().contains("--tracks"));
        assert!(shape(MAX_TRACKS + 1).validate().is_err());
    }
}
