//! Settings of finding clusters, and rules for noisy pads, which are left out: recobench's rule,
//! over the whole time frame, or that of the experiment, which examines the first fragment only,
//! and not all pads.

use generators_common::named;
use generators_tpc::geometry::{ROWS, first_pad_of_row, pads_in_row};

use crate::tpc_cluster_finder::Settings;
use crate::tpc_decode::Fragments;
use crate::tpc_decode::charge_map::TILE_PADS;
use crate::tpc_noisy_pads;

/// Settings of finding clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Finding {
    /// Time bins of the time frame.
    pub(super) time_bins: u32,
    /// Time bins that are processed together.
    pub(super) fragment: u32,
    /// Rule for noisy pads.
    pub(super) rule: NoisyRule,
    /// Thresholds.
    pub(super) settings: Settings,
}

impl Finding {
    /// Limits beyond which a pad is noisy.
    pub(super) fn limits(&self) -> Limits {
        Limits::new(self.rule, self.time_bins, self.fragment)
    }
}

/// Rule for noisy pads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoisyRule {
    /// The experiment: looks at the first fragment.
    Published,
    /// The task `noisy-pads`: looks at the whole time frame.
    Lab,
}

named! { "rule for noisy pads", NoisyRule { Published = "published", Lab = "lab" } }

/// Time bins with charge in a thousand from which on a pad is noisy,
const CHARGES_IN_THOUSAND: u32 = 500;
/// or time bins with charge in a row.
const RUN: u32 = 200;
/// A pad with a charge of this size, in ADC units, is not noisy.
const SATURATION: u32 = 700;
/// Time bins that are examined together: this may exceed the range, if its length is not a
/// multiple.
const STEP: u32 = 4;
/// Groups of eight pads that are examined. The experiment uses too few: if a row does not end with
/// eight pads, the next one loses its first.
const GROUPS: usize = 1820;

/// Limits of noisy pads for either rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Time bins that are examined, from the first one on.
    pub(super) time_bins: u32,
    pub(super) min_charges: u32,
    pub(super) min_run: u32,
    /// The smallest charge that is not noise.
    pub(super) saturation: u32,
}

impl Limits {
    /// Limits for `time_bins` time bins, in fragments of length `fragment`.
    pub(super) fn new(rule: NoisyRule, time_bins: u32, fragment: u32) -> Self {
        match rule {
            NoisyRule::Published => Limits::published(time_bins, fragment),
            NoisyRule::Lab => Limits::lab(time_bins),
        }
    }

    fn published(time_bins: u32, fragment: u32) -> Self {
        let first = Fragments::new(fragment).of_frame(time_bins).next();
        let own = first.map_or(0, |first| first.own.len() as u32);
        let min_charges = match CHARGES_IN_THOUSAND * own / 1000 {
            0 => u32::MAX,
            charges => charges,
        };
        let saturation = SATURATION * 16;
        let time_bins = own.next_multiple_of(STEP);
        Limits { time_bins, min_charges, min_run: RUN, saturation }
    }

    fn lab(time_bins: u32) -> Self {
        let most = tpc_noisy_pads::default_thresholds(time_bins);
        Limits {
            time_bins,
            min_charges: u32::from(most.charges) + 1,
            min_run: u32::from(most.run) + 1,
            saturation: u32::from(most.saturation) + 1,
        }
    }

    /// True if a pad is noisy with this number of charges, longest run and largest charge.
    #[inline]
    pub(super) fn are_passed_by(&self, charges: u32, longest_run: u32, largest: u16) -> bool {
        let is_busy = charges >= self.min_charges || longest_run >= self.min_run;
        is_busy && u32::from(largest) < self.saturation
    }
}

/// True for each pad of each row that is examined.
pub(super) fn looked_at(rule: NoisyRule) -> Vec<Vec<bool>> {
    let all = rule == NoisyRule::Lab;
    let mut rows: Vec<_> = (0..ROWS).map(|row| vec![all; pads_in_row(row)]).collect();
    for (row, first) in groups() {
        let pads = rows[row].iter_mut().skip(first).take(TILE_PADS);
        pads.for_each(|is_looked_at| *is_looked_at = true);
    }
    rows
}

/// The groups that the experiment examines: their rows, and their first pads there.
pub(super) fn groups() -> impl Iterator<Item = (usize, usize)> {
    (0..GROUPS).filter_map(row_and_pad_of_group)
}

/// The row of a group, and its first pad there: of the first row that it overlaps, whose pads are
/// counted up to a multiple of eight.
fn row_and_pad_of_group(group: usize) -> Option<(usize, usize)> {
    let pad = group * TILE_PADS;
    let row = (0..ROWS).find(|&row| {
        let first = first_pad_of_row(row);
        (first..first + pads_in_row(row).next_multiple_of(TILE_PADS)).contains(&pad)
    })?;
    Some((row, (pad - first_pad_of_row(row)) / TILE_PADS * TILE_PADS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiment_skips_some_pads() {
        let unseen = |row: &Vec<bool>| row.iter().filter(|seen| !**seen).count();
        let of_rows: Vec<_> = looked_at(NoisyRule::Published).iter().map(unseen).collect();
        assert_eq!(of_rows.iter().sum::<usize>(), 458);
        let with_some: Vec<_> = (0..ROWS).filter(|&row| of_rows[row] > 0).collect();
        assert_eq!((with_some[..5].to_vec(), with_some.len()), (vec![2, 3, 5, 7, 13], 57));
        assert!(with_some[..56].iter().all(|&row| of_rows[row] == 8));
        assert_eq!((with_some[56], of_rows[151]), (151, 10), "the first eight, and the last two");
        assert!(looked_at(NoisyRule::Lab).iter().all(|row| unseen(row) == 0));
    }

    #[test]
    fn limits_of_the_experiment_use_the_first_fragment() {
        let limits = Limits::published(1000, 100);
        assert_eq!((limits.time_bins, limits.min_charges), (92, 46));
        assert_eq!(Limits::published(446, 4000).time_bins, 448);
        assert_eq!(Limits::published(1, 4000).min_charges, u32::MAX);
        assert!(limits.are_passed_by(46, 1, 11_199) && limits.are_passed_by(0, 200, 0));
        assert!(!limits.are_passed_by(45, 199, 0) && !limits.are_passed_by(46, 200, 11_200));
    }
}
