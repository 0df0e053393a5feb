//! Jobs of unpacking: descriptors, looked up before messages are.

use bytemuck::{Pod, Zeroable};
use generators_sts::Digi;
use generators_sts::raw::clock::EPOCH_NS;
use generators_sts::raw::{
    Component, Descriptor, MicrosliceCounts, RawData, RawTimeslice, Rules, STS_SYSTEM,
    SYSTEM_VERSION, TimesliceCounts,
};

use super::tables::Tables;
use tasks::device::Poison;

/// A microslice of a component that is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Job {
    /// Offset of its content among all bytes; any alignment.
    pub(crate) begin: u64,
    /// Its start, in ns of Unix time.
    pub(crate) index: u64,
    /// The epoch in which its timeslice starts, counted from the start of Unix time.
    pub(crate) first_epoch: u64,
    /// Bytes of its content.
    pub(crate) bytes: u32,
    /// Index of its board in the tables; [`Job::NO_BOARD`] if it is not unpacked.
    pub(crate) board: u32,
}

impl Job {
    /// Board of a microslice whose board or version is unknown: it is counted, and has no digis.
    pub(crate) const NO_BOARD: u32 = u32::MAX;
}

impl Poison for Job {
    const POISON: Self = Job {
        begin: u64::POISON,
        index: u64::POISON,
        first_epoch: u64::POISON,
        bytes: u32::POISON,
        board: u32::POISON,
    };
}

/// Result of the survey of descriptors.
pub(crate) struct Survey<'j> {
    /// The microslices of accepted components, in order.
    pub(crate) jobs: &'j [Job],
    /// Counts of descriptors.
    pub(crate) timeslices: Vec<TimesliceCounts>,
}

/// Surveys all descriptors; `buffer` has capacity for a job of each microslice.
pub(crate) fn survey<'j>(
    data: &RawData,
    tables: &Tables,
    rules: Rules,
    buffer: &'j mut [Job],
) -> Survey<'j> {
    let mut surveyor = Surveyor { tables, rules, buffer, jobs: 0 };
    let timeslices =
        data.timeslices().map(|(timeslice, components)| surveyor.look(timeslice, components));
    let timeslices = timeslices.collect();
    let Surveyor { buffer, jobs, .. } = surveyor;
    Survey { jobs: &buffer[..jobs], timeslices }
}

struct Surveyor<'t, 'j> {
    tables: &'t Tables,
    rules: Rules,
    buffer: &'j mut [Job],
    jobs: usize,
}

impl Surveyor<'_, '_> {
    fn look<'c>(
        &mut self,
        timeslice: RawTimeslice,
        components: impl Iterator<Item = Component<'c>>,
    ) -> TimesliceCounts {
        let mut counts = TimesliceCounts::default();
        // A timeslice without a start time starts with its first microslice.
        let mut start_ns = Some(timeslice.start_ns).filter(|start| *start > 0);
        for component in components {
            let first = component.descriptor(0);
            let first_epoch = *start_ns.get_or_insert(first.index) / EPOCH_NS;
            if let Some(board) = accepted(&first, self.tables, &mut counts) {
                counts.components += 1;
                counts.microslices += component.microslices() as u64;
                counts.bytes_in += component.block().len() as u64;
                self.add(&component, board, first_epoch, &mut counts);
            }
        }
        counts
    }

    fn add(
        &mut self,
        component: &Component<'_>,
        own: u32,
        first_epoch: u64,
        counts: &mut TimesliceCounts,
    ) {
        for descriptor in component.descriptors() {
            let board = match self.rules {
                Rules::Current => known(&descriptor, self.tables, counts),
                Rules::Of2023 => own,
            };
            let begin = component.byte_offset(&descriptor) as u64;
            let Descriptor { index, size: bytes, .. } = descriptor;
            self.buffer[self.jobs] = Job { begin, index, first_epoch, bytes, board };
            self.jobs += 1;
        }
    }
}

/// The board of a component by its first microslice, if it is to be unpacked.
fn accepted(first: &Descriptor, tables: &Tables, counts: &mut TimesliceCounts) -> Option<u32> {
    if first.system != STS_SYSTEM {
        return None;
    }
    let board = tables.board_index(first.equipment);
    counts.bad_equipment += u64::from(board.is_none());
    board
}

/// The board of a microslice.
fn known(descriptor: &Descriptor, tables: &Tables, counts: &mut TimesliceCounts) -> u32 {
    match tables.board_index(descriptor.equipment) {
        None => counts.bad_equipment += 1,
        Some(_) if descriptor.version != SYSTEM_VERSION => counts.bad_version += 1,
        Some(board) => return board,
    }
    Job::NO_BOARD
}

/// Sets the number of digis of each timeslice, from those of its microslices.
pub(crate) fn sum_up(timeslices: &mut [TimesliceCounts], mut counts: &[MicrosliceCounts]) {
    for timeslice in timeslices {
        let (counts_of_timeslice, rest) = counts.split_at(timeslice.microslices as usize);
        let digis: u64 = counts_of_timeslice.iter().map(|counts| u64::from(counts.digis)).sum();
        timeslice.bytes_out = digis * size_of::<Digi>() as u64;
        counts = rest;
    }
}
