//! From charges on the channels of a module side to measured values.

use generators_common::random::{Normal, Stream};
use rand::Rng;

use super::constants::SHAPING_TIME;
use super::crossing::Truth;
use crate::CHANNELS_PER_SIDE;
use crate::setup::Asic;

const CHANNEL_BITS: u32 = 16;
const ADC_BITS: u32 = 8;

/// A measurement of a channel, and its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// Time, channel and charge, from the highest bit.
    bits: u64,
    /// The crossing that contributed most of the charge.
    pub(super) source: u32,
}

impl Reading {
    /// A pulse that was not measured.
    const NOTHING: Reading = Reading { bits: u64::MAX, source: Truth::NOISE };

    fn new(time_ns: u32, channel: u16, adc: u8, source: u32) -> Self {
        let time_and_channel = u64::from(time_ns) << CHANNEL_BITS | u64::from(channel);
        Reading { bits: time_and_channel << ADC_BITS | u64::from(adc), source }
    }

    pub(super) fn time_ns(self) -> u32 {
        (self.bits >> (CHANNEL_BITS + ADC_BITS)) as u32
    }

    pub(super) fn channel(self) -> u16 {
        (self.bits >> ADC_BITS) as u16
    }

    pub(super) fn adc(self) -> u8 {
        self.bits as u8
    }
}

/// The channels of a module side, fed with charges in the order of time.
pub(super) struct Channels<'a> {
    normal: &'a Normal,
    settings: Settings,
    channels: Vec<Channel>,
    /// One reading per pulse, in the order of their starts.
    readings: Vec<Reading>,
}

/// Parameters of the read-out chips, in the units used here.
struct Settings {
    threshold: f32,
    steps_per_electron: f32,
    highest_step: f32,
    noise: f32,
    resolution: f32,
    /// The shortest distance of digis on a channel.
    distance: f64,
    timeslice_ns: f64,
}

impl Settings {
    fn new(asic: &Asic, timeslice_ns: u64) -> Self {
        Settings {
            threshold: asic.threshold as f32,
            steps_per_electron: (1.0 / asic.step()) as f32,
            highest_step: f32::from(asic.n_adc - 1),
            noise: asic.noise as f32,
            resolution: asic.time_resolution as f32,
            // Times are cut to whole numbers: one more keeps their distance.
            distance: asic.dead_time + 1.0,
            timeslice_ns: timeslice_ns as f64,
        }
    }
}

/// A channel, and the pulse that it is shaping.
#[derive(Clone, Copy)]
struct Channel {
    /// When the pulse began; infinitely long ago if there is none.
    begin: f64,
    /// From then on the channel can measure again.
    ready: f64,
    /// Deviation of the measured time from the start of the pulse.
    lag: f32,
    charge: f32,
    /// The largest contribution to the charge, and its crossing.
    largest: f32,
    source: u32,
    /// Index of the reading of the pulse.
    reading: u32,
}

impl Channel {
    const IDLE: Channel = Channel {
        begin: f64::NEG_INFINITY,
        ready: f64::NEG_INFINITY,
        lag: 0.0,
        charge: 0.0,
        largest: 0.0,
        source: Truth::NOISE,
        reading: 0,
    };

    /// True if a charge at this time adds to the pulse.
    #[inline]
    fn is_shaping(&self, time: f64) -> bool {
        time - self.begin < SHAPING_TIME
    }
}

impl<'a> Channels<'a> {
    pub(super) fn new(asic: &Asic, normal: &'a Normal, timeslice_ns: u64) -> Self {
        Channels {
            normal,
            settings: Settings::new(asic, timeslice_ns),
            channels: vec![Channel::IDLE; usize::from(CHANNELS_PER_SIDE)],
            readings: Vec::new(),
        }
    }

    /// Adds charge of a particle; the channel's noise adds to it.
    #[inline]
    pub(super) fn signal(
        &mut self,
        channel: u16,
        time: f64,
        charge: f32,
        source: u32,
        stream: &mut Stream,
    ) {
        let pulse = &mut self.channels[usize::from(channel)];
        if pulse.is_shaping(time) {
            pulse.charge += charge;
            if charge > pulse.largest {
                (pulse.largest, pulse.source) = (charge, source);
            }
            return;
        }
        let bits = stream.next_u64();
        let noise = self.settings.noise * self.normal.deviate(bits as u32);
        let lag = self.lag((bits >> 32) as u32);
        self.begin(channel, time, lag);
        let pulse = &mut self.channels[usize::from(channel)];
        pulse.charge = charge + noise;
        (pulse.largest, pulse.source) = (charge, source);
    }

    /// Adds a charge that is noise itself.
    pub(super) fn noise(&mut self, channel: u16, time: f64, charge: f32, stream: &mut Stream) {
        let pulse = &mut self.channels[usize::from(channel)];
        if pulse.is_shaping(time) {
            pulse.charge += charge;
            return;
        }
        let lag = self.lag(stream.next_u32());
        self.begin(channel, time, lag);
        let pulse = &mut self.channels[usize::from(channel)];
        pulse.charge = charge;
        (pulse.largest, pulse.source) = (charge, Truth::NOISE);
    }

