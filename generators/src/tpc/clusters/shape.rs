//! Parameters of generated clusters, and the memory they need.

use super::ClusterProblem;
use super::layout::{Entries, Layout};
use crate::DataError;
use crate::tpc::geometry::{ROWS, SECTORS};

/// Maximum number of slots of an array of clusters: byte offsets have 32 bits.
const MAX_SLOTS: usize = 1 << 29;
/// Maximum number of clusters of a track, which has 16 bits.
const MAX_CLUSTERS_OF_TRACK: usize = u16::MAX as usize;

/// Parameters of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterShape {
    /// Number of tracks.
    pub tracks: usize,
    /// Minimum number of clusters of a track.
    pub min_clusters: usize,
    /// Maximum number of clusters of a track.
    pub max_clusters: usize,
    /// Mean number of clusters on no track, for each row of each sector.
    pub row_clusters: usize,
}

/// Numbers of slots for tracks, rows and clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// Tracks.
    pub tracks: usize,
    /// Slots for clusters on tracks.
    pub attached: usize,
    /// Rows of all sectors.
    pub rows: usize,
    /// Slots for clusters of each row.
    pub row_capacity: usize,
}

impl Slots {
    /// The reason why these slots are invalid, if they are.
    pub fn problem(&self) -> Option<ClusterProblem> {
        let Slots { tracks, attached, rows, row_capacity } = *self;
        if tracks == 0 {
            return Some(ClusterProblem::NoTracks);
        }
        let unattached = rows.saturating_mul(row_capacity);
        let max = tracks.max(attached).max(rows).max(unattached);
        (max > MAX_SLOTS).then_some(ClusterProblem::TooMany {
            tracks,
            attached,
            rows,
            row_capacity,
        })
    }

    /// Layout of the arrays with these slots.
    pub fn layout(&self) -> Layout {
        Layout::new(&Entries {
            rows: self.rows,
            tracks: self.tracks,
            attached: self.attached,
            // The first slot of each track is unused.
            differences: self.attached,
            unattached: self.rows * self.row_capacity,
        })
    }
}

impl ClusterShape {
    /// The tracks of the timeframe that was published, with 130 million clusters: 1.9 GB.
    pub const PUBLISHED_TRACKS: usize = 1_170_000;
    /// Its clusters of a row that are on no track.
    pub const PUBLISHED_ROW_CLUSTERS: usize = 4570;

    /// Checks the parameters.
    ///
    /// # Errors
    /// The invalid value, and the valid ones.
    pub fn validate(&self) -> Result<(), DataError> {
        let ClusterShape { tracks, min_clusters, max_clusters, .. } = *self;
        if tracks == 0 {
            return refuse("no tracks can't be gathered; use --tracks 1 or more");
        }
        if min_clusters == 0 || min_clusters > max_clusters || max_clusters > MAX_CLUSTERS_OF_TRACK
        {
            return refuse(format!(
                "tracks can't have {min_clusters} to {max_clusters} clusters; use --fewest and \
                 --most with 1 <= fewest <= most <= {MAX_CLUSTERS_OF_TRACK}"
            ));
        }
        match self.max_slots().problem() {
            None => Ok(()),
            Some(problem) => refuse(format!(
                "{problem}: there can be {MAX_SLOTS} of a kind; use fewer --tracks or \
                 --row-clusters"
            )),
        }
    }

    /// The maximum number of slots, for any numbers of clusters.
    fn max_slots(&self) -> Slots {
        Slots {
            tracks: self.tracks,
            attached: with_slack(self.tracks.saturating_mul(self.max_clusters)),
            rows: SECTORS * ROWS,
            row_capacity: self.row_capacity(),
        }
    }

    /// About how many clusters there will be on tracks, and on none.
    pub fn mean_clusters(&self) -> [usize; 2] {
        let attached = self.tracks * (self.min_clusters + self.max_clusters) / 2;
        [attached, SECTORS * ROWS * self.row_clusters]
    }

    /// Slots of each row: a third more than the maximum number of clusters.
    pub(super) fn row_capacity(&self) -> usize {
        self.row_clusters.saturating_mul(2)
    }
}

/// Slots for `clusters` clusters on tracks: a sixteenth more.
pub(super) fn with_slack(clusters: usize) -> usize {
    clusters.saturating_add(clusters / 16)
}

fn refuse(problem: impl Into<String>) -> Result<(), DataError> {
    Err(DataError::shape(problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: ClusterShape =
        ClusterShape { tracks: 10, min_clusters: 20, max_clusters: 160, row_clusters: 5 };

    fn problem(shape: ClusterShape) -> String {
        shape.validate().expect_err("refused").to_string()
    }

    #[test]
    fn invalid_shapes_are_refused_with_the_flag() {
        assert!(SOUND.validate().is_ok());
        assert!(problem(ClusterShape { tracks: 0, ..SOUND }).contains("--tracks"));
        assert!(problem(ClusterShape { min_clusters: 0, ..SOUND }).contains("--fewest"));
        assert!(problem(ClusterShape { max_clusters: 19, ..SOUND }).contains("--most"));
        assert!(problem(ClusterShape { max_clusters: 65_536, ..SOUND }).contains("--most"));
        let tracks = usize::MAX;
        assert!(problem(ClusterShape { tracks, ..SOUND }).contains("--tracks"));
        let row_clusters = usize::MAX;
        assert!(problem(ClusterShape { row_clusters, ..SOUND }).contains("--row-clusters"));
    }

    #[test]
    fn the_published_timeframe_has_its_size() {
        let tracks = ClusterShape::PUBLISHED_TRACKS;
        let attached = tracks * 90;
        let unattached = ClusterShape::PUBLISHED_ROW_CLUSTERS * SECTORS * ROWS;
        let entries = Entries {
            rows: SECTORS * ROWS,
            tracks,
            attached,
            differences: attached - tracks,
            unattached,
        };
        assert!((129_000_000..131_000_000).contains(&(attached + unattached)));
        assert!((1_850_000_000..1_950_000_000).contains(&entries.bytes()));
    }
}
