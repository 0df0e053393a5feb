//! Raw data on the device, and their counts.

use generators_sts::Digi;
use generators_sts::raw::{MESSAGE_BYTES, MicrosliceCounts, Rules, TimesliceCounts};
use parallel::copy;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, same_as};

use super::boards::boards;
use crate::kernels::sts_unpack_cuda_raw_h as kernels;
use crate::kernels::sts_unpack_cuda_raw_h::{Board, CURRENT, OF_2023};
use crate::sts_unpack::input::RawTimeslices;
use crate::sts_unpack::survey::{Job, sum_up, survey};
use tasks::device::{CachedPerInput, Execution, buffers};

same_as!(Job { begin, index, first_epoch, bytes, board } => kernels::Job);
same_as!(MicrosliceCounts {
    digis, other, elink, first, size, overflow, undefined
} => kernels::Counts);

const _: () = assert!(Job::NO_BOARD == kernels::NO_BOARD);
const _: () = assert!(Rules::Current as u32 == CURRENT && Rules::Of2023 as u32 == OF_2023);

const STAGE: &str = "survey";
/// Bytes after the data, so that kernels can load 16 bytes from any message on.
const PADDING: usize = 16;

/// Input of an unpacking algorithm.
pub(crate) struct UnpackPass<'w> {
    pub(crate) gpu: &'w Gpu,
    pub(crate) rules: u32,
    /// All microslices.
    pub(crate) jobs: &'w [Job],
    pub(crate) data: &'w OnDevice<'w>,
    /// Expected number of digis, for the declared traffic of kernels.
    digis: usize,
}

/// Raw data with their tables, and the counts, on the device.
pub(crate) struct OnDevice<'a> {
    pub(crate) bytes: DeviceBuffer<u8>,
    pub(crate) boards: CachedPerInput<'a, DeviceBuffer<Board>>,
    pub(crate) jobs: DeviceBuffer<Job>,
    /// Counts of each microslice.
    pub(crate) counts: DeviceBuffer<MicrosliceCounts>,
}

buffers!(OnDevice<'_>: bytes, boards, jobs, counts);

/// Raw data in page-locked memory and on the device.
pub(crate) struct RawOnGpu<'a> {
    input: &'a RawTimeslices,
    bytes: CachedPerInput<'a, PinnedBuffer<u8>>,
    jobs: PinnedBuffer<Job>,
    data: OnDevice<'a>,
    counts: PinnedBuffer<MicrosliceCounts>,
    /// Digis of the last run, or else messages that may be one.
    expected_digis: usize,
}

buffers!(RawOnGpu<'_>: bytes, jobs, data, counts);

impl UnpackPass<'_> {
    /// Bytes that have to be read: each message once, and the jobs of microslices.
    pub(crate) fn bytes_of_messages(&self) -> u64 {
        let read: u64 = self.jobs.iter().map(|job| u64::from(job.bytes)).sum();
        read + size_of_val(self.jobs) as u64
    }

    /// Bytes that have to be written.
    pub(crate) fn bytes_of_digis(&self) -> u64 {
        (self.digis * size_of::<Digi>()) as u64
    }
}

/// Number of messages of a microslice, 0 if its size is wrong.
pub(super) fn messages(job: &Job) -> u32 {
    job.bytes / MESSAGE_BYTES as u32
}

impl<'a> RawOnGpu<'a> {
    /// Raw data to be unpacked by an algorithm with buffers made by `make_unpacker`.
    pub(crate) fn new<W>(
        execution: Execution<'_, 'a>,
        input: &'a RawTimeslices,
        make_unpacker: impl FnOnce(&[Job]) -> Result<W, DeviceError>,
    ) -> Result<(Self, W), DeviceError> {
        let Execution { gpu, arena, .. } = execution;
        let data = input.data();
        let bytes = input.data().bytes();
        let mut jobs = gpu.pinned(data.microslices())?;
        let found = survey(data, input.tables(), input.rules(), &mut jobs);
        let found_messages = found.jobs.iter().map(|job| messages(job) as usize).sum();
        let unpacker = make_unpacker(found.jobs)?;
        let raw = RawOnGpu {
            input,
            bytes: CachedPerInput::get_or_make("raw data", bytes, arena, gpu, |gpu| {
                padded(gpu, bytes)
            })?,
            data: OnDevice::new(execution, input)?,
            counts: gpu.pinned(jobs.len())?,
            expected_digis: found_messages,
            jobs,
        };
        Ok((raw, unpacker))
    }

    /// Starts to copy the data to the device.
    pub(crate) fn upload(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.upload(&self.data.bytes, &*self.bytes)
    }

    /// Surveys descriptors, unpacks the copied data with the kernels that `start` starts, and waits
    /// for the counts.
    pub(crate) fn unpack(
        &mut self,
        gpu: &Gpu,
        start: impl FnOnce(&UnpackPass<'_>) -> Result<(), DeviceError>,
    ) -> Result<Vec<TimesliceCounts>, DeviceError> {
        let RawOnGpu { input, jobs, data, counts, expected_digis, .. } = self;
        let tables = input.tables();
        let rules = input.rules();
        let job_buffer = &mut jobs[..];
        let found = gpu.scope(STAGE, || {
            Ok(gpu.host_stage(|| survey(input.data(), tables, rules, job_buffer)))
        })?;
        let count = found.jobs.len();
        let mut timeslices = found.timeslices;
        gpu.upload(&data.jobs, jobs.part(0..count))?;
        let digis = *expected_digis;
        let pass = UnpackPass { gpu, rules: rules as u32, jobs: &jobs[..count], data, digis };
        start(&pass)?;
        gpu.download(counts.part_mut(0..count), &data.counts)?;
        gpu.wait()?;
        sum_up(&mut timeslices, &counts[..count]);
        *expected_digis = timeslices.iter().map(TimesliceCounts::digis).sum();
        Ok(timeslices)
    }

    /// Counts of each microslice, copied back.
    pub(crate) fn counts(&self) -> &[MicrosliceCounts] {
        &self.counts
    }
}

impl<'a> OnDevice<'a> {
    fn new(execution: Execution<'_, 'a>, input: &'a RawTimeslices) -> Result<Self, DeviceError> {
        let Execution { gpu, arena, .. } = execution;
        let data = input.data();
        let tables = input.tables();
        Ok(OnDevice {
            bytes: gpu.buffer(data.bytes().len() + PADDING)?,
            boards: CachedPerInput::get_or_make("boards", tables, arena, gpu, |gpu| {
                gpu.table(&boards(tables))
            })?,
            jobs: gpu.buffer(data.microslices())?,
            counts: gpu.buffer(data.microslices())?,
        })
    }
}

/// A page-locked copy of all data.
fn padded(gpu: &Gpu, bytes: &[u8]) -> Result<PinnedBuffer<u8>, DeviceError> {
    let mut padded = gpu.pinned(bytes.len() + PADDING)?;
    let (data, padding) = padded.split_at_mut(bytes.len());
    copy(data, bytes);
    padding.fill(0);
    Ok(padded)
}