    /// All readings, by time, then channel.
    pub(super) fn finish(mut self) -> Vec<Reading> {
        for channel in 0..CHANNELS_PER_SIDE {
            self.end(channel);
        }
        let mut readings = self.readings;
        readings.retain(|reading| *reading != Reading::NOTHING);
        // Pulses started in order, and a measured time differs from the start by a lag at most. So
        // where there is a gap of four of them, all that follows is later than all that precedes.
        let gap = (4.0 * f64::from(self.settings.resolution) * Normal::LIMIT) as u32 + 2;
        let near = |a: &Reading, b: &Reading| b.time_ns() <= a.time_ns() + gap;
        for group in readings.chunk_by_mut(near) {
            group.sort_unstable_by_key(|reading| reading.bits);
        }
        readings
    }

    fn lag(&self, bits: u32) -> f32 {
        self.settings.resolution * self.normal.deviate(bits)
    }

    /// Starts a pulse, unless the channel is blind: then the pulse is ignored.
    #[inline]
    fn begin(&mut self, channel: u16, time: f64, lag: f32) {
        self.end(channel);
        let pulse = &mut self.channels[usize::from(channel)];
        pulse.begin = f64::NEG_INFINITY;
        if time + f64::from(lag) >= pulse.ready {
            pulse.begin = time;
            pulse.lag = lag;
            pulse.reading = self.readings.len() as u32;
            self.readings.push(Reading::NOTHING);
        }
    }

    /// Ends the pulse of a channel: it is measured if it is above the threshold.
    #[inline]
    fn end(&mut self, channel: u16) {
        let pulse = &mut self.channels[usize::from(channel)];
        let above = pulse.charge - self.settings.threshold;
        if pulse.begin == f64::NEG_INFINITY || above < 0.0 {
            return;
        }
        let time = pulse.begin + f64::from(pulse.lag);
        pulse.ready = time + self.settings.distance;
        if (0.0..self.settings.timeslice_ns).contains(&time) {
            let steps = above * self.settings.steps_per_electron;
            let adc = steps.min(self.settings.highest_step) as u8;
            let reading = Reading::new(time as u32, channel, adc, pulse.source);
            self.readings[pulse.reading as usize] = reading;
        }
    }
}

#[cfg(test)]
mod tests {
    use generators_common::random::stream;

    use super::*;

    fn asic() -> Asic {
        Asic { noise: 0.0, ..Asic::default() }
    }

    /// Readings of charges on channel 3, as (time, charge, crossing).
    fn readings(asic: &Asic, charges: &[(f64, f32)]) -> Vec<(u32, u8, u32)> {
        let normal = Normal::new();
        let mut channels = Channels::new(asic, &normal, 10_000);
        let mut stream = stream(1, [5]);
        for (source, (time, charge)) in (0..).zip(charges) {
            channels.signal(3, *time, *charge, source, &mut stream);
        }
        let readings = channels.finish();
        assert!(readings.iter().all(|reading| reading.channel() == 3));
        let parts = |r: &Reading| (r.time_ns(), r.adc(), r.source);
        readings.iter().map(parts).collect()
    }

    #[test]
    fn charges_become_steps_above_the_threshold() {
        let asic = asic();
        let step = asic.step() as f32;
        let adc = |charge: f32| {
            let readings = readings(&asic, &[(100.0, charge)]);
            readings.first().map(|reading| reading.1)
        };
        assert_eq!(adc(2999.0), None);
        assert_eq!(adc(3000.0), Some(0));
        assert_eq!(adc(3000.0 + 7.5 * step), Some(7));
        assert_eq!(adc(1e6), Some(31));
        let coarse = Asic { n_adc: 4, ..asic };
        assert_eq!(super::tests::readings(&coarse, &[(100.0, 1e6)])[0].1, 3);
    }

    #[test]
    fn charges_at_about_the_same_time_make_one_pulse() {
        let asic = asic();
        let both = readings(&asic, &[(100.0, 2000.0), (110.0, 2500.0)]);
        assert_eq!(both.len(), 1, "either is below the threshold");
        assert_eq!(both[0].2, 1, "the larger part");
        let later = readings(&asic, &[(100.0, 2000.0), (190.0, 2500.0)]);
        assert!(later.is_empty());
    }

    #[test]
    fn a_channel_is_blind_for_the_dead_time() {
        let asic = asic();
        let pulses = [(100.0, 1e4), (500.0, 2e4), (850.0, 3e4), (1200.0, 4e4)];
        let seen: Vec<_> = readings(&asic, &pulses).iter().map(|r| r.2).collect();
        assert_eq!(seen, [0, 3]);
        let never_blind = Asic { dead_time: 0.0, ..asic };
        assert_eq!(readings(&never_blind, &pulses).len(), 4);
    }

    #[test]
    fn a_pulse_below_the_threshold_makes_nothing_blind() {
        let seen = readings(&asic(), &[(100.0, 2000.0), (300.0, 2e4)]);
        assert_eq!(seen.len(), 1);
    }

    #[test]
    fn times_are_measured_with_the_resolution_and_within_the_timeslice() {
        let asic = asic();
        let pulses: Vec<_> = (0..5).map(|i| (f64::from(i) * 2000.0 + 1000.0, 1e4)).collect();
        let seen = readings(&asic, &pulses);
        assert_eq!(seen.len(), 5);
        for ((time, ..), (true_time, _)) in seen.iter().zip(&pulses) {
            assert!((f64::from(*time) - true_time).abs() < 25.0, "{seen:?}");
        }
        assert!(readings(&asic, &[(10_100.0, 1e4), (-100.0, 1e4)]).is_empty());
    }
}
