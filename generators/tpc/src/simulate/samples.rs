//! The samples of an endpoint, distributed over time bins.
//!
//! Pads come one after the other, in the order of the pages, each with all of its time bins: so the
//! samples of each time bin are in order.

use generators_common::random::{Exponential, Stream};
use rand::Rng;

use super::cells::{COLUMNS, Columns, MARGIN};
use super::response::{BINS, Shares, part};
use super::threshold::ScratchSamples;
use crate::ZsFormat;
use crate::encode::{Sample, TimeBin};

/// The samples of one endpoint, by time bin and index in the pages.
pub(super) struct EndpointSamples {
    columns: Columns,
    /// Capacity of each column.
    capacity: usize,
    samples: Vec<Sample>,
    /// Behind the last sample of each column.
    ends: [u32; COLUMNS],
    /// Reused.
    scratch: ScratchSamples,
}

impl EndpointSamples {
    /// Creates empty columns with memory for `pads` pads.
    pub(super) fn new(pads: usize) -> Self {
        let capacity = odd_lines(pads);
        EndpointSamples {
            columns: Columns::default(),
            capacity,
            samples: vec![Sample::default(); capacity * COLUMNS],
            ends: [0; COLUMNS],
            scratch: ScratchSamples::default(),
        }
    }

    /// No samples of these columns yet.
    pub(super) fn clear(&mut self, columns: &Columns) {
        self.columns = columns.clone();
        for (column, end) in self.ends.iter_mut().enumerate() {
            *end = (column * self.capacity) as u32;
        }
    }

    /// Adds the samples of the pad with this index: its charges of at least `threshold`.
    #[inline]
    pub(super) fn add(&mut self, index: u16, signal: &Signal, threshold: u16, format: ZsFormat) {
        // Once for each scale, so that nothing is decided in the inner loop.
        match format {
            ZsFormat::Row10 => self
                .add_as(index, signal, threshold, |charge| ZsFormat::Row10.adc_of_quarters(charge)),
            _ => self
                .add_as(index, signal, threshold, |charge| ZsFormat::Row12.adc_of_quarters(charge)),
        }
    }

    #[inline]
    fn add_as(&mut self, index: u16, signal: &Signal, threshold: u16, adc_of: impl Fn(u16) -> u16) {
        let charges = signal.charges();
        let sample = |charge| Sample::new(index, adc_of(charge));
        for (column, sample) in self.scratch.at_least(threshold, charges, sample) {
            let end = &mut self.ends[column];
            self.samples[*end as usize] = sample;
            *end += 1;
        }
    }

    /// The time bins of the frame that have samples.
    pub(super) fn time_bins(&self) -> impl Iterator<Item = TimeBin<'_>> {
        let columns = self.ends[MARGIN..].iter().zip(MARGIN..);
        let bins = self.columns.time_bins().zip(columns);
        bins.filter_map(|(number, (end, column))| {
            let samples = &self.samples[column * self.capacity..*end as usize];
            (!samples.is_empty()).then_some(TimeBin { number, samples })
        })
    }

    /// Number of samples.
    pub(super) fn len(&self) -> usize {
        self.time_bins().map(|bin| bin.samples.len()).sum()
    }
}

/// Capacity for `samples` samples in an odd number of cache lines: the ends of columns, which are
/// written alternately, are then spread over all sets of the cache.
fn odd_lines(samples: usize) -> usize {
    const SAMPLES_IN_LINE: usize = 64 / size_of::<Sample>();
    (samples.div_ceil(SAMPLES_IN_LINE) | 1) * SAMPLES_IN_LINE
}

/// The charge of a pad in each column, in quarters of an ADC unit.
pub(super) struct Signal([u16; COLUMNS]);

impl Signal {
    /// No charge at all.
    pub(super) fn new() -> Self {
        Signal([0; COLUMNS])
    }

    /// Takes all charge away.
    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    pub(super) fn charges(&self) -> &[u16; COLUMNS] {
        &self.0
    }

    /// Adds a charge, spread over the columns from this one on.
    #[inline]
    pub(super) fn add(&mut self, column: usize, charge: u16, shares: &Shares) {
        for (sum, share) in self.0[column..column + BINS].iter_mut().zip(shares) {
            *sum = sum.saturating_add(part(charge, *share));
        }
    }

    /// Adds a charge to one time bin of the frame, counted from its first.
    pub(super) fn add_to_bin(&mut self, bin: usize, charge: u16) {
        let sum = &mut self.0[MARGIN + bin];
        *sum = sum.saturating_add(charge);
    }
}

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
    use generators_common::random::stream;

    use super::*;

    #[test]
    fn samples_are_ordered_by_time_and_index() {
        let mut endpoint_samples = EndpointSamples::new(3);
        endpoint_samples.clear(&Columns::for_frame(1));
        let pads: [(u16, &[(usize, u16)]); 3] =
            [(10, &[(7, 40), (9, 11)]), (11, &[(0, 12)]), (20, &[(7, 50), (444, 9000)])];
        for (index, charges) in pads {
            let mut signal = Signal::new();
            charges.iter().for_each(|(bin, charge)| signal.add_to_bin(*bin, *charge));
            endpoint_samples.add(index, &signal, 12, ZsFormat::Row12);
        }
        let of_bin = |bin: TimeBin| {
            let parts = |s: &Sample| (bin.number, s.index(), s.adc());
            bin.samples.iter().map(parts).collect::<Vec<_>>()
        };
        let samples: Vec<_> = endpoint_samples.time_bins().flat_map(of_bin).collect();
        let expected = [(446, 11, 12), (453, 10, 40), (453, 20, 50), (890, 20, 4095)];
        assert_eq!(samples, expected);
        assert_eq!(endpoint_samples.len(), expected.len());
        endpoint_samples.clear(&Columns::for_frame(1));
        assert_eq!(endpoint_samples.len(), 0);
    }

    #[test]
    fn charges_add_up_and_saturate() {
        let mut signal = Signal::new();
        signal.add(MARGIN + 2, 8000, &[8192; BINS]);
        signal.add_to_bin(3, 11);
        signal.add_to_bin(4, u16::MAX);
        let charges = &signal.charges()[MARGIN..];
        assert_eq!(charges[..6], [0, 0, 1000, 1011, u16::MAX, 1000]);
        signal.clear();
        assert_eq!(signal.charges(), &[0; COLUMNS]);
    }

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
