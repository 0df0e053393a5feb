//! Presort by the host, as published: the digis of each side are copied to the device contiguously.

use generators_common::partition::Partition;
use generators_sts::Digi;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};

use crate::sts::Timeslice;
use crate::sts::presort::{LookupTable, Permutation};
use tasks::device::{CachedPerInput, Execution, buffers};

/// The stream on the host, and where its digis go before they are copied.
pub(super) struct HostPresort<'a> {
    stream: &'a [Digi],
    table: CachedPerInput<'a, LookupTable>,
    threads: usize,
    digis: PinnedBuffer<u64>,
}

buffers!(HostPresort<'_>: digis);

impl<'a> HostPresort<'a> {
    pub(super) fn new(
        execution: Execution<'_, 'a>,
        input: &'a Timeslice,
    ) -> Result<Self, DeviceError> {
        let Execution { gpu, arena, threads } = execution;
        let make = |_: &Gpu| Ok(LookupTable::new(input.modules()));
        Ok(HostPresort {
            stream: input.stream(),
            table: CachedPerInput::get_or_make("presort", input, arena, gpu, make)?,
            threads,
            digis: gpu.pinned(input.stream().len())?,
        })
    }

    /// Distributes the digis of the timeslice, or those that were unpacked, and starts to copy
    /// them; returns the partition into sides.
    pub(super) fn start(
        &mut self,
        gpu: &Gpu,
        unpacked: Option<&[Digi]>,
        to: &DeviceBuffer<u64>,
    ) -> Result<Partition, DeviceError> {
        let HostPresort { stream, table, threads, digis } = self;
        let stream = unpacked.unwrap_or(stream);
        let lengths = gpu.host_stage(|| {
            let digis = bytemuck::cast_slice_mut(digis);
            table.scatter(stream, digis, *threads, Permutation::Unwanted)
        });
        gpu.upload(to, &*digis)?;
        Ok(Partition::from_lengths(lengths))
    }
}
