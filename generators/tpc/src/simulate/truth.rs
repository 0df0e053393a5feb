//! Truth of digits: the particles that left them.

use std::cmp::Ordering;
use std::ops::Range;

use super::deposit::Deposit;
use super::physics::THRESHOLD;
use super::response::{BELOW, Shares, part};
use crate::time::time_bins_of;
use crate::{Digit, PadId};

/// Steps of charge in an ADC unit.
const QUARTERS: f64 = 4.0;

/// The charge that a particle left where it crossed a row of pads.
///
/// It is the charge that reached pads of the row and time bins of the time frame, and the means are
/// taken over it: charge outside the row, or before or after the time frame, is excluded. So is
/// what happens to the charge later: it is not added to that of others or to noise, it is not cut
/// off below the threshold, and it saturates no ADC. (More than 16 383 ADC units on one pad are cut
/// off nevertheless.) A track crosses a row once, a spiralling electron twice in each of its turns,
/// a ray of the laser once in each shot. Noise, bad pads and the light that hits the central
/// electrode leave charge without a true cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrueCluster {
    /// Differs from that of any other particle. A ray of the laser keeps it from shot to shot.
    pub particle: u64,
    /// Mean time bin, from the beginning of the time frame: a whole number is the middle of one.
    pub time: f64,
    /// Mean pad of the row: a whole number is the middle of one.
    pub pad: f32,
    /// The whole charge, in ADC units.
    pub charge: f32,
    /// The largest charge of a pad in a time bin, in ADC units.
    pub peak: f32,
    /// The row in the sector.
    pub row: u8,
}

impl TrueCluster {
    /// Order by row, then by time.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.row.cmp(&other.row).then(self.time.total_cmp(&other.time))
    }
}

/// Charge of a particle in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The time bin, from the beginning of the time frame.
    pub time: u32,
    /// The pad of the sector.
    pub pad: PadId,
    /// Number of the particle, as in [`TrueCluster`].
    pub particle: u64,
}

impl Mark {
    /// Order by time, then by pad.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        (self.time, self.pad).cmp(&(other.time, other.pad))
    }
}

/// Recording of the particles of each charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// No recording.
    Unused,
    /// It is.
    Wanted,
}

/// Truth of a sector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SectorTruth {
    /// Its digits, sorted: the expected result of decoding its pages.
    pub digits: Vec<Digit>,
    /// Its true clusters, by row and time.
    pub clusters: Vec<TrueCluster>,
    /// Particles of the charges, by time, pad, and the order of particles; empty unless requested.
    pub marks: Vec<Mark>,
}

/// Correction factor of the charges of a pad.
pub(super) type GainOfPad<'a> = &'a (dyn Fn(PadId) -> f32 + Sync);

/// The true clusters of a heartbeat frame during its simulation.
pub(super) struct FrameTruth<'a> {
    gain: GainOfPad<'a>,
    /// Time bins in which crossings of this frame are centred: charge of others reaches into it,
    /// but each of them belongs to one frame.
    centres: Range<i64>,
    /// All time bins of the time frame.
    time_bins: Range<i64>,
    clusters: Vec<TrueCluster>,
    /// Charges of each particle, if requested.
    marks: Option<Vec<Mark>>,
}

impl<'a> FrameTruth<'a> {
    /// Creates an empty record of heartbeat frame `frame` of `orbits`. Charge centred outside of
    /// the time frame belongs to the first and to the last one.
    pub(super) fn new(frame: u32, orbits: u32, gain: GainOfPad<'a>, marks: Marks) -> Self {
        let last = orbits - 1;
        let bins = time_bins_of(frame);
        let start = if frame == 0 { i64::MIN } else { bins.start.into() };
        let end = if frame == last { i64::MAX } else { bins.end.into() };
        FrameTruth {
            gain,
            centres: start..end,
            time_bins: 0..time_bins_of(last).end.into(),
            clusters: Vec::new(),
            marks: (marks == Marks::Wanted).then(Vec::new),
        }
    }

    /// All of them, and marks, in the order of regions and particles.
    pub(super) fn into_clusters_and_marks(self) -> (Vec<TrueCluster>, Vec<Mark>) {
        (self.clusters, self.marks.unwrap_or_default())
    }

    /// Records the charge of a particle from this time bin on, if it is visible.
    pub(super) fn add(
        &mut self,
        deposit: &Deposit<'_>,
        in_time: &Shares,
        first_bin: i64,
        particle: u64,
    ) {
        if !self.centres.contains(&(first_bin + BELOW as i64)) {
            return;
        }
        let mut sums = Sums::default();
        for (pad, charge) in deposit.pads() {
            let pad_id = PadId::new(deposit.row as u8, pad as u8);
            let gain = (self.gain)(pad_id);
            for (&share, bin) in in_time.iter().zip(first_bin..) {
                if self.time_bins.contains(&bin) {
                    let quarters = part(charge, share);
                    sums.add(pad, bin - first_bin, quarters, gain);
                    if let Some(marks) = self.marks.as_mut().filter(|_| quarters > 0) {
                        marks.push(Mark { time: bin as u32, pad: pad_id, particle });
                    }
                }
            }
        }
        if sums.largest >= THRESHOLD {
            self.clusters.push(sums.cluster(deposit.row, first_bin, particle));
        }
    }
}

/// Sums over the charges of a crossing.
#[derive(Default)]
struct Sums {
    /// Uncorrected, in quarters of an ADC unit: the input of the zero suppression.
    largest: u16,
    /// After gains.
    peak: f64,
    charge: f64,
    pad: f64,
    time: f64,
}

impl Sums {
    fn add(&mut self, pad: usize, time: i64, quarters: u16, gain: f32) {
        let charge = f64::from(quarters) * f64::from(gain);
        self.largest = self.largest.max(quarters);
        self.peak = self.peak.max(charge);
        self.charge += charge;
        self.pad += charge * pad as f64;
        self.time += charge * time as f64;
    }

    fn cluster(&self, row: usize, first_bin: i64, particle: u64) -> TrueCluster {
        TrueCluster {
            particle,
            time: first_bin as f64 + self.time / self.charge,
            pad: (self.pad / self.charge) as f32,
            charge: (self.charge / QUARTERS) as f32,
            peak: (self.peak / QUARTERS) as f32,
            row: row as u8,
        }
    }
}
