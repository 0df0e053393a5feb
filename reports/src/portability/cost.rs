//! Ratio of the times of kernels to those of native ones.

use std::collections::BTreeMap;

use serde::Serialize;
use statistics::{PairedBlocks, RatioEstimate, Series, Side};

use crate::rank::{KERNEL, TOTAL};
use crate::record::{Point, SampleRow, flags};
use crate::row::named_cells;

/// Published slow-down of kernels by a portability layer: 0.2 % (thesis, section 4.5).
pub const CLAIMED: f64 = 0.002;

/// A ratio of kernels' times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Time over that of the native kernels.
    pub estimate: RatioEstimate,
    /// The blocks of samples in which both were sampled directly one after the other; 0 if they
    /// were sampled at separate times.
    pub blocks: usize,
}

/// Verdict on the claim that the cost is at most 0.2 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ClaimVerdict {
    /// The cost is less, in spite of the noise.
    #[serde(rename = "yes")]
    Within,
    /// The cost is more, in spite of the noise.
    #[serde(rename = "no")]
    Beyond,
    /// The interval includes both, or the noise is larger.
    Unclear,
    /// The interval or the noise is unknown.
    Unknown,
}

named_cells! { Option<ClaimVerdict> }

/// The samples of a point's kernels.
pub(super) struct Kernels {
    /// Seconds by the round in which they were taken, without rounds with late launches by the
    /// host.
    rounds: BTreeMap<usize, f64>,
    /// The first rounds of blocks of samples.
    blocks: Vec<usize>,
}

impl Kernels {
    /// Selects the samples of a point from those of a run.
    pub(super) fn from_samples(point: &Point, samples: &[SampleRow]) -> Self {
        let id = point.id();
        let mut kernels = Kernels { rounds: BTreeMap::new(), blocks: Vec::new() };
        for sample in samples.iter().filter(|sample| sample.point_id == id) {
            if sample.stage == TOTAL && flags::has(&sample.flags, flags::FRESH) {
                kernels.blocks.push(sample.round);
            }
            // Delays of launches by the host are no time of a kernel.
            if sample.stage == KERNEL && !flags::has(&sample.flags, flags::LATE_LAUNCHES) {
                kernels.rounds.insert(sample.round, sample.seconds);
            }
        }
        kernels
    }

    fn block_of(&self, round: usize) -> usize {
        self.blocks.partition_point(|&start| start <= round)
    }

    /// Times of both in the rounds that both have, by the blocks of `self`.
    fn pairs(&self, new: &Kernels) -> Vec<Vec<(f64, f64)>> {
        let mut blocks: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
        for (&round, &base) in &self.rounds {
            if let Some(&new) = new.rounds.get(&round) {
                blocks.entry(self.block_of(round)).or_default().push((base, new));
            }
        }
        blocks.into_values().collect()
    }

    fn series(&self) -> Series {
        let seconds: Vec<f64> = self.rounds.values().copied().collect();
        let mut blocks: Vec<usize> =
            self.blocks.iter().map(|&start| self.rounds.range(..start).count()).collect();
        blocks.dedup();
        Series::new(&seconds, &blocks)
    }
}

impl Cost {
    /// The time of `new` over that of `base`; `None` if one of them has no sample.
    ///
    /// It uses the rounds that both have. If these are of too few blocks, as in runs that time
    /// kernels only occasionally, it uses all samples of both.
    pub(super) fn new(base: &Kernels, new: &Kernels) -> Option<Self> {
        if let Some(pairs) = PairedBlocks::from_blocks(base.pairs(new)) {
            return Some(Cost { estimate: pairs.estimate(), blocks: pairs.blocks() });
        }
        let estimate = RatioEstimate::from_series(&base.series(), &new.series());
        estimate.ratio.is_finite().then_some(Cost { estimate, blocks: 0 })
    }

    /// Maximum distance of the ratio from 1, as a fraction: for native kernels over themselves that
    /// is the noise.
    pub fn bound(&self) -> Option<f64> {
        let interval = self.estimate.interval?;
        Some((1.0 - interval.low).max(interval.high - 1.0))
    }

