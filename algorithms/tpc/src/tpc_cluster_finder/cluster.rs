//! A cluster as it is stored: `ClusterNative`, 12 bytes.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

use super::{Settings, sixteenths};
use tasks::algorithm::{Choose, Element};
use tasks::device::Poison;

/// A cluster, packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Cluster {
    /// Time in 64ths of a time bin, 24 bits; above them [`flags`].
    pub time_and_flags: u32,
    /// Pad in 64ths of a pad.
    pub pad: u16,
    /// Width in time, in 32nds of a time bin.
    pub sigma_time: u8,
    /// Width in pads, in 32nds of a pad.
    pub sigma_pad: u8,
    /// The largest charge in ADC units, truncated.
    pub qmax: u16,
    /// The total charge in ADC units, rounded.
    pub qtot: u16,
}

impl Cluster {
    /// Time in 64ths of a time bin.
    pub fn time(&self) -> u32 {
        self.time_and_flags & TIME_MASK
    }

    /// Packs time and flags into one word.
    pub const fn with_flags(time: u32, flags: u8) -> u32 {
        (flags as u32) << TIME_BITS | time & TIME_MASK
    }

    /// [`flags`].
    pub fn flags(&self) -> u8 {
        (self.time_and_flags >> TIME_BITS) as u8
    }

    /// Sort key of the clusters of a row: time, pad, width in time and in pads, charges, flags.
    fn order(&self) -> impl Ord + use<> {
        let widths = (self.sigma_time, self.sigma_pad);
        (self.time(), self.pad, widths, self.qmax, self.qtot, self.flags())
    }
}

impl Ord for Cluster {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Cluster {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An invalid cluster: without charge, at the end of time.
impl Poison for Cluster {
    const POISON: Self = Cluster {
        time_and_flags: u32::MAX,
        pad: u16::MAX,
        sigma_time: 0,
        sigma_pad: 0,
        qmax: 0,
        qtot: 0,
    };
}

/// Flags of a cluster.
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
pub(super) const TIME_SCALE: f32 = 64.0;
pub(super) const PAD_SCALE: f32 = 64.0;
const SIGMA_SCALE: f32 = 32.0;
/// Flags are stored above these bits.
const TIME_BITS: u32 = 24;
const TIME_MASK: u32 = (1 << TIME_BITS) - 1;

/// Sums over the charges of a cluster, by steps from its peak: charges in sixteenths of an ADC
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

/// A peak: its pad in the row, its time bin and its charge.
#[derive(Clone, Copy)]
pub(super) struct Peak {
    pub(super) pad: i32,
    pub(super) time: i32,
    pub(super) charge: i32,
}

impl Sums {
    /// Sums of charges of which none is shared, from the sums over each pad, from two before the
    /// peak to two after it, and over each time bin likewise.
    #[inline]
    pub(super) fn from_lines(pads: [i32; 5], times: [i32; 5]) -> Self {
        let first = |of: [i32; 5]| 2 * (of[4] - of[0]) + of[3] - of[1];
        let second = |of: [i32; 5]| 4 * (of[4] + of[0]) + of[3] + of[1];
        Sums {
            charge: pads.iter().sum(),
            pad: first(pads),
            pad_squared: second(pads),
            time: first(times),
            time_squared: second(times),
            shared: [0; 2],
        }
    }

    /// Adds the charge of a cell `(pad, time)` relative to the peak; `is_shared` with other
    /// clusters.
    #[inline]
    pub(super) fn add(&mut self, pad: i32, time: i32, charge: i32, is_shared: bool) {
        self.charge += charge;
        self.pad += charge * pad;
        self.pad_squared += charge * pad * pad;
        self.time += charge * time;
        self.time_squared += charge * time * time;
        self.shared[0] += u8::from(is_shared && pad != 0);
        self.shared[1] += u8::from(is_shared && time != 0);
    }

    /// The cluster around a peak in a row of `pads` pads; `None` if it is too small.
    #[inline]
    pub(super) fn cluster(
        &self,
        Peak { pad, time, charge: qmax }: Peak,
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
        if is_too_small {
            return None;
        }
        let is_single = sigma_pad == 0.0 || sigma_time == 0.0;
        let all_flags = [
            (self.shared[0] >= settings.min_split, flags::SPLIT_PAD),
            (self.shared[1] >= settings.min_split, flags::SPLIT_TIME),
            (is_edge, flags::EDGE),
            (is_single, flags::SINGLE),
        ];
        let all_flags = all_flags.iter().map(|(is_so, flag)| u8::from(*is_so) * flag).sum();
        let time = rounded((mean_time - settings.time_shift) * TIME_SCALE) as u32;
        Some(Cluster {
            time_and_flags: Cluster::with_flags(time, all_flags),
            pad: rounded(mean_pad * PAD_SCALE) as u16,
            sigma_time: rounded(sigma_time * SIGMA_SCALE).min(255) as u8,
            sigma_pad: rounded(sigma_pad * SIGMA_SCALE).min(255) as u8,
            qmax: (qmax / 16) as u16,
            qtot: qtot as u16,
        })
    }

    /// Mean and width. Each operation in 32 bits, without contraction: a fused multiply-subtract
    /// would give other widths.
    #[inline]
    fn moments(&self, first: i32, second: i32) -> (f32, f32) {
        let [charge, first, second] = [self.charge, first, second].map(|sum| sum as f32 / 16.0);
        let mean = first / charge;
        let variance = second / charge - mean * mean;
        (mean, variance.sqrt())
    }
}

/// At the edge of a row charges outside of it are missing: a mean on the inner side of the peak is
/// replaced by the position of the peak.
#[inline]
fn moved_outwards(mean: f32, pad: i32) -> f32 {
    let peak = pad as f32;
    if pad < EDGE_PADS { mean.min(peak) } else { mean.max(peak) }
}

/// Rounds halves up.
#[inline]
fn rounded(value: f32) -> u64 {
    (f64::from(value) + 0.5) as u64
}

/// A cluster with its sector and row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowCluster {
    /// Index of the sector among those of the input.
    pub case: u32,
    /// The row of pads.
    pub row: u8,
    /// The cluster.
    pub cluster: Cluster,
}

impl Poison for RowCluster {
    const POISON: Self = RowCluster { case: u32::MAX, row: u8::MAX, cluster: Cluster::POISON };
}

impl Element for RowCluster {
    const NAME: &'static str = "cluster";

    fn changed(&self, choose: Choose<'_>) -> Self {
        let mut cluster = self.cluster;
        match choose(6) {
            0 => cluster.time_and_flags ^= 1 << choose(32),
            1 => cluster.pad ^= 1,
            2 => cluster.sigma_time ^= 1,
            3 => cluster.sigma_pad ^= 1,
            4 => cluster.qmax ^= 1,
            _ => cluster.qtot ^= 1,
        }
        RowCluster { cluster, ..*self }
    }
}
