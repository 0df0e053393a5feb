//! What variants are ranked by: the whole, or what a device does with data that stay on it.
//!
//! On a GPU the copies to the device and back can hide everything else: sorts that differ
//! three-fold look alike behind a link. Both questions are good ones, so tables and charts
//! answer both where there is a difference, and say by which of them they rank.

use std::collections::HashMap;

use crate::record::{Point, SummaryRow};

/// The stage that is the whole run.
pub const TOTAL: &str = "total";

/// The stage that is the sum of the kernels.
pub const KERNEL: &str = "kernel";

/// What variants are ranked by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rank {
    /// End to end, the copies included.
    #[default]
    Total,
    /// The kernels, for data that stay on the device. What runs on the host has no copies:
    /// it ranks by the whole.
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

    /// What it is for a reader.
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

/// Whether any of the rows is of kernels, so that there is a choice.
pub fn has_kernels<'a>(rows: impl IntoIterator<Item = &'a SummaryRow>) -> bool {
    rows.into_iter().any(is_kernel)
}

/// The rows that stand for their points in a ranking: of each whole one either itself, or
/// that of its kernels where it has one and these rank.
pub fn standing<'a>(
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
    let standing = wholes.map(|row| kernels.get(&row.point()).copied().unwrap_or(row));
    standing.collect()
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
            let standing = standing(&rows, rank).into_iter().take(3);
            let names = standing.map(|row| (row.variant.as_str(), row.stage.as_str()));
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
        assert_eq!(standing(&rows, Rank::Kernel)[0].stage, TOTAL);
    }
}
