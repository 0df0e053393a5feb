//! Samples of the same rounds of the same blocks: pairs that share all drifts.
//!
//! In a round each candidate has a sample, so two samples of one round are close in time: the clock
//! and the temperature of a GPU were the same, and so was the load by other users. Their ratio is
//! stable where neither time is. The addresses of buffers are the same for a block, with
//! an effect of some tenths of a per cent: each block is one observation, the median of its rounds,
//! as in [`blocks`](super::blocks).

use super::blocks::{MIN_BLOCKS, TRIMMED};
use super::description::median;
use super::evidence::Evidence;
use super::interval::Interval;

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

    /// The trimmed mean of the ratios of blocks.
    pub fn ratio(&self) -> f64 {
        self.evidence.centre.exp()
    }

    /// The 95 % interval of the ratio.
    pub fn interval(&self) -> Interval {
        self.evidence.interval()
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

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
            let Interval { low, high } = pairs.interval();
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
        assert!((pairs.ratio() - 1.0).abs() < 2e-3, "{pairs:?}");
    }

    #[test]
    fn few_blocks_and_no_times_give_no_estimate() {
        assert_eq!(PairedBlocks::from_blocks(blocks(1, 1.0).into_iter().take(2)), None);
        let with_nothing = [vec![(1.0, 1.0)], vec![], vec![(1.0, 1.1)]];
        assert_eq!(PairedBlocks::from_blocks(with_nothing), None);
        assert_eq!(PairedBlocks::from_blocks([[(0.0, 1.0)]; 5]), None);
    }
}
