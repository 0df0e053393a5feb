//! The variant on a GPU. Samples are there before a run; a run brings the pulses to the host.

use std::borrow::Cow;

use recobench::gpu::{DeviceBuffer, DeviceError, LaunchConfig, PinnedBuffer};
use recobench::tasks::algorithm::{CheckError, GpuRunner, GpuTask, Variant};
use recobench::tasks::device::{Unavailable, buffers};

use super::Pulses;
use super::pulse::Pulse;
use crate::kernels::pulses_warp::{THREADS, WARP as KERNEL, Warp};

pub const WARP: Variant<Pulses> = Variant::cuda("warp", "a warp for each waveform", |at| {
    if u32::try_from(at.input.count()).is_err() {
        return Err(Unavailable("more than 2^32 waveforms; use fewer".to_owned()));
    }
    at.on_gpu::<PulseBuffers>(())
});

buffers! {
    struct PulseBuffers(gpu, samples: usize, count: usize) {
        pulses: DeviceBuffer<u32> = gpu.buffer(3 * count)?,
        host: PinnedBuffer<u32> = gpu.pinned(3 * count)?,
        samples: DeviceBuffer<u16> = gpu.buffer(samples)?,
        ; output: Vec<Pulse> = Vec::new(),
    }
}

impl<'a> GpuTask<'a> for PulseBuffers {
    type Task = Pulses;
    type Config = ();

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        PulseBuffers::new(&at.gpu, at.input.samples().len(), at.input.count())
    }

    fn load(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        at.gpu.upload(&self.samples, at.input.samples())
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, .. } = at;
        let count = input.count() as u32;
        let warps = THREADS / gpu.properties().lanes;
        let traffic = self.samples.bytes() + self.pulses.bytes();
        let grid = LaunchConfig::blocks(count.div_ceil(warps)).with_traffic(traffic);
        let arguments = Warp {
            samples: self.samples.ptr(),
            count,
            length: input.length() as u32,
            threshold: input.threshold(),
            pulses: self.pulses.ptr(),
        };
        // SAFETY: there are `count` waveforms of that length, and three words for each.
        unsafe { gpu.launch(&KERNEL, grid, arguments)? };
        gpu.download(&mut self.host, &self.pulses)
    }

    fn inspect(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), CheckError> {
        at.gpu.finish()?;
        self.output = bytemuck::cast_slice(&self.host[..]).to_vec();
        Ok(())
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Vec<Pulse>> {
        Cow::Borrowed(&self.output)
    }
}
