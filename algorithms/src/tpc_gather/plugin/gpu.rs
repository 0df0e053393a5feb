//! Gathering from a GPU's memory by a plugin.

use std::borrow::Cow;
use std::ptr::null_mut;
use std::sync::Arc;

use generators::tpc::clusters::{Clusters, Layout};

use super::changed;
use super::shape::{Buffers, Shape};
use crate::algorithm::{Damage, Metric, Session};
use crate::device::gpu::{DeviceError, Gpu, MappedBuffer, POISON};
use crate::plugin::instance::NotReady;
use crate::plugin::on_gpu::{GUARD, GuardedOnGpu, OnGpu, overrun};
use crate::plugin::{Buffers as Kind, Functions};
use crate::timing::Stages;
use crate::tpc_gather::TpcGather;
use crate::tpc_gather::cuda::slowdowns;
use crate::tpc_gather::packed::Packed;

pub(super) struct GatherOnGpu<'a> {
    // Before the buffers: `release` may use them.
    plugin: OnGpu,
    shape: Shape,
    kind: Kind,
    input: &'a Clusters,
    output_bytes: usize,
    held: Option<Held>,
    device_bytes: u64,
}

/// What is held during a run.
struct Held {
    /// Where the result arrives, and a guard.
    host: MappedBuffer<u8>,
    source: GuardedOnGpu,
    track_starts: GuardedOnGpu,
    row_starts: GuardedOnGpu,
    /// None if the plugin brings the result to the host itself.
    output: Option<GuardedOnGpu>,
    scratch: GuardedOnGpu,
}

impl<'a> GatherOnGpu<'a> {
    pub(super) fn prepare(
        functions: Functions,
        input: &'a Clusters,
        workers: usize,
        gpu: &Arc<Gpu>,
        number: i32,
    ) -> Result<Self, NotReady> {
        let shape = Shape::of(input);
        // SAFETY: the table is one of the task `gather`, and this is its input.
        let plugin = unsafe { OnGpu::prepare(functions, shape.as_ptr(), workers, gpu, number) }?;
        Ok(GatherOnGpu {
            plugin,
            shape,
            kind: functions.buffers,
            input,
            output_bytes: Layout::new(&input.packed()).bytes(),
            held: None,
            device_bytes: 0,
        })
    }

    /// The buffers of a run, taken unless they are there.
    fn take(&mut self) -> Result<Held, DeviceError> {
        if let Some(held) = self.held.take() {
            return Ok(held);
        }
        let (gpu, input) = (self.plugin.gpu(), self.input);
        let buffer = |bytes| GuardedOnGpu::new(gpu, bytes);
        let output = match self.kind {
            Kind::ToHost => None,
            _ => Some(buffer(self.output_bytes)?),
        };
        Ok(Held {
            host: gpu.mapped(self.output_bytes + GUARD)?,
            source: buffer(input.bytes().len())?,
            track_starts: buffer(size_of_val(&input.tracks().starts[..]))?,
            row_starts: buffer(size_of_val(&input.rows().starts[..]))?,
            output,
            scratch: self.plugin.scratch()?,
        })
    }

    /// Where the plugin finds them.
    fn buffers(held: &mut Held) -> Buffers {
        let device_output = held.output.as_ref().map(GuardedOnGpu::as_ptr);
        Buffers {
            device_starts: [held.track_starts.as_ptr(), held.row_starts.as_ptr()],
            source: held.source.as_ptr(),
            output: device_output.unwrap_or(null_mut()),
            host_output: match device_output {
                Some(_) => null_mut(),
                None => held.host.as_mut_ptr(),
            },
        }
    }

    fn run_on(&mut self, held: &mut Held) -> Result<(), DeviceError> {
        // SAFETY: the buffers are as the header has them, and are held.
        unsafe { self.plugin.run(self.shape.as_ptr()) }?;
        let gpu = self.plugin.gpu();
        if let Some(output) = &held.output {
            gpu.download(held.host.part_mut(0..self.output_bytes), output.buffer())?;
        }
        gpu.finish()
    }

    /// Runs with the buffers that are held.
    fn run_held(&mut self) -> Result<(), DeviceError> {
        let Some(mut held) = self.held.take() else {
            return Err(self.plugin.not_reset());
        };
        let ran = self.run_on(&mut held);
        self.held = Some(held);
        ran.map_err(|error| self.plugin.named(error))
    }

