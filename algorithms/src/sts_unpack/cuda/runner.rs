//! Copies of raw data, counts and digis, and a way to unpack between them.

use std::borrow::Cow;
use std::sync::Arc;

use generators::sts::Digi;
use generators::sts::raw::{MESSAGE_BYTES, MicrosliceCounts, Rules, TimesliceCounts, Unpacked};

use super::boards::boards;
use crate::algorithm::{Opened, Opening, Runner};
use crate::all_cores::{copy, mapped};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Lent, PinnedBuffer, same_as};
use crate::device::{Arena, Buffers, buffers};
use crate::kernels::sts_unpack_cuda_raw_board_h::Board;
use crate::kernels::sts_unpack_cuda_raw_hit_h::{CURRENT, OF_2023};
use crate::kernels::sts_unpack_cuda_raw_microslice_h as kernels;
use crate::sts_unpack::StsUnpack;
use crate::sts_unpack::input::RawTimeslices;
use crate::sts_unpack::survey::{Job, sum_up, survey};

same_as!(Job { begin, index, first_epoch, bytes, board } => kernels::Job);
same_as!(MicrosliceCounts {
    digis, other, elink, first, size, overflow, undefined
} => kernels::Counts);

const _: () = assert!(Job::NO_BOARD == kernels::NO_BOARD);
const _: () = assert!(Rules::Current as u32 == CURRENT && Rules::Of2023 as u32 == OF_2023);

const STAGE: &str = "survey";
/// Behind the data, so that kernels can load so many bytes wherever a message is.
const PADDING: usize = 16;

/// The buffers of a way to unpack, and what to do with them.
pub(super) trait Unpacker: Buffers {
    /// Starts the kernels.
    ///
    /// # Errors
    /// If the device refuses.
    fn unpack(&mut self, work: &Work<'_>) -> Result<(), DeviceError>;
}

/// What is to be unpacked.
pub(super) struct Work<'w> {
    pub(super) gpu: &'w Gpu,
    pub(super) rules: u32,
    /// All microslices.
    pub(super) jobs: &'w [Job],
    pub(super) data: &'w OnDevice<'w>,
    /// Digis that the last run has found.
    digis: usize,
}

/// Raw data with their tables, and what becomes of them, on the device.
pub(super) struct OnDevice<'a> {
    pub(super) bytes: DeviceBuffer<u8>,
    pub(super) boards: Lent<'a, DeviceBuffer<Board>>,
    pub(super) jobs: DeviceBuffer<Job>,
    /// Of each microslice.
    pub(super) counts: DeviceBuffer<MicrosliceCounts>,
    /// There is room for one of each message.
    pub(super) digis: DeviceBuffer<u64>,
}

buffers!(OnDevice<'_>: bytes, boards, jobs, counts, digis);

/// Takes the buffers for such microslices.
type MakeUnpacker = fn(&Gpu, &[Job]) -> Result<Box<dyn Unpacker>, DeviceError>;

struct OnGpu<'a> {
    make_unpacker: MakeUnpacker,
    input: &'a RawTimeslices,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
    /// What the last run has counted.
    timeslices: Vec<TimesliceCounts>,
}

struct Held<'a> {
    bytes: Lent<'a, PinnedBuffer<u8>>,
    jobs: PinnedBuffer<Job>,
    data: OnDevice<'a>,
    unpacker: Box<dyn Unpacker>,
    counts: PinnedBuffer<MicrosliceCounts>,
    digis: PinnedBuffer<u64>,
}

buffers!(Held<'_>: bytes, jobs, data, unpacker, counts, digis);

/// A way to unpack, ready to run.
pub(super) fn unpack_on_gpu<'a>(
    at: &Opening<'a, '_, StsUnpack>,
    make_unpacker: MakeUnpacker,
) -> Opened<'a, StsUnpack> {
    let (input, arena, gpu) = (at.input, at.arena, at.gpu()?);
    at.session(OnGpu { make_unpacker, input, arena, gpu, timeslices: Vec::new() })
}

impl Work<'_> {
    /// Bytes that have to be moved: each message and each digi, once.
    pub(super) fn bytes(&self) -> u64 {
        let read: u64 = self.jobs.iter().map(|job| u64::from(job.bytes)).sum();
        read + size_of_val(self.jobs) as u64 + self.bytes_of_digis()
    }

    pub(super) fn bytes_of_digis(&self) -> u64 {
        (self.digis * size_of::<Digi>()) as u64
    }
}

/// How many messages a microslice has, if nothing is wrong with its size.
pub(super) fn messages(job: &Job) -> u32 {
    job.bytes / MESSAGE_BYTES as u32
}

impl<'a> OnGpu<'a> {
    fn data(&self) -> Result<OnDevice<'a>, DeviceError> {
        let (gpu, data, tables) = (&self.gpu, self.input.data(), self.input.tables());
        Ok(OnDevice {
            bytes: gpu.buffer(data.bytes().len() + PADDING)?,
            boards: Lent::of(tables, self.arena, gpu, |gpu| gpu.table(&boards(tables)))?,
            jobs: gpu.buffer(data.microslices())?,
            counts: gpu.buffer(data.microslices())?,
            digis: gpu.buffer(data.messages() as usize)?,
        })
    }

    fn digis(&self) -> usize {
        self.timeslices.iter().map(TimesliceCounts::digis).sum()
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

impl<'a> Runner<StsUnpack> for OnGpu<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        let (gpu, input, data) = (&self.gpu, self.input, self.input.data());
        let mut jobs = gpu.pinned(data.microslices())?;
        let found = survey(data, input.tables(), input.rules(), &mut jobs);
        let unpacker = (self.make_unpacker)(gpu, found.jobs)?;
        let bytes = data.bytes();
        Ok(Held {
            bytes: Lent::of(bytes, self.arena, gpu, |gpu| padded(gpu, bytes))?,
            data: self.data()?,
            unpacker,
            counts: gpu.pinned(jobs.len())?,
            digis: gpu.pinned(data.messages() as usize)?,
            jobs,
        })
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        let (gpu, input, digis) = (&*self.gpu, self.input, self.digis());
        let Held { bytes, jobs, data, unpacker, counts, .. } = held;
        gpu.upload(&data.bytes, &**bytes)?;
        let (tables, rules, room) = (input.tables(), input.rules(), &mut jobs[..]);
        let found =
            gpu.scope(STAGE, || Ok(gpu.on_host(|| survey(input.data(), tables, rules, room))))?;
        let (count, mut timeslices) = (found.jobs.len(), found.timeslices);
        gpu.upload(&data.jobs, jobs.part(0..count))?;
        let work = Work { gpu, rules: rules as u32, jobs: &jobs[..count], data, digis };
        unpacker.unpack(&work)?;
        gpu.download(counts.part_mut(0..count), &data.counts)?;
        gpu.wait()?;
        sum_up(&mut timeslices, &counts[..count]);
        self.timeslices = timeslices;
        gpu.download(held.digis.part_mut(0..self.digis()), &held.data.digis)
    }

    fn output<'b>(&'b self, held: &'b Held<'a>) -> Cow<'b, Unpacked> {
        let microslices: u64 = self.timeslices.iter().map(|counts| counts.microslices).sum();
        Cow::Owned(Unpacked {
            timeslices: self.timeslices.clone(),
            microslices: held.counts[..microslices as usize].to_vec(),
            digis: mapped(&held.digis[..self.digis()], |&bits| Digi::from_bits(bits)),
        })
    }
}
