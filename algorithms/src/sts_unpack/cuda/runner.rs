//! The task on a GPU: raw data go there, counts and digis come back.

use std::borrow::Cow;
use std::sync::Arc;

use generators::sts::Digi;
use generators::sts::raw::{TimesliceCounts, Unpacked};

use super::stream::{MakeUnpacker, RawToStream};
use crate::algorithm::{PrepareResult, Runner, VariantContext};
use crate::all_cores::par_map;
use crate::device::gpu::{DeviceError, Gpu, PinnedBuffer};
use crate::device::{Arena, Execution, Unavailable, buffers};
use crate::sts_unpack::StsUnpack;
use crate::sts_unpack::input::{DigiOrder, RawTimeslices};

struct UnpackRunner<'a> {
    make_unpacker: MakeUnpacker,
    input: &'a RawTimeslices,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
    threads: usize,
    /// Counts of the previous run.
    timeslices: Vec<TimesliceCounts>,
}

struct UnpackBuffers<'a> {
    raw: RawToStream<'a>,
    digis: PinnedBuffer<u64>,
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
    at.session(UnpackRunner {
        make_unpacker,
        input: at.input,
        arena: at.arena,
        gpu: at.gpu()?,
        threads: at.threads(),
        timeslices: Vec::new(),
    })
}

impl UnpackRunner<'_> {
    fn digis(&self) -> usize {
        self.timeslices.iter().map(TimesliceCounts::digis).sum()
    }
}

impl<'a> Runner<StsUnpack> for UnpackRunner<'a> {
    type Buffers = UnpackBuffers<'a>;

    fn allocate(&self) -> Result<UnpackBuffers<'a>, DeviceError> {
        let gpu = &self.gpu;
        let input = self.input;
        let execution = Execution { gpu, arena: self.arena, threads: self.threads };
        Ok(UnpackBuffers {
            raw: RawToStream::new(execution, input, self.make_unpacker)?,
            digis: gpu.pinned(input.data().messages() as usize)?,
        })
    }

    fn run(&mut self, buffers: &mut UnpackBuffers<'a>) -> Result<(), DeviceError> {
        buffers.raw.upload(&self.gpu)?;
        self.timeslices = buffers.raw.unpack(&self.gpu)?;
        self.gpu.download(buffers.digis.part_mut(0..self.digis()), buffers.raw.digis())
    }

    fn output<'b>(&'b self, buffers: &'b UnpackBuffers<'a>) -> Cow<'b, Unpacked> {
        let microslices: u64 = self.timeslices.iter().map(|counts| counts.microslices).sum();
        Cow::Owned(Unpacked {
            timeslices: self.timeslices.clone(),
            microslices: buffers.raw.counts()[..microslices as usize].to_vec(),
            digis: par_map(&buffers.digis[..self.digis()], |&bits| Digi::from_bits(bits)),
        })
    }
}