    /// What the plugin did that its output does not show.
    fn damage(&self, held: &Held) -> Result<Option<String>, DeviceError> {
        let gpu = self.plugin.gpu();
        if let Some(damage) = overrun(gpu, held.arrays())? {
            return Ok(Some(damage));
        }
        if held.host[self.output_bytes..] != [POISON; GUARD] {
            return Ok(Some("it wrote beyond the end of its output".to_owned()));
        }
        for (name, before, buffer) in held.to_be_left_alone(self.input) {
            let mut after = vec![0; before.len()];
            gpu.download(&mut after, buffer.buffer())?;
            gpu.finish()?;
            if let Some(damage) = changed(name, before, &after) {
                return Ok(Some(damage));
            }
        }
        Ok(self.shape.changed(self.input))
    }
}

impl Held {
    fn arrays(&self) -> impl Iterator<Item = (&'static str, &GuardedOnGpu)> {
        let output = self.output.iter().map(|output| ("its output", output));
        let others = [
            ("its source", &self.source),
            ("its scratch memory", &self.scratch),
            ("the starts of tracks", &self.track_starts),
            ("the starts of rows", &self.row_starts),
        ];
        output.chain(others)
    }

    /// What a run reads, with what has to be there before and after.
    fn to_be_left_alone<'b>(
        &'b self,
        input: &'b Clusters,
    ) -> [(&'static str, &'b [u8], &'b GuardedOnGpu); 3] {
        let starts = |starts| bytemuck::cast_slice::<u32, u8>(starts);
        [
            ("its source", input.bytes(), &self.source),
            (
                "the starts of tracks",
                starts(&input.tracks().starts),
                &self.track_starts,
            ),
            (
                "the starts of rows",
                starts(&input.rows().starts),
                &self.row_starts,
            ),
        ]
    }

    /// Provides what a compression leaves on the device.
    fn upload(&self, gpu: &Gpu, input: &Clusters) -> Result<(), DeviceError> {
        for (_, bytes, buffer) in self.to_be_left_alone(input) {
            // The guard behind it.
            buffer.poison(gpu)?;
            gpu.upload(buffer.buffer(), bytes)?;
        }
        gpu.finish()
    }

    /// Without the guards.
    fn device_bytes(&self) -> u64 {
        self.arrays().map(|(_, buffer)| buffer.len() as u64).sum()
    }
}

impl Session<TpcGather> for GatherOnGpu<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        let mut held = self.take()?;
        held.upload(self.plugin.gpu(), self.input)?;
        self.device_bytes = held.device_bytes();
        self.shape.set(&Self::buffers(&mut held));
        let held = self.held.insert(held);
        // SAFETY: the buffers are as the header has them, and are held.
        unsafe { self.plugin.reset(&held.scratch, self.shape.as_ptr()) }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        let gpu = self.plugin.gpu();
        if let Some(held) = &mut self.held {
            for buffer in held.output.iter().chain([&held.scratch]) {
                buffer.poison(gpu)?;
            }
            gpu.finish()?;
            held.host.fill(POISON);
        }
        self.plugin.watch_memory();
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.run_held()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.plugin.gpu().stages()
    }

    fn inspect(&mut self) -> Result<(), Damage> {
        self.plugin.count_memory();
        let held = self.held.as_ref();
        let damage = held.map(|held| self.damage(held)).transpose()?;
        damage.flatten().map_or(Ok(()), |damage| Err(damage.into()))
    }

    fn remarks(&self) -> Vec<String> {
        self.plugin.remarks()
    }

    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        let gpu = Arc::clone(self.plugin.gpu());
        self.reset()?;
        let figures = slowdowns(&gpu, || self.run_held());
        self.release();
        figures
    }

    fn output(&self) -> Option<Cow<'_, Packed>> {
        let bytes = &self.held.as_ref()?.host[..self.output_bytes];
        Some(Cow::Owned(Packed::from_bytes(bytes)))
    }

    fn release(&mut self) {
        self.held = None;
    }

    fn buffer_bytes(&self) -> u64 {
        self.device_bytes + self.plugin.bytes()
    }
}
