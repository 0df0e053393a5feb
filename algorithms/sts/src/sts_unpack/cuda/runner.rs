//! The task on a GPU: raw data go there, counts and digis come back.

use std::borrow::Cow;

use generators_sts::Digi;
use generators_sts::raw::{TimesliceCounts, Unpacked};
use parallel::par_map;
use portable_gpu::{DeviceError, PinnedBuffer};

use super::stream::{MakeUnpacker, RawToStream};
use crate::sts_unpack::StsUnpack;
use crate::sts_unpack::input::DigiOrder;
use tasks::algorithm::{GpuRunner, GpuTask, PrepareResult, VariantContext};
use tasks::device::{Unavailable, buffers};

struct UnpackBuffers<'a> {
    raw: RawToStream<'a>,
    digis: PinnedBuffer<u64>,
    /// Counts of the previous run.
    timeslices: Vec<TimesliceCounts>,
}

buffers!(UnpackBuffers<'_>: raw, digis);

/// A session of an unpacking algorithm on a GPU.
pub(super) fn unpack_on_gpu<'a>(
    at: &VariantContext<'a, '_, StsUnpack>,
    make_unpacker: MakeUnpacker,
) -> PrepareResult<'a, StsUnpack> {
    if at.input.order() == DigiOrder::Time {
        let reason = "digis are sorted by time on the host only; use --order arrival";
        return Err(Unavailable(reason.to_owned()));
    }
    at.on_gpu::<UnpackBuffers<'a>>(make_unpacker)
}

impl UnpackBuffers<'_> {
    /// Number of digis of the previous run.
    fn count(&self) -> usize {
        self.timeslices.iter().map(TimesliceCounts::digis).sum()
    }
}

impl<'a> GpuTask<'a> for UnpackBuffers<'a> {
    type Task = StsUnpack;
    type Config = MakeUnpacker;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let make_unpacker = at.config;
        Ok(UnpackBuffers {
            raw: RawToStream::new(at.execution(), at.input, make_unpacker)?,
            digis: at.gpu.pinned(at.input.data().messages() as usize)?,
            timeslices: Vec::new(),
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { gpu, .. } = at;
        self.raw.upload(gpu)?;
        self.timeslices = self.raw.unpack(gpu)?;
        let count = self.count();
        gpu.download(self.digis.part_mut(0..count), self.raw.digis())
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Unpacked> {
        let microslices: u64 = self.timeslices.iter().map(|counts| counts.microslices).sum();
        Cow::Owned(Unpacked {
            timeslices: self.timeslices.clone(),
            microslices: self.raw.counts()[..microslices as usize].to_vec(),
            digis: par_map(&self.digis[..self.count()], |&bits| Digi::from_bits(bits)),
        })
    }
}
