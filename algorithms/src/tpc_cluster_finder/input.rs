//! The charges of some sectors, and fragments of their time frames.

use std::sync::OnceLock;

use generators::random::mix;
use generators::tpc::PadId;
use generators::tpc::charges::{Charge, ChargeCase};
use generators::tpc::geometry::ROWS;

use super::labels::Clusters;
use super::quality::Truth;
use super::reference;
use crate::algorithm::FileRemarks;
use crate::algorithm::shrink::without_parts;
use crate::device::Poison;
use crate::tpc_decode::{FragmentOfFrame, Fragments};

/// The charges of some sectors, each over a time frame of its own.
#[derive(Default)]
pub struct Charges {
    cases: Vec<ChargeCase>,
    clusters: OnceLock<Clusters>,
    /// True if labels of samples are ignored.
    without_labels: bool,
    /// True if labels are artificial, without a simulation.
    with_made_up_labels: bool,
    /// The particles' true clusters in each sector, where they are known.
    truth: Option<Vec<Truth>>,
    remarks: FileRemarks,
}

/// An invalid sample: larger than any valid one.
impl Poison for Charge {
    const POISON: Self =
        Charge { time: u32::POISON, pad: PadId::from_bits(u16::POISON), charge: u16::POISON };
}

impl Charges {
    /// Creates the charges of these sectors.
    pub fn new(cases: Vec<ChargeCase>) -> Self {
        Charges { cases, ..Charges::default() }
    }

    /// Creates the charges of sectors with known true clusters.
    pub(super) fn with_truth(sectors: impl IntoIterator<Item = (ChargeCase, Truth)>) -> Self {
        let (cases, truth) = sectors.into_iter().unzip();
        Charges { truth: Some(truth), ..Charges::new(cases) }
    }

    /// These charges with remarks about the file of their pages.
    pub(super) fn with_remarks(self, remarks: FileRemarks) -> Self {
        Charges { remarks, ..self }
    }

    /// Remarks about the file that they were read from.
    pub(super) fn remarks(&self) -> &FileRemarks {
        &self.remarks
    }

    /// True clusters of each of the sectors, if they are known.
    pub(super) fn truth(&self) -> Option<&[Truth]> {
        self.truth.as_deref()
    }

    /// The sectors.
    pub fn cases(&self) -> &[ChargeCase] {
        &self.cases
    }

    /// Samples of all sectors.
    pub fn samples(&self) -> usize {
        self.cases.iter().map(|case| case.charges.len()).sum()
    }

    /// A copy of these charges whose labels are used, or ignored.
    pub(super) fn with_labels(self, are_given: bool) -> Self {
        Charges { without_labels: !are_given, ..self }
    }

    /// A copy of these charges whose labels are artificial, or not.
    pub(super) fn with_made_up_labels(self, are_made_up: bool) -> Self {
        Charges { with_made_up_labels: are_made_up, ..self }
    }

    /// True if labels identify the particles of the simulation.
    pub(super) fn has_meaningful_labels(&self) -> bool {
        self.has_labels() && !self.with_made_up_labels
    }

    /// True if clusters get labels: some samples have labels that are not ignored.
    pub(super) fn has_labels(&self) -> bool {
        !self.without_labels && self.cases.iter().any(|case| case.labels.is_some())
    }

    /// The expected clusters, by sector, row and their own order.
    pub(crate) fn right_clusters(&self) -> &Clusters {
        self.clusters.get_or_init(|| reference::find(&self.cases, self.has_labels()))
    }

    /// Number of samples in each row of each sector: an upper bound of the clusters.
    pub(super) fn samples_of_rows(&self) -> Vec<[u32; ROWS]> {
        let of_case = |case: &ChargeCase| {
            let mut counts = [0; ROWS];
            for charge in &case.charges {
                counts[usize::from(charge.pad.row())] += 1;
            }
            counts
        };
        crate::parallel::map(&self.cases, of_case)
    }

    /// Hash of all content that affects the results.
    pub(super) fn content(&self) -> u64 {
        let of_case = |hash: u64, case: &ChargeCase| {
            let settings = format!("{:?}", case.settings);
            let head = [case.time_bins.into(), case.charges.len() as u64];
            let settings = settings.bytes().map(u64::from);
            let noisy = case.noisy.iter().map(|pad| pad.bits().into());
            let charges = case.charges.iter().map(|sample| {
                let key = u64::from(sample.time) << 32 | u64::from(sample.pad.bits()) << 16;
                key | u64::from(sample.charge)
            });
            let labels = case.labels.iter().flat_map(|labels| {
                let first = labels.first().iter().map(|&first| first.into());
                first.chain(labels.all().iter().copied())
            });
            let all = head.into_iter().chain(settings).chain(noisy).chain(charges).chain(labels);
            all.fold(hash, |hash, value| mix(hash ^ value))
        };
        self.cases.iter().fold(0, of_case)
    }

    /// Copies without some of the sectors, or, with a single sector, without some of its samples.
    pub(super) fn shrink(&self) -> Box<dyn Iterator<Item = Charges> + '_> {
        if let [case] = &self.cases[..] {
            return Box::new(without_parts(case.charges.len(), |gone| {
                let mut fewer = case.clone();
                fewer.labels = None;
                fewer.charges.drain(gone);
                Some(Charges::new(vec![fewer]))
            }));
        }
        Box::new(without_parts(self.cases.len(), |gone| {
            let mut fewer = self.cases.clone();
            fewer.drain(gone);
            Some(Charges::new(fewer))
        }))
    }
}

/// The fragments of a sector, which end with its last sample.
pub(super) fn of_case(case: &ChargeCase) -> impl Iterator<Item = FragmentOfFrame> {
    Fragments::new(case.fragment).of_frame(used_time_bins(case))
}

/// Time bins up to the last sample of a sector.
pub(super) fn used_time_bins(case: &ChargeCase) -> u32 {
    case.charges.iter().map(|sample| sample.time + 1).max().unwrap_or(0)
}
