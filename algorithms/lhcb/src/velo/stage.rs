//! Stages of the reconstruction, each a task.

/// Stage of the reconstruction, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Clusters of super-pixels.
    Clusters,
    /// Clusters of the readout as sorted hits.
    Decode,
    /// Clusters of super-pixels in order of angle.
    Sort,
    /// Tracks of sorted hits.
    Tracks,
    /// Raw banks to tracks.
    Chain,
}

impl Stage {
    /// Name of the task.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Clusters => "velo-cluster",
            Stage::Decode => "velo-decode",
            Stage::Sort => "velo-sort",
            Stage::Tracks => "velo-tracks",
            Stage::Chain => "velo",
        }
    }

    /// The task in one line.
    pub const fn summary(self) -> &'static str {
        match self {
            Stage::Clusters => "find clusters in the super-pixels of LHCb's VELO",
            Stage::Decode => "decode the clusters that the readout of LHCb's VELO has found",
            Stage::Sort => "sort the hits of each pair of modules of LHCb's VELO by angle",
            Stage::Tracks => "find tracks in the sorted hits of LHCb's VELO",
            Stage::Chain => "the whole reconstruction of LHCb's VELO, from raw banks to tracks",
        }
    }

    /// True if it starts from raw banks.
    pub const fn starts_from_banks(self) -> bool {
        matches!(self, Stage::Clusters | Stage::Decode | Stage::Chain)
    }

    /// True if hits are part of the output.
    pub const fn has_hits(self) -> bool {
        !matches!(self, Stage::Tracks)
    }

    /// True if tracks are part of the output.
    pub const fn has_tracks(self) -> bool {
        matches!(self, Stage::Tracks | Stage::Chain)
    }
}
