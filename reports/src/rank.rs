//! Time by which variants are ranked: end to end, or kernels, for data that stay on the device.
//!
//! On a GPU the copies to the device and back can hide everything else: sorts that differ by a
//! factor of three look alike because of the link. Both rankings are useful, so tables and charts
//! show both where they differ, and state by which one they rank.

use std::collections::HashMap;

use serde::Serialize;

use crate::record::{Point, SummaryRow};
use crate::row::named_cells;
use crate::units;

/// The stage of the total time.
pub const TOTAL: &str = "total";

/// The stage of a run that processes only a subsample of the work, so that tables and charts do not
/// mistake its time for that of a complete run.
pub const SAMPLE: &str = "sample";

/// True if a stage is a run rather than a part of one.
pub fn is_whole(stage: &str) -> bool {
    [TOTAL, SAMPLE].contains(&stage)
}

/// The stage of the sum of the kernels.
pub const KERNEL: &str = "kernel";

/// Time by which variants are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rank {
    /// End to end, including copies.
    #[default]
    Total,
    /// The kernels, for data that stay on the device. Variants on the host have no copies and rank
    /// by the total.
    Kernel,
}

impl Rank {
    /// Both, the default first.
    pub const ALL: [Rank; 2] = [Rank::Total, Rank::Kernel];

    /// The name in flags, which is that of the stage.
    pub fn name(self) -> &'static str {
        match self {
            Rank::Total => TOTAL,
            Rank::Kernel => KERNEL,
        }
    }

    /// Description for readers.
    pub fn words(self) -> &'static str {
        match self {
            Rank::Total => "end to end",
            Rank::Kernel => "kernels",
        }
    }

    /// The other one.
    pub fn other(self) -> Rank {
        match self {
            Rank::Total => Rank::Kernel,
            Rank::Kernel => Rank::Total,
        }
    }

    /// `ranked by: end to end`.
    pub fn sentence(self) -> String {
        format!("ranked by: {}", self.words())
    }
}

/// Quantity by which variants are ranked, and that is followed over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum RankedBy {
    /// Time.
    #[default]
    Time,
    /// Energy of an item.
    Energy,
}

named_cells! { RankedBy }

impl RankedBy {
    /// Both, the default first.
    pub const ALL: [RankedBy; 2] = [RankedBy::Time, RankedBy::Energy];

    /// Predicate for serde.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub(crate) fn is_time(&self) -> bool {
        *self == RankedBy::Time
    }

    /// The name in flags.
    pub fn name(self) -> &'static str {
        match self {
            RankedBy::Time => "time",
            RankedBy::Energy => "energy",
        }
    }

    /// Value of a valid row: its median in seconds, or the joules of an item.
    pub fn value(self, row: &SummaryRow) -> Option<f64> {
        match self {
            RankedBy::Time => row.valid_median(),
            RankedBy::Energy => row.joules_per_item().filter(|_| row.stage == TOTAL),
        }
    }

    /// The 95 % confidence interval of that value.
    pub fn interval(self, row: &SummaryRow) -> Option<(f64, f64)> {
        match self {
            RankedBy::Time => row.full_interval(),
            RankedBy::Energy => row.energy_interval(),
        }
    }

    /// A value with its unit.
    pub fn words(self, value: f64) -> String {
        match self {
            RankedBy::Time => units::seconds(value, 3),
            RankedBy::Energy => units::joules(value),
        }
    }
}

/// True if any of the rows is of kernels, so that both rankings exist.
pub fn has_kernels<'a>(rows: impl IntoIterator<Item = &'a SummaryRow>) -> bool {
    rows.into_iter().any(is_kernel)
}

/// The rows that represent their points in a ranking: for each total row either itself, or that of
/// its kernels if there is one and `self` ranks by kernels.
pub fn representatives<'a>(
    rows: impl IntoIterator<Item = &'a SummaryRow, IntoIter: Clone>,
    rank: Rank,
) -> Vec<&'a SummaryRow> {
    let rows = rows.into_iter();
    let wholes = rows.clone().filter(|row| row.stage == TOTAL);
    if rank == Rank::Total {
        return wholes.collect();
    }
    let kernels = rows.filter(|row| is_kernel(row));
    let kernels: HashMap<Point, &SummaryRow> = kernels.map(|row| (row.point(), row)).collect();
    let representatives = wholes.map(|row| kernels.get(&row.point()).copied().unwrap_or(row));
    representatives.collect()
}

fn is_kernel(row: &SummaryRow) -> bool {
    row.stage == KERNEL && row.valid_median().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::{break_even_rows, row};

    #[test]
    fn kernels_stand_for_their_points_and_the_host_for_itself() {
        let rows = break_even_rows(&["random"]);
        assert!(has_kernels(&rows) && !has_kernels(&[row("a", "n=1", 1.0)]));
        let names = |rank| {
            let representatives = representatives(&rows, rank).into_iter().take(3);
            let names = representatives.map(|row| (row.variant.as_str(), row.stage.as_str()));
            names.collect::<Vec<_>>()
        };
        let wholes = [("small", TOTAL), ("large", TOTAL), ("gpu", TOTAL)];
        assert_eq!(names(Rank::Total), wholes);
        let kernels = [("small", TOTAL), ("large", TOTAL), ("gpu", KERNEL)];
        assert_eq!(names(Rank::Kernel), kernels);
    }

    #[test]
    fn kernels_without_a_time_stand_for_nothing() {
        let mut kernel = row("gpu", "n=1", 1.0);
        kernel.stage = KERNEL.into();
        kernel.median_s = None;
        let rows = [row("gpu", "n=1", 2.0), kernel];
        assert!(!has_kernels(&rows));
        assert_eq!(representatives(&rows, Rank::Kernel)[0].stage, TOTAL);
    }
}
