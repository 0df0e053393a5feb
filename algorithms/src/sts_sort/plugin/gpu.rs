//! A plugin's sort on a GPU.

use std::borrow::Cow;
use std::sync::Arc;

use generators::sts::{Digi, SegmentedDigis};

use super::host::{changed, copy};
use super::shape::Shape;
use crate::algorithm::{Damage, Session};
use crate::all_cores::mapped;
use crate::device::gpu::{DeviceError, FromHost, Gpu, PinnedBuffer, ToHost};
use crate::plugin::instance::{NotReady, ResultIn};
use crate::plugin::on_gpu::{GuardedOnGpu, OnGpu, overrun};
use crate::plugin::{Buffers, Functions};
use crate::sts_sort::StsSort;
use crate::timing::Stages;

pub(super) struct SortOnGpu<'a> {
    // Before the buffers: `release` may use them.
    plugin: OnGpu,
    shape: Shape,
    buffers: Buffers,
    input: &'a SegmentedDigis,
    held: Option<Held>,
    device_bytes: u64,
}

/// What is held during a run.
struct Held {
    /// The digis before and after.
    host: PinnedBuffer<u64>,
    host_offsets: PinnedBuffer<u64>,
    offsets: GuardedOnGpu,
    input: GuardedOnGpu,
    output: Option<GuardedOnGpu>,
    scratch: GuardedOnGpu,
}

impl<'a> SortOnGpu<'a> {
    pub(super) fn prepare(
        functions: Functions,
        input: &'a SegmentedDigis,
        workers: usize,
        gpu: &Arc<Gpu>,
        number: i32,
    ) -> Result<Self, NotReady> {
        let shape = Shape::of(input);
        // SAFETY: the table is one of the task `sort`, and this is its input.
        let plugin = unsafe { OnGpu::prepare(functions, shape.as_ptr(), workers, gpu, number) }?;
        Ok(SortOnGpu {
            plugin,
            shape,
            buffers: functions.buffers,
            input,
            held: None,
            device_bytes: 0,
        })
    }

    /// The buffers of a run, taken unless they are there.
    fn take(&mut self) -> Result<Held, DeviceError> {
        if let Some(held) = self.held.take() {
            return Ok(held);
        }
        let gpu = self.plugin.gpu();
        let digis = self.input.digis().len();
        let offsets = self.shape.offsets();
        let mut host_offsets = gpu.pinned(offsets.len())?;
        host_offsets.copy_from_slice(offsets);
        let buffer = |words: usize| GuardedOnGpu::new(gpu, words * size_of::<u64>());
        let output = self.buffers.has_output().then(|| buffer(digis));
        Ok(Held {
            host: gpu.pinned(digis)?,
            host_offsets,
            offsets: buffer(offsets.len())?,
            input: buffer(digis)?,
            output: output.transpose()?,
            scratch: self.plugin.scratch()?,
        })
    }

    fn run_on(&mut self, held: &mut Held) -> Result<(), DeviceError> {
        let gpu = Arc::clone(self.plugin.gpu());
        let (host, offsets) = (
            FromHost::from(&held.host),
            FromHost::from(&held.host_offsets),
        );
        gpu.upload(held.input.buffer(), host.bytes())?;
        gpu.upload(held.offsets.buffer(), offsets.bytes())?;
        // SAFETY: the buffers are as the header has them, and are held.
        let result = unsafe { self.plugin.run(self.shape.as_ptr()) }?;
        let sorted = match result {
            ResultIn::Output => held.output.as_ref().unwrap_or(&held.input),
            ResultIn::Input => &held.input,
        };
        gpu.download(ToHost::from(&mut held.host).bytes(), sorted.buffer())?;
        gpu.finish()
    }

    /// What the plugin did that its output does not show.
    fn damage(&self, held: &Held) -> Result<Option<String>, DeviceError> {
        let gpu = self.plugin.gpu();
        let overrun = overrun(gpu, held.arrays())?;
        if overrun.is_some() || !matches!(self.buffers, Buffers::Separate) {
            return Ok(overrun);
        }
        let mut after = vec![0_u64; self.input.digis().len()];
        gpu.download(ToHost::from(&mut after).bytes(), held.input.buffer())?;
        gpu.finish()?;
        Ok(changed(self.input.digis(), &after))
    }
}

impl Held {
    fn arrays(&self) -> impl Iterator<Item = (&'static str, &GuardedOnGpu)> {
        let output = self.output.iter().map(|output| ("its output", output));
        let others = [
            ("its input", &self.input),
            ("its scratch memory", &self.scratch),
            ("its offsets", &self.offsets),
        ];
        output.chain(others)
    }

    /// Without the guards.
    fn bytes(&self) -> u64 {
        self.arrays().map(|(_, buffer)| buffer.len() as u64).sum()
    }
}

impl Session<StsSort> for SortOnGpu<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        let mut held = self.take()?;
        copy(&mut held.host, self.input.digis());
        let output = held.output.as_ref().map(GuardedOnGpu::as_ptr);
        self.shape
            .set(held.offsets.as_ptr(), held.input.as_ptr(), output);
        self.device_bytes = held.bytes();
        let held = self.held.insert(held);
        // SAFETY: the buffers are as the header has them, and are held.
        unsafe { self.plugin.reset(&held.scratch, self.shape.as_ptr()) }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        let gpu = self.plugin.gpu();
        for (_, array) in self.held.iter().flat_map(Held::arrays) {
            array.poison(gpu)?;
        }
        gpu.finish()?;
        self.plugin.watch_memory();
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let Some(mut held) = self.held.take() else {
            return Err(self.plugin.not_reset());
        };
        let ran = self.run_on(&mut held);
        self.held = Some(held);
        ran.map_err(|error| self.plugin.named(error))
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

    fn output(&self) -> Option<Cow<'_, Vec<Digi>>> {
        let held = self.held.as_ref()?;
        Some(Cow::Owned(mapped(&held.host, |&bits| {
            Digi::from_bits(bits)
        })))
    }

    fn release(&mut self) {
        self.held = None;
    }

    fn buffer_bytes(&self) -> u64 {
        self.device_bytes + self.plugin.bytes()
    }
}
