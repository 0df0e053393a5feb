//! The samples of an endpoint, distributed over time bins.
//!
//! Pads come one after the other, in the order of the pages, each with all of its time bins: so the
//! samples of each time bin are in order.

use super::columns::{COLUMNS, Columns, MARGIN};
use super::signal::Signal;
use super::threshold::ScratchSamples;
use crate::tpc::ZsFormat;
use crate::tpc::encode::{Sample, TimeBin};

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

#[cfg(test)]
mod tests {
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
}
