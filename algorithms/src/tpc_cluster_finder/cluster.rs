//! A cluster as it is stored: `ClusterNative`, 12 bytes.

use super::settings::{Settings, sixteenths};

/// A cluster, packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cluster {
    /// Time in 64ths of a time bin, 24 bits.
    pub time: u32,
    /// Pad in 64ths of a pad.
    pub pad: u16,
    /// Width in time, in 32nds of a time bin.
    pub sigma_time: u8,
    /// Width in pads, in 32nds of a pad.
    pub sigma_pad: u8,
    /// The largest charge in ADC units, cut.
    pub qmax: u16,
    /// The whole charge in ADC units, rounded.
    pub qtot: u16,
    /// [`flags`].
    pub flags: u8,
}

/// What is said of a cluster.
pub mod flags {
    /// It shares charges with others in the direction of pads,
    pub const SPLIT_PAD: u8 = 1;
    /// or of time.
    pub const SPLIT_TIME: u8 = 2;
    /// Its peak is one of the two pads at either end of the row.
    pub const EDGE: u8 = 4;
    /// It has no width in one direction.
    pub const SINGLE: u8 = 8;
}

/// Pads at either end of a row that are its edge.
const EDGE_PADS: i32 = 2;
const TIME_SCALE: f32 = 64.0;
const PAD_SCALE: f32 = 64.0;
const SIGMA_SCALE: f32 = 32.0;
/// Bits of the time; flags stand above them.
const TIME_MASK: u64 = (1 << 24) - 1;

/// The sums over the charges of a cluster, by steps from its peak: charges in sixteenths of an ADC
/// unit, so that all of them are exact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    charge: i32,
    pad: i32,
    pad_squared: i32,
    time: i32,
    time_squared: i32,
    /// Charges that are shared, in the direction of pads and of time.
    shared: [u8; 2],
}

impl Sums {
    /// A charge at so many pads and time bins from the peak; `is_shared` with other clusters.
    pub(super) fn add(&mut self, (pad, time): (i32, i32), charge: i32, is_shared: bool) {
        self.charge += charge;
        self.pad += charge * pad;
        self.pad_squared += charge * pad * pad;
        self.time += charge * time;
        self.time_squared += charge * time * time;
        self.shared[0] += u8::from(is_shared && pad != 0);
        self.shared[1] += u8::from(is_shared && time != 0);
    }

    /// The cluster around a peak in a row of so many pads; nothing if it is too small.
    pub(super) fn cluster(
        &self,
        (pad, time): (i32, i32),
        qmax: i32,
        pads: i32,
        settings: &Settings,
    ) -> Option<Cluster> {
        let qtot = (self.charge + 8) / 16;
        let (mean_pad, sigma_pad) = self.moments(self.pad, self.pad_squared);
        let (mean_time, sigma_time) = self.moments(self.time, self.time_squared);
        let mean_time = mean_time + time as f32;
        let is_edge = pad < EDGE_PADS || pad >= pads - EDGE_PADS;
        let mean_pad = mean_pad + pad as f32;
        let mean_pad = if is_edge { moved_outwards(mean_pad, pad) } else { mean_pad };
        let is_too_small = qtot <= i32::from(settings.qtot_cutoff)
            || mean_time < settings.time_shift
            || (qmax <= sixteenths(settings.qmax_single_time) && sigma_time == 0.0)
            || (qmax <= sixteenths(settings.qmax_single_pad) && sigma_pad == 0.0);
        let is_single = sigma_pad == 0.0 || sigma_time == 0.0;
        let all_flags = [
            (self.shared[0] >= settings.min_split, flags::SPLIT_PAD),
            (self.shared[1] >= settings.min_split, flags::SPLIT_TIME),
            (is_edge, flags::EDGE),
            (is_single, flags::SINGLE),
        ];
        let all_flags = all_flags.into_iter().filter(|(is_so, _)| *is_so);
        (!is_too_small).then(|| Cluster {
            time: (rounded((mean_time - settings.time_shift) * TIME_SCALE) & TIME_MASK) as u32,
            pad: rounded(mean_pad * PAD_SCALE) as u16,
            sigma_time: rounded(sigma_time * SIGMA_SCALE).min(255) as u8,
            sigma_pad: rounded(sigma_pad * SIGMA_SCALE).min(255) as u8,
            qmax: (qmax / 16) as u16,
            qtot: qtot as u16,
            flags: all_flags.map(|(_, flag)| flag).sum(),
        })
    }

    /// Mean and width. Each step in 32 bits, and none of them joined with another: a fused
    /// multiplication and subtraction would give other widths.
    fn moments(&self, first: i32, second: i32) -> (f32, f32) {
        let [charge, first, second] = [self.charge, first, second].map(|sum| sum as f32 / 16.0);
        let mean = first / charge;
        let variance = second / charge - mean * mean;
        (mean, variance.sqrt())
    }
}

/// At the edge of a row charges outside of it are missing: a mean on the inner side of the peak is
/// that of the peak.
fn moved_outwards(mean: f32, pad: i32) -> f32 {
    let peak = pad as f32;
    if pad < EDGE_PADS { mean.min(peak) } else { mean.max(peak) }
}

/// Halves go up.
fn rounded(value: f32) -> u64 {
    (f64::from(value) + 0.5) as u64
}
