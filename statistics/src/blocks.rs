//! Variation of a median between blocks of samples.
//!
//! A point is measured in several blocks, each with its own data and buffers and some time
//! apart. The addresses of buffers, and other load on the machine in that minute, are the same for
//! all samples of a block: the interval over samples alone would be narrower than the difference to
//! the next run. So the median of each block is taken as one observation.
//!
//! The first blocks are a pilot: they determine the number of blocks. A series that stops early
//! does so because these happened to be close together, so they are not used for the scatter once
//! there are enough others (Stein 1945, and Kalibera and Jones 2013 for benchmarks).
//!
//! Pairs of samples of the same rounds share all drifts.
//!
//! In a round each candidate has a sample, so two samples of one round are close in time: the clock
//! and the temperature of a GPU were the same, and so was the load by other users. Their ratio is
//! stable where neither time is. The addresses of buffers are the same for a block, with
//! an effect of some tenths of a per cent: each block is one observation, the median of its rounds,
//! as in [`blocks`](super::blocks).

use super::description::median;
use super::estimate::RatioEstimate;
use super::evidence::{Evidence, t95};
use super::interval::first_of;

/// Minimum number of blocks for an estimate of their scatter.
pub const MIN_BLOCKS: usize = 3;
/// Number of first blocks that determine the number of blocks.
pub const PILOT: usize = 5;
/// Number of blocks from which on only those after the pilot determine the scatter.
const BEYOND_PILOT: usize = 2 * PILOT;
/// Maximum number of blocks.
const MAX_BLOCKS: usize = 10_000;
/// The share of blocks that are trimmed at either end.
pub(super) const TRIMMED: f64 = 0.2;

/// Evidence of the median from blocks with their samples in seconds; `None` for fewer than
/// [`MIN_BLOCKS`] with samples.
pub(super) fn evidence_of<'a>(blocks: impl IntoIterator<Item = &'a [f64]>) -> Option<Evidence> {
    let blocks = blocks.into_iter().filter(|block| !block.is_empty());
    let medians: Vec<_> = blocks.map(|block| median(block).ln()).collect();
    if medians.len() < MIN_BLOCKS {
        return None;
    }
    let all = Evidence::from_logarithms(&medians, TRIMMED)?;
    if medians.len() < BEYOND_PILOT {
        return Some(all);
    }
    let fresh = Evidence::from_logarithms(&medians[PILOT..], TRIMMED)?;
    let share = (medians.len() - PILOT) as f64 / medians.len() as f64;
    Some(Evidence { variance: share * fresh.variance, df: fresh.df, ..all })
}

/// Number of blocks until the interval of a median will probably be narrower than `precision`, from
/// its width after the pilot, both relative to the median. At least the number that determines the
/// scatter without the pilot.
pub fn blocks_for(precision: f64, width_after_pilot: f64) -> usize {
    let shape = |blocks: usize| t95((blocks - 1) as f64) / (blocks as f64).sqrt();
    let allowed = shape(PILOT) * precision / width_after_pilot;
    // More blocks never make it wider, and without a number no count of blocks is enough. Quantiles
    // are slow to compute, and this is called after each block.
    first_of(BEYOND_PILOT..MAX_BLOCKS, |blocks| shape(blocks) <= allowed)
}

/// The ratio of two candidates that were sampled in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedBlocks {
    evidence: Evidence,
    blocks: usize,
}

impl PairedBlocks {
    /// From the times of base and new in the rounds of each block, in seconds; `None` for fewer
    /// than three blocks with rounds, or if a time is not positive and finite.
    ///
    /// It is for series of a fixed length: for those that ended once they were precise enough, the
    /// interval is too narrow.
    pub fn from_blocks<R: IntoIterator<Item = (f64, f64)>>(
        blocks: impl IntoIterator<Item = R>,
    ) -> Option<Self> {
        let logarithms = |rounds: R| -> Vec<f64> {
            rounds.into_iter().map(|(base, new)| (new / base).ln()).collect()
        };
        let blocks = blocks.into_iter().map(logarithms).filter(|rounds| !rounds.is_empty());
        let medians: Vec<f64> = blocks.map(|rounds| median(&rounds)).collect();
        if medians.len() < MIN_BLOCKS {
            return None;
        }
        let evidence = Evidence::from_logarithms(&medians, TRIMMED)?;
        Some(PairedBlocks { evidence, blocks: medians.len() })
    }

