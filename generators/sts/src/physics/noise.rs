//! Pulses without a particle.

use generators_common::random::{Exponential, Stream, below, uniform};
use rand::Rng;
use rand::distr::Distribution;

use super::channels::Channels;
use super::scenario::noise_hz;
use crate::CHANNELS_PER_SIDE;
use crate::setup::Asic;

/// Noise pulses of a module side, one after the other.
pub(super) struct Noise<'a> {
    gaps: &'a Exponential,
    stream: Stream,
    ns_per_gap: f64,
    threshold: f64,
    deviation: f64,
    pickup: f64,
    /// Time of the next pulse, in ns.
    next: f64,
}

impl<'a> Noise<'a> {
    /// Noise with a share of pulses, `pickup`, that the next channel has too.
    pub(super) fn new(asic: &Asic, pickup: f64, gaps: &'a Exponential, stream: Stream) -> Self {
        // Each independent pulse causes 1 / (1 - pickup) digis.
        let pulses_per_ns = 1e-9 * noise_hz(asic) * f64::from(CHANNELS_PER_SIDE) * (1.0 - pickup);
        let mut noise = Noise {
            gaps,
            stream,
            ns_per_gap: 1.0 / (pulses_per_ns * f64::from(Exponential::MEAN)),
            threshold: asic.threshold,
            deviation: asic.noise,
            pickup,
            next: 0.0,
        };
        noise.advance();
        noise
    }

    /// Adds all pulses up to this time to the channels.
    pub(super) fn add_until(&mut self, time: f64, channels: &mut Channels) {
        while self.next <= time {
            let mut channel = below(self.stream.next_u32(), CHANNELS_PER_SIDE.into()) as u16;
            loop {
                let charge = self.charge();
                channels.noise(channel, self.next, charge, &mut self.stream);
                channel += 1;
                if channel == CHANNELS_PER_SIDE || uniform(&mut self.stream) >= self.pickup {
                    break;
                }
            }
            self.advance();
        }
    }

    /// With no noise at all, the next pulse is infinitely far.
    fn advance(&mut self) {
        let gap = f64::from(self.gaps.sample(&mut self.stream)) + 0.5;
        self.next += gap * self.ns_per_gap;
    }

    /// A charge above the threshold, as peaks of Gaussian noise have it.
    fn charge(&mut self) -> f32 {
        let gap = f64::from(self.gaps.sample(&mut self.stream)) / f64::from(Exponential::MEAN);
        let square = self.threshold * self.threshold + 2.0 * gap * self.deviation * self.deviation;
        square.sqrt() as f32
    }
}

#[cfg(test)]
mod tests {
    use generators_common::random::{Normal, stream};

    use super::*;

    const TIMESLICE: u64 = 10_000_000;

    fn digis(asic: &Asic, pickup: f64) -> Vec<(u32, u16)> {
        let normal = Normal::new();
        let gaps = Exponential::new();
        let mut channels = Channels::new(asic, &normal, TIMESLICE);
        let mut noise = Noise::new(asic, pickup, &gaps, stream(1, [6]));
        noise.add_until(TIMESLICE as f64, &mut channels);
        let readings = channels.finish();
        readings.iter().map(|r| (r.time_ns(), r.channel())).collect()
    }

    fn asic(threshold: f64) -> Asic {
        Asic { threshold, zero_noise_rate: 0.004, ..Asic::default() }
    }

    #[test]
    fn digis_are_as_frequent_as_rice_says() {
        for threshold in [3500.0, 4000.0] {
            let asic = asic(threshold);
            let expected = 1e-9 * noise_hz(&asic) * 1024.0 * TIMESLICE as f64;
            let found = digis(&asic, 0.0).len() as f64;
            assert!((found / expected - 1.0).abs() < 0.03, "{found} {expected}");
        }
        assert!(digis(&Asic { noise: 0.0, ..asic(3000.0) }, 0.0).is_empty());
    }

    #[test]
    fn pickup_makes_neighbours_but_not_more_digis() {
        let alone = digis(&asic(4000.0), 0.0);
        let shared = digis(&asic(4000.0), 0.3);
        let ratio = shared.len() as f64 / alone.len() as f64;
        assert!((0.97..1.03).contains(&ratio), "{ratio}");
        let pairs = |digis: &[(u32, u16)]| {
            let near = |pair: &&[(u32, u16)]| {
                pair[0].1.abs_diff(pair[1].1) == 1 && pair[1].0 - pair[0].0 < 25
            };
            digis.windows(2).filter(near).count() as f64 / digis.len() as f64
        };
        assert!(pairs(&alone) < 0.01);
        assert!(pairs(&shared) > 0.2, "{}", pairs(&shared));
    }
}
