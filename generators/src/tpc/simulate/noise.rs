//! Samples without a particle.

use rand::Rng;

use super::signal::Signal;
use crate::random::{Exponential, Stream};

/// Charges of at least `threshold` on a share of all pads and time bins, pad after pad.
pub(super) struct Noise<'a> {
    /// From one sample to the next: geometrically distributed, an exponential gap rounded down.
    gaps: &'a Exponential,
    cells_per_gap: f64,
    threshold: u16,
    stream: Stream,
    /// Time bins of a pad.
    bins: usize,
    /// Time bin of the next sample, counted from the first time bin of the next pad; none if there
    /// is no noise.
    next: Option<usize>,
    charge: u16,
}

impl<'a> Noise<'a> {
    pub(super) fn new(
        share: f64,
        threshold: u16,
        bins: usize,
        gaps: &'a Exponential,
        stream: Stream,
    ) -> Self {
        let cells_per_gap = -1.0 / (libm::log1p(-share) * f64::from(Exponential::MEAN));
        let mut noise =
            Noise { gaps, cells_per_gap, threshold, stream, bins, next: None, charge: 0 };
        if share > 0.0 {
            noise.draw(0);
        }
        noise
    }

    /// Adds the noise of the next pad.
    #[inline]
    pub(super) fn add_to(&mut self, signal: &mut Signal) {
        while let Some(bin) = self.next.filter(|bin| *bin < self.bins) {
            signal.add_to_bin(bin, self.charge);
            self.draw(bin + 1);
        }
        self.next = self.next.map(|bin| bin - self.bins);
    }

    /// Draws the next sample, from this time bin on.
    fn draw(&mut self, first: usize) {
        let bits = self.stream.next_u64();
        let gap = f64::from(self.gaps.gap((bits >> 32) as u32)) * self.cells_per_gap;
        self.next = Some(first + gap as usize);
        self.charge = self.threshold + excess(bits as u32);
    }
}

/// Noise above the threshold, in quarters of an ADC unit: the probability halves with each ADC
/// unit.
fn excess(bits: u32) -> u16 {
    bits.trailing_zeros().min(15) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn the_share_is_as_requested() {
        let gaps = Exponential::new();
        for share in [0.0, 0.001, 0.1, 0.8] {
            let mut noise = Noise::new(share, 12, 446, &gaps, stream(1, [2]));
            let samples: usize = (0..800)
                .map(|_| {
                    let mut signal = Signal::new();
                    noise.add_to(&mut signal);
                    signal.charges().iter().filter(|charge| **charge >= 12).count()
                })
                .sum();
            let expected = share * 800.0 * 446.0;
            let off = (samples as f64 - expected).abs();
            assert!(off <= 4.0 * expected.sqrt(), "{samples} for {expected}");
        }
    }
}
