//! Digis of raw data in the order of the messages, on the device.

use generators_sts::raw::{MicrosliceCounts, TimesliceCounts};
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use super::raw_on_gpu::{RawOnGpu, UnpackPass};
use crate::sts_unpack::input::RawTimeslices;
use crate::sts_unpack::survey::Job;
use tasks::device::{Buffers, Execution, buffers};

/// Buffers and kernels of an unpacking algorithm.
pub(crate) trait Unpacker: Buffers {
    /// Starts the kernels; there is capacity for a digi of each message.
    fn unpack(
        &mut self,
        pass: &UnpackPass<'_>,
        digis: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError>;
}

/// Allocates the buffers to unpack these microslices.
pub(crate) type MakeUnpacker = fn(&Gpu, &[Job]) -> Result<Box<dyn Unpacker>, DeviceError>;

/// Raw data, and their digis on the device.
pub(crate) struct RawToStream<'a> {
    raw: RawOnGpu<'a>,
    unpacker: Box<dyn Unpacker>,
    digis: DeviceBuffer<u64>,
}

buffers!(RawToStream<'_>: raw, unpacker, digis);

impl<'a> RawToStream<'a> {
    /// Raw data to be unpacked by an algorithm.
    pub(crate) fn new(
        execution: Execution<'_, 'a>,
        input: &'a RawTimeslices,
        make_unpacker: MakeUnpacker,
    ) -> Result<Self, DeviceError> {
        let gpu = execution.gpu;
        let (raw, unpacker) = RawOnGpu::new(execution, input, |jobs| make_unpacker(gpu, jobs))?;
        let messages = input.data().messages() as usize;
        Ok(RawToStream { raw, unpacker, digis: gpu.buffer(messages)? })
    }

    /// Starts to copy the data to the device.
    pub(crate) fn upload(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        self.raw.upload(gpu)
    }

    /// Unpacks the copied data, and waits for the counts.
    pub(crate) fn unpack(&mut self, gpu: &Gpu) -> Result<Vec<TimesliceCounts>, DeviceError> {
        let RawToStream { raw, unpacker, digis } = self;
        raw.unpack(gpu, |pass| unpacker.unpack(pass, digis))
    }

    /// Counts of each microslice, copied back.
    pub(crate) fn counts(&self) -> &[MicrosliceCounts] {
        self.raw.counts()
    }

    /// The digis on the device, followed by unspecified data.
    pub(crate) fn digis(&self) -> &DeviceBuffer<u64> {
        &self.digis
    }
}
