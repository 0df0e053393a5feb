//! Digis of raw data in the order of the messages, on the device.

use std::sync::Arc;

use generators::sts::raw::{MicrosliceCounts, TimesliceCounts};

use super::raw_on_gpu::{RawOnGpu, Work};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu};
use crate::device::{Arena, Buffers, buffers};
use crate::sts_unpack::input::RawTimeslices;
use crate::sts_unpack::survey::Job;

/// The buffers of a way to unpack, and what to do with them.
pub(crate) trait Unpacker: Buffers {
    /// Starts the kernels; there is room for a digi of each message.
    ///
    /// # Errors
    /// If the device refuses.
    fn unpack(&mut self, work: &Work<'_>, digis: &DeviceBuffer<u64>) -> Result<(), DeviceError>;
}

/// Takes the buffers for such microslices.
pub(crate) type MakeUnpacker = fn(&Gpu, &[Job]) -> Result<Box<dyn Unpacker>, DeviceError>;

/// Raw data, and their digis on the device.
pub(crate) struct RawToStream<'a> {
    raw: RawOnGpu<'a>,
    unpacker: Box<dyn Unpacker>,
    digis: DeviceBuffer<u64>,
}

buffers!(RawToStream<'_>: raw, unpacker, digis);

impl<'a> RawToStream<'a> {
    /// To be unpacked in some way.
    ///
    /// # Errors
    /// If there is no room for it.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        input: (&'a RawTimeslices, &'a Arena),
        make_unpacker: MakeUnpacker,
    ) -> Result<Self, DeviceError> {
        let (raw, unpacker) = RawOnGpu::new(gpu, input, |jobs| make_unpacker(gpu, jobs))?;
        let messages = input.0.data().messages() as usize;
        Ok(RawToStream { raw, unpacker, digis: gpu.buffer(messages)? })
    }

    /// Starts to copy the data to the device.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn upload(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        self.raw.upload(gpu)
    }

    /// Unpacks what was copied, and waits for what was counted.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn unpack(&mut self, gpu: &Gpu) -> Result<Vec<TimesliceCounts>, DeviceError> {
        let RawToStream { raw, unpacker, digis } = self;
        raw.unpack(gpu, |work| unpacker.unpack(work, digis))
    }

    /// Of each microslice, as they came back.
    pub(crate) fn counts(&self) -> &[MicrosliceCounts] {
        self.raw.counts()
    }

    /// The digis on the device, and behind them nothing of worth.
    pub(crate) fn digis(&self) -> &DeviceBuffer<u64> {
        &self.digis
    }
}
