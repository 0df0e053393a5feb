//! Raw data with the tables of their boards; the output of unpacking, the order of its digis, and
//! its check.

use std::fmt;
use std::sync::{Arc, OnceLock};

use generators_common::named;
use generators_common::partition::Partition;
use generators_common::random::mix;
use generators_sts::io::Remarks;
use generators_sts::raw::{RawData, Readout, Rules, TimesliceCounts, Unpacked};
use parallel::for_each;
use rayon::slice::ParallelSliceMut;

use super::reference;
use super::tables::Tables;
use crate::sts_sort::check::same_keys_and_runs;
use crate::sts_sort::order::ByTime;
use tasks::algorithm::mutants::{inside, of_elements};
use tasks::algorithm::{CheckError, Choose, Mutants, Output, compare_lists};

/// Raw timeslices, their readout, and the rules of the right digis.
pub struct RawTimeslices {
    data: RawData,
    readout: Arc<Readout>,
    rules: Rules,
    order: DigiOrder,
    tables: Arc<Tables>,
    right: OnceLock<Unpacked>,
    remarks: Remarks,
}

impl fmt::Debug for RawTimeslices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} timeslices of {} messages", self.data.len(), self.data.messages())
    }
}

impl RawTimeslices {
    /// Raw data of these boards.
    pub fn new(data: RawData, readout: Readout, rules: Rules) -> Self {
        let tables = Arc::new(Tables::new(&readout, rules));
        let order = DigiOrder::Arrival;
        let right = OnceLock::new();
        let remarks = Remarks::default();
        RawTimeslices { data, readout: Arc::new(readout), rules, order, tables, right, remarks }
    }

    /// The input with remarks about its files.
    pub(crate) fn with_remarks(self, remarks: Remarks) -> Self {
        RawTimeslices { remarks, ..self }
    }

    /// Remarks about the files that it was read from.
    pub fn remarks(&self) -> &Remarks {
        &self.remarks
    }

    /// The input with digis wanted in another order.
    pub(crate) fn in_order(self, order: DigiOrder) -> Self {
        RawTimeslices { order, right: OnceLock::new(), ..self }
    }

    /// The input with digis wanted in another order; the data are shared.
    pub(crate) fn wanted_in(&self, order: DigiOrder) -> Self {
        self.with(self.data.clone()).in_order(order)
    }

    /// Other data with the same boards and rules.
    pub(crate) fn with(&self, data: RawData) -> Self {
        let readout = Arc::clone(&self.readout);
        let tables = Arc::clone(&self.tables);
        let rules = self.rules;
        let order = self.order;
        let right = OnceLock::new();
        let remarks = self.remarks.clone();
        RawTimeslices { data, readout, rules, order, tables, right, remarks }
    }

    /// Data of the boards.
    pub fn data(&self) -> &RawData {
        &self.data
    }

    /// Tables of the readout.
    pub fn readout(&self) -> &Readout {
        &self.readout
    }

    /// Rules of the right digis.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Order of the digis.
    pub(crate) fn order(&self) -> DigiOrder {
        self.order
    }

    /// The tables of boards in plain arrays.
    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The right digis and counts.
    pub(crate) fn expected(&self) -> &Unpacked {
        self.right.get_or_init(|| {
            let mut right = reference::unpack(&self.data, &self.readout, self.rules);
            if self.order == DigiOrder::Time {
                sort(&mut right);
            }
            right
        })
    }

    /// The right digis and counts, if nothing else is needed.
    pub(crate) fn into_expected(self) -> Unpacked {
        self.expected();
        self.right.into_inner().unwrap_or_default()
    }

    /// A hash of all that makes a difference.
    pub(crate) fn content(&self) -> u64 {
        let note = |hash: u64, word: u64| mix(hash ^ word);
        let tables = format!("{:?}", self.readout);
        let hash = tables.bytes().fold(self.rules as u64, |hash, byte| note(hash, byte.into()));
        self.data.timeslices().fold(hash, |hash, (timeslice, components)| {
            let hash = note(note(hash, timeslice.start_ns), components.len() as u64);
            components.fold(hash, |hash, component| {
                let hash = note(hash, component.microslices() as u64);
                let (words, rest) = component.block().as_chunks();
                let words = words.iter().map(|word| u64::from_le_bytes(*word));
                words.chain(rest.iter().map(|byte| u64::from(*byte))).fold(hash, note)
            })
        })
    }
}

/// All counts, and all digis in their order.
impl Output<super::StsUnpack> for Unpacked {
    fn nothing() -> Self {
        Unpacked::default()
    }

    fn compare(&self, right: &Self) -> Result<(), CheckError> {
        compare_counts(self, right)?;
        compare_lists(&self.digis, &right.digis)
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let timeslices = of_elements(&self.timeslices, choose);
        let microslices = of_elements(&self.microslices, choose);
        let digis = of_elements(&self.digis, choose);
        let timeslices = inside(self, timeslices, |all, list| all.timeslices = list);
        let microslices = inside(self, microslices, |all, list| all.microslices = list);
        let digis = inside(self, digis, |all, list| all.digis = list);
        timeslices.chain(microslices).chain(digis).collect()
    }
}

/// All but the digis.
pub(super) fn compare_counts(found: &Unpacked, right: &Unpacked) -> Result<(), CheckError> {
    compare_lists(&found.timeslices, &right.timeslices)?;
    compare_lists(&found.microslices, &right.microslices)
}

/// Order of digis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DigiOrder {
    /// By component, microslice and message.
    #[default]
    Arrival,
    /// By time within each timeslice; those of the same time in any order.
    Time,
}

named! { "order", DigiOrder { Arrival = "arrival", Time = "time" } }

/// The digis of each timeslice.
pub(super) fn partition(timeslices: &[TimesliceCounts]) -> Partition {
    Partition::from_lengths(timeslices.iter().map(TimesliceCounts::digis))
}

/// Sorts the digis of each timeslice stably by time.
pub(super) fn sort(unpacked: &mut Unpacked) {
    let timeslices = partition(&unpacked.timeslices).split_mut(&mut unpacked.digis);
    for_each(timeslices, |digis| digis.par_sort_by_key(|digi| digi.time_ns()));
}

/// Checks that digis of these timeslices are the right ones, sorted by time.
pub(super) fn compare(found: &Unpacked, right: &Unpacked) -> Result<(), CheckError> {
    let timeslices = partition(&right.timeslices);
    Ok(same_keys_and_runs::<ByTime>(&timeslices, &right.digis, &found.digis, |digi| digi)?)
}