    /// Number of blocks of samples.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The trimmed mean of the ratios of blocks, with its interval.
    pub fn estimate(&self) -> RatioEstimate {
        let interval = Some(self.evidence.interval());
        RatioEstimate { ratio: self.evidence.centre.exp(), interval }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Interval;
    use super::super::synthetic::Noise;
    use super::*;

    fn interval(medians: &[f64]) -> Option<Interval> {
        let blocks: Vec<_> = medians.iter().map(|&median| [median; 2]).collect();
        evidence_of(blocks.iter().map(|block| &block[..])).map(Evidence::interval)
    }

    #[test]
    fn few_blocks_give_no_estimate() {
        assert_eq!(interval(&[1.0, 2.0]), None);
        assert_eq!(interval(&[]), None);
        assert_eq!(interval(&[0.0, 1.0, 2.0]), None, "no logarithm");
        assert_eq!(interval(&[1.0; 5]), Some(Interval { low: 1.0, high: 1.0 }));
    }

    #[test]
    fn without_trimming_it_is_the_usual_standard_error() {
        // Three blocks: 0.2 of them is none.
        let found = interval(&[1.00, 1.01, 1.02]).expect("enough blocks");
        let expected = 4.303 * 0.01 / 3.0_f64.sqrt();
        let half_width = (found.high / found.low).ln() / 2.0;
        assert!((half_width / expected - 1.0).abs() < 0.02);
    }

    #[test]
    fn the_interval_lies_about_the_trimmed_mean() {
        // Two states: the median of the blocks is that of the more frequent one.
        let found = interval(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.3, 1.3, 1.3, 1.3]);
        let Interval { low, high } = found.expect("enough blocks");
        let middle = 1.3_f64.powf(1.0 / 3.0);
        assert!(((low * high).sqrt() / middle - 1.0).abs() < 1e-12, "{low} {high}");
    }

    /// Blocks of five rounds with a change, on a device whose clock drifts by a tenth.
    fn blocks(seed: u64, change: f64) -> Vec<Vec<(f64, f64)>> {
        let mut random = Noise::new(seed);
        let mut block = |number: usize| {
            let layout = 1.0 + 1e-3 * random.normal();
            let mut round = |round: usize| {
                let drift = 1.0 + 0.1 * (5 * number + round) as f64 / 60.0;
                let mut time = || drift * (1.0 + 2e-3 * random.normal());
                let base = time();
                (base, change * layout * time())
            };
            (0..5).map(&mut round).collect()
        };
        (0..12).map(&mut block).collect()
    }

    #[test]
    fn intervals_have_their_coverage_in_spite_of_drift() {
        let mut covered = 0;
        let mut widest = 0.0_f64;
        let mut widths = 0.0;
        for seed in 0..1000 {
            let pairs = PairedBlocks::from_blocks(blocks(seed, 1.02)).expect("enough blocks");
            let Interval { low, high } = pairs.estimate().interval.expect("blocks");
            covered += usize::from((low..=high).contains(&1.02));
            widest = widest.max(high - low);
            widths += high - low;
            assert_eq!(pairs.blocks(), 12);
        }
        assert!((930..=975).contains(&covered), "{covered} of 1000");
        assert!(widths / 1000.0 < 0.003, "{}", widths / 1000.0);
        assert!(widest < 0.01, "a drift of a tenth is in no interval: {widest}");
    }

    #[test]
    fn an_outlier_block_counts_little() {
        let mut blocks = blocks(7, 1.0);
        blocks[3].iter_mut().for_each(|(_, new)| *new *= 3.0);
        let pairs = PairedBlocks::from_blocks(blocks).expect("enough blocks");
        assert!((pairs.estimate().ratio - 1.0).abs() < 2e-3, "{pairs:?}");
    }

    #[test]
    fn few_blocks_and_no_times_give_no_estimate() {
        assert_eq!(PairedBlocks::from_blocks(blocks(1, 1.0).into_iter().take(2)), None);
        let with_nothing = [vec![(1.0, 1.0)], vec![], vec![(1.0, 1.1)]];
        assert_eq!(PairedBlocks::from_blocks(with_nothing), None);
        assert_eq!(PairedBlocks::from_blocks([[(0.0, 1.0)]; 5]), None);
    }
}
