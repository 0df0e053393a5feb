//! Statistics of the times of a sample of digis, and the strategy that follows.

use generators::sts::Digi;

use crate::sts_sort::cpu::times::{CoarseTime, TimeRange, sample};

/// Channels that digis spread over, more or less evenly.
const TYPICAL_CHANNELS: f64 = 1024.0;

/// If a digi has to pass fewer than this many others in the final pass, a scatter by time does not
/// pay.
const TOLERABLE: f64 = 1.0;

/// With more digis than this in a channel, it pays to sort each channel separately: it fits into
/// the first-level cache, together with a table of its own.
const BUSY_CHANNEL: f64 = 64.0;

/// Cells of channel and coarse time for each digi: enough that a cell seldom has two digis that
/// could be in the wrong order.
const CELLS_PER_DIGI: f64 = 16.0;

/// The range of the times, and how far they are from ascending.
pub(super) struct Survey {
    digis: usize,
    range: TimeRange,
    /// Mean delay of a digi relative to the latest one before it, in ns.
    mean_lag: f64,
}

/// The scatters after which digis are nearly in order.
pub(super) enum Strategy {
    /// The digis are nearly in order of time.
    ChannelOnly,
    /// Channels are not nearly in order of time, and have few digis.
    TimeThenChannel(CoarseTime),
    /// Channels are not nearly in order of time, and have many digis.
    ChannelThenTime(TimeRange),
}

impl Survey {
    pub(super) fn new(digis: &[Digi]) -> Self {
        let mut earliest = u32::MAX;
        let mut latest = 0;
        let mut lag = 0_u64;
        let looked_at = sample(digis);
        let count = looked_at.len();
        for digi in looked_at {
            let time = digi.time_ns();
            earliest = earliest.min(time);
            latest = latest.max(time);
            lag += u64::from(latest - time);
        }
        Survey {
            digis: digis.len(),
            range: TimeRange::new(earliest, latest),
            mean_lag: lag as f64 / count as f64,
        }
    }

    pub(super) fn strategy(&self) -> Strategy {
        let in_channel = self.digis as f64 / TYPICAL_CHANNELS;
        let to_pass = self.mean_lag / self.range.length() * in_channel;
        if to_pass < TOLERABLE {
            Strategy::ChannelOnly
        } else if in_channel > BUSY_CHANNEL {
            Strategy::ChannelThenTime(self.range)
        } else {
            let bits = (CELLS_PER_DIGI * in_channel).log2().ceil();
            Strategy::TimeThenChannel(self.range.coarse(bits as u32))
        }
    }
}

#[cfg(test)]
mod tests {
    use generators::sts::{DigiShape, Order, Skew, generate};

    use super::*;

    fn strategy(order: Order, digis: u64) -> Strategy {
        let shape = DigiShape {
            segments: 1,
            digis,
            order,
            skew: Skew::Ratio(1.0),
            duplicates: 0.0,
            timeslice_ns: 1 << 31,
        };
        let digis = generate(&shape, 1).expect("a sensible shape");
        Survey::new(digis.digis()).strategy()
    }

    #[test]
    fn nearly_ordered_digis_need_no_scatter_by_time() {
        for digis in [300, 10_000, 1_000_000] {
            for order in [Order::Time, Order::Jitter(64)] {
                assert!(matches!(strategy(order, digis), Strategy::ChannelOnly));
            }
        }
    }

    #[test]
    fn disordered_digis_need_one() {
        let small = strategy(Order::Random, 10_000);
        assert!(matches!(small, Strategy::TimeThenChannel(time) if time.buckets() > 100));
        let large = strategy(Order::Random, 1_000_000);
        assert!(matches!(large, Strategy::ChannelThenTime(_)));
    }
}
