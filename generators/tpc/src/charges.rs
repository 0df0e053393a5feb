//! Charges of a sector, the input of the cluster finder: digits after correction by the gains of
//! their pads.

use std::ops::RangeInclusive;

use bytemuck::{Pod, Zeroable};

use super::PadId;

/// The largest charge: 14 bits.
pub const MAX_CHARGE: u16 = (1 << 14) - 1;
/// Charges are integers in units of 1/`CHARGE_STEPS` of an ADC unit.
pub const CHARGE_STEPS: u16 = 16;
/// The longest time frame: times of clusters have 24 bits, in 64ths of a time bin.
pub const MAX_TIME_BINS: u32 = 1 << 18;
/// Valid lengths of fragments: with the overlaps, a fragment of 17 still has one time bin of its
/// own, and times within a fragment have 16 bits.
pub const FRAGMENT_LENGTHS: RangeInclusive<u32> = 17..=32_000;
/// Default length of a fragment in time bins.
pub const DEFAULT_FRAGMENT: u32 = 1000;

/// A sample: where it is, and its charge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Charge {
    /// The time bin of the frame.
    pub time: u32,
    /// Pad in the sector.
    pub pad: PadId,
    /// In sixteenths of an ADC unit, 0 to [`MAX_CHARGE`].
    pub charge: u16,
}

/// The charges of a sector over a time frame, and how clusters are to be found in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChargeCase {
    /// Name of the case.
    pub name: String,
    /// Number of the sector; it has no effect on clusters.
    pub sector: u8,
    /// Time bins of the frame; there is no charge after them.
    pub time_bins: u32,
    /// Time bins that are processed together; they have no effect on clusters either.
    pub fragment: u32,
    /// Thresholds.
    pub settings: ClusterSettings,
    /// Pads that have lost their baseline, in order.
    pub noisy: Vec<PadId>,
    /// The samples in the order of arrival: no pad has two in a time bin.
    pub charges: Vec<Charge>,
    /// Simulated particles of the samples, if known.
    pub labels: Option<Labels>,
}

/// Simulated particles that left the charges: a list of labels for each sample, in the order of
/// samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    first: Vec<u32>,
    all: Vec<u64>,
}

/// Reasons why lists of labels are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelsProblem {
    /// A list starts past the end of all labels.
    #[error("the labels of sample {sample} start at {first}, but there are {labels}")]
    Outside {
        /// Index of the sample.
        sample: usize,
        /// Index of its first label.
        first: u32,
        /// Number of all labels.
        labels: usize,
    },
    /// A list starts before the previous one.
    #[error("the labels of sample {sample} start at {first}, before those of the previous sample")]
    Falls {
        /// Index of the sample.
        sample: usize,
        /// Index of its first label.
        first: u32,
    },
    /// Labels are in no list.
    #[error("the first {labels} labels are of no sample")]
    Unowned {
        /// Number of labels.
        labels: usize,
    },
    /// More than can be numbered.
    #[error("{labels} labels are more than 32 bits can number")]
    TooMany {
        /// Number of labels.
        labels: usize,
    },
}

impl Labels {
    /// Builds lists from the index of each sample's first label, and all labels: see
    /// [`Labels::first`].
    ///
    /// # Errors
    /// If the indices don't fit the labels.
    pub fn from_parts(first: Vec<u32>, all: Vec<u64>) -> Result<Self, LabelsProblem> {
        let labels = all.len();
        if u32::try_from(labels).is_err() {
            return Err(LabelsProblem::TooMany { labels });
        }
        let mut before = 0;
        for (sample, &first) in first.iter().enumerate() {
            if first as usize > labels {
                return Err(LabelsProblem::Outside { sample, first, labels });
            }
            if first < before {
                return Err(LabelsProblem::Falls { sample, first });
            }
            before = first;
        }
        match first.first().map_or(labels, |&first| first as usize) {
            0 => Ok(Labels { first, all }),
            labels => Err(LabelsProblem::Unowned { labels }),
        }
    }

    /// Appends the labels of the next sample.
    ///
    /// # Panics
    /// If all samples together have 2³² labels.
    pub fn push(&mut self, labels: &[u64]) {
        let first = u32::try_from(self.all.len()).expect("fewer labels than 32 bits can number");
        self.first.push(first);
        self.all.extend_from_slice(labels);
    }

    /// Returns the labels of a sample.
    ///
    /// # Panics
    /// If the index of the sample is out of range.
    pub fn list(&self, sample: usize) -> &[u64] {
        let first = self.first[sample] as usize;
        let end = self.first.get(sample + 1).map_or(self.all.len(), |&end| end as usize);
        &self.all[first..end]
    }

    /// Index of each sample's first label among all of them; the last sample's labels extend to the
    /// end.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// The labels of all samples, one after the other.
    pub fn all(&self) -> &[u64] {
        &self.all
    }
}

/// Thresholds of the cluster finder; charges are in ADC units unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterSettings {
    /// A peak has more charge than this.
    pub qmax_cutoff: u8,
    /// Pads and time bins next to the peak need more charge than this for those after them to
    /// belong to the cluster, too.
    pub inner_threshold: u8,
    /// A valley between two peaks is deeper than this,
    pub noise_eps: u8,
    /// and deeper than this many 255ths of the peak.
    pub noise_eps_rel: u8,
    /// A cluster has more charge than this, once it is rounded.
    pub qtot_cutoff: u8,
    /// The peak of a cluster of a single time bin has more charge than this.
    pub qmax_single_time: u8,
    /// The peak of a cluster of a single pad has more charge than this.
    pub qmax_single_pad: u8,
    /// A cluster is marked as split if it shares at least this many charges with others.
    pub min_split: u8,
    /// Subtracted from all times, in time bins.
    pub time_shift: f32,
}

impl Default for ClusterSettings {
    /// The settings of the experiment.
    fn default() -> Self {
        ClusterSettings {
            qmax_cutoff: 3,
            inner_threshold: 0,
            noise_eps: 10,
            noise_eps_rel: 76,
            qtot_cutoff: 5,
            qmax_single_time: 0,
            qmax_single_pad: 0,
            min_split: 1,
            time_shift: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_know_their_labels() {
        let mut labels = Labels::default();
        let of_samples: [&[u64]; 4] = [&[], &[3, u64::MAX], &[], &[1]];
        of_samples.iter().for_each(|of_sample| labels.push(of_sample));
        for (sample, of_sample) in of_samples.iter().enumerate() {
            assert_eq!(labels.list(sample), *of_sample);
        }
        assert_eq!((labels.first(), labels.all()), (&[0, 0, 2, 2][..], &[3, u64::MAX, 1][..]));
        let again = Labels::from_parts(labels.first().to_vec(), labels.all().to_vec());
        assert_eq!(again, Ok(labels));
    }

    #[test]
    fn lists_that_do_not_fit_to_labels_are_refused() {
        let problem = |first: &[u32], labels| Labels::from_parts(first.to_vec(), vec![9; labels]);
        assert_eq!(problem(&[], 0), Ok(Labels::default()));
        assert!(problem(&[0, 3, 3], 3).is_ok());
        let outside = LabelsProblem::Outside { sample: 1, first: 4, labels: 3 };
        assert_eq!(problem(&[0, 4], 3), Err(outside));
        assert_eq!(problem(&[0, 2, 1], 3), Err(LabelsProblem::Falls { sample: 2, first: 1 }));
        assert_eq!(problem(&[1, 2], 3), Err(LabelsProblem::Unowned { labels: 1 }));
        assert_eq!(problem(&[], 3), Err(LabelsProblem::Unowned { labels: 3 }));
    }
}