    /// Verdict on the claim, with the interval widened by the noise.
    pub fn judged(&self, noise: Option<f64>) -> ClaimVerdict {
        match noise.map_or(Side::Unknown, |noise| self.estimate.side(1.0 + CLAIMED, noise)) {
            Side::Below => ClaimVerdict::Within,
            Side::Above => ClaimVerdict::Beyond,
            Side::Unclear => ClaimVerdict::Unclear,
            Side::Unknown => ClaimVerdict::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{point, samples};
    use statistics::Interval;

    use super::*;

    fn cost(low: f64, high: f64) -> Cost {
        let interval = Some(Interval { low, high });
        let estimate = RatioEstimate { ratio: f64::midpoint(low, high), interval };
        Cost { estimate, blocks: 12 }
    }

    #[test]
    fn a_claim_holds_only_beyond_noise() {
        let noise = Some(0.0005);
        assert_eq!(cost(0.9990, 1.0010).judged(noise), ClaimVerdict::Within);
        assert_eq!(cost(1.0010, 1.0018).judged(noise), ClaimVerdict::Unclear);
        assert_eq!(cost(1.0024, 1.0030).judged(noise), ClaimVerdict::Unclear);
        assert_eq!(cost(1.0030, 1.0040).judged(noise), ClaimVerdict::Beyond);
        assert_eq!(cost(0.50, 0.51).judged(noise), ClaimVerdict::Within, "faster than native");
        assert_eq!(cost(1.5, 1.6).judged(None), ClaimVerdict::Unknown);
        let few = RatioEstimate::without_interval(1.55);
        assert_eq!(Cost { estimate: few, blocks: 0 }.judged(noise), ClaimVerdict::Unknown);
    }

    #[test]
    fn the_bound_is_the_farther_end() {
        let bound = cost(0.9985, 1.0005).bound().expect("an interval");
        assert!((bound - 0.0015).abs() < 1e-12);
    }

    #[test]
    fn drift_common_to_a_round_cancels() {
        let native = point("native", "cuda:0");
        let shaders = point("native", "wgpu:0");
        let rows = [samples(&native, 1e-3), samples(&shaders, 1.5e-3)].concat();
        let [base, new] = [&native, &shaders].map(|point| Kernels::from_samples(point, &rows));
        let cost = Cost::new(&base, &new).expect("samples");
        let Interval { low, high } = cost.estimate.interval.expect("blocks");
        assert!(low <= 1.5 && 1.5 <= high && high - low < 0.01, "{cost:?}");
        assert_eq!(cost.blocks, 12);
        assert_eq!(
            Cost::new(&base, &Kernels::from_samples(&point("other", "cuda:0"), &rows)),
            None
        );
    }

    #[test]
    fn runs_that_time_kernels_occasionally_are_compared_by_all_samples() {
        let native = point("native", "cuda:0");
        let shaders = point("native", "wgpu:0");
        let mut later = samples(&shaders, 1.5e-3);
        later.iter_mut().for_each(|row| row.round += 1000);
        let rows = [samples(&native, 1e-3), later].concat();
        let [base, new] = [&native, &shaders].map(|point| Kernels::from_samples(point, &rows));
        let cost = Cost::new(&base, &new).expect("samples");
        let RatioEstimate { ratio, interval } = cost.estimate;
        assert!((ratio / 1.5 - 1.0).abs() < 0.1 && interval.is_some(), "{cost:?}");
        assert_eq!(cost.blocks, 0);
    }

    #[test]
    fn kernels_that_waited_for_the_host_do_not_count() {
        let native = point("native", "cuda:0");
        let mut rows = samples(&native, 1e-3);
        let count = |rows: &[SampleRow]| Kernels::from_samples(&native, rows).rounds.len();
        let all = count(&rows);
        let first = rows.iter_mut().find(|row| row.stage == KERNEL).expect("a kernel");
        first.flags = format!("{}+{}", flags::FRESH, flags::LATE_LAUNCHES);
        assert_eq!(count(&rows), all - 1);
    }
}
