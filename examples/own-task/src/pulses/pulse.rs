//! A pulse, and what it is in a waveform: the definition that all variants have to meet.

use bytemuck::{Pod, Zeroable};
use recobench::data::element::{Choose, Element, Poison};

/// Samples at the start of a waveform whose mean is the baseline.
pub const BASELINE_SAMPLES: usize = 8;
/// Samples before the largest one that count for the charge; the largest is the next.
pub const BEFORE: usize = 8;
/// Samples from the largest one on that count for the charge.
pub const AFTER: usize = 24;
/// Units of time of a pulse in a sample.
pub const TIME_UNITS: u32 = 16;

/// A pulse; all zero if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Pulse {
    /// Time at which it reaches half of its height, in units of 1/16 sample.
    pub time: u32,
    /// Height of its largest sample above the baseline, in ADC units.
    pub height: u32,
    /// Sum of its samples above the baseline, in ADC units.
    pub charge: u32,
}

impl Pulse {
    /// Its time in samples.
    pub fn samples(&self) -> f64 {
        f64::from(self.time) / f64::from(TIME_UNITS)
    }
}

impl Element for Pulse {
    const NAME: &'static str = "pulse";

    fn changed(&self, choose: Choose<'_>) -> Self {
        let mut words = [self.time, self.height, self.charge];
        words[choose(3)] ^= 1 << choose(32);
        let [time, height, charge] = words;
        Pulse { time, height, charge }
    }
}

impl Poison for Pulse {
    const POISON: Self = Pulse { time: u32::POISON, height: u32::POISON, charge: u32::POISON };
}

/// The pulse of a waveform: none if it has no sample that is `threshold` above the baseline.
pub fn pulse_in(samples: &[u16], threshold: u32) -> Pulse {
    let Some(largest) = samples.iter().max().copied() else { return Pulse::default() };
    // The first one of several.
    let peak = samples.iter().position(|sample| *sample == largest).unwrap_or_default();
    pulse_at(samples, peak, baseline(samples), threshold)
}

/// Mean of the first samples, rounded down.
pub fn baseline(samples: &[u16]) -> u32 {
    let first = &samples[..BASELINE_SAMPLES.min(samples.len())];
    let sum: u32 = first.iter().map(|sample| u32::from(*sample)).sum();
    sum / first.len().max(1) as u32
}

/// The pulse whose largest sample is known.
pub fn pulse_at(samples: &[u16], peak: usize, baseline: u32, threshold: u32) -> Pulse {
    let above = |sample: u16| u32::from(sample).saturating_sub(baseline);
    let height = above(samples[peak]);
    if height < threshold.max(1) {
        return Pulse::default();
    }
    let window = peak.saturating_sub(BEFORE)..(peak + AFTER).min(samples.len());
    let charge = samples[window].iter().map(|sample| above(*sample)).sum();
    // The last sample before the peak that is at most half as high, and a line to the next one.
    let low = (0..peak).rev().find(|&i| 2 * above(samples[i]) <= height);
    let time = low.map_or(0, |low| {
        let from = 2 * above(samples[low]);
        let step = 2 * above(samples[low + 1]) - from;
        TIME_UNITS * low as u32 + TIME_UNITS * (height - from) / step
    });
    Pulse { time, height, charge }
}
