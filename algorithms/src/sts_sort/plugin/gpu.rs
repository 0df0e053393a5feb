//! A plugin's sort on a GPU.

use std::borrow::Cow;
use std::error::Error;
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;

use generators::sts::{Digi, SegmentedDigis};

use super::POISON;
use super::account::Account;
use super::host::{changed, copy};
use super::shape::Shape;
use crate::algorithm::{Prepared, Stages};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};
use crate::plugin::instance::{Instance, NotReady, ResultIn};
use crate::plugin::{Buffers, Functions, Waiting};
use crate::sts_sort::StsSort;

/// Words behind each buffer that nobody has any business in.
const GUARD: usize = 32;

pub(super) struct SortOnGpu<'a> {
    // Before the buffers and the GPU: `release` may use them.
    instance: Instance,
    shape: Shape,
    functions: Functions,
    input: &'a SegmentedDigis,
    held: Option<Held>,
    result: ResultIn,
    device_bytes: u64,
    free_before_run: Option<u64>,
    account: Account,
    gpu: Arc<Gpu>,
}

/// What is held during a run.
struct Held {
    /// The digis before and after.
    host: PinnedBuffer<u64>,
    host_offsets: PinnedBuffer<u64>,
    offsets: DeviceBuffer<u64>,
    input: DeviceBuffer<u64>,
    output: Option<DeviceBuffer<u64>>,
    scratch: DeviceBuffer<u64>,
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
        let before = free_bytes(gpu);
        let place = Some((gpu, number));
        // SAFETY: the table is one of the task `sort`, and this is its input.
        let instance = unsafe { Instance::prepare(functions, workers, place, shape.as_ptr()) }?;
        let mut account = Account::on_gpu(instance.needs().own);
        account.see(taken_since(before, gpu));
        Ok(SortOnGpu {
            instance,
            shape,
            functions,
            input,
            held: None,
            result: ResultIn::Output,
            device_bytes: 0,
            free_before_run: None,
            account,
            gpu: Arc::clone(gpu),
        })
    }

    /// The buffers of a run, taken unless they are there.
    fn take(&mut self) -> Result<Held, DeviceError> {
        if let Some(held) = self.held.take() {
            return Ok(held);
        }
        let digis = self.input.digis().len();
        let offsets = self.shape.offsets();
        let mut host_offsets = self.gpu.pinned(offsets.len())?;
        host_offsets.copy_from_slice(offsets);
        let buffer = |words: usize| self.gpu.buffer(words + GUARD);
        let output = match self.functions.buffers {
            Buffers::InPlace => None,
            Buffers::Separate | Buffers::Either(_) => Some(buffer(digis)?),
        };
        Ok(Held {
            host: self.gpu.pinned(digis)?,
            host_offsets,
            offsets: buffer(offsets.len())?,
            input: buffer(digis)?,
            output,
            scratch: buffer(words(self.instance.needs().scratch))?,
        })
    }

    /// What went wrong in a plugin's kernels is told with its name.
    fn named(&self, error: DeviceError) -> DeviceError {
        match error {
            DeviceError::Kernel {
                device, problem, ..
            } => DeviceError::Kernel {
                kernels: format!("of {}", self.functions.plugin.file),
                device,
                problem,
            },
            other => other,
        }
    }

    fn run_on(&mut self, held: &mut Held) -> Result<(), DeviceError> {
        self.gpu.upload(&held.input, &held.host)?;
        self.gpu.upload(&held.offsets, &held.host_offsets)?;
        if self.functions.waiting == Waiting::ForTheStream {
            self.gpu.let_go();
        }
        // SAFETY: the buffers are as the header has them, and are held.
        let ran = unsafe { self.instance.run(self.shape.as_ptr()) };
        if let Err(error) = ran {
            // What it started has to end before the buffers go. The first error tells.
            let _ = self.gpu.finish();
            return Err(error);
        }
        self.result = self.instance.result()?;
        let Held {
            host,
            input,
            output,
            ..
        } = held;
        self.gpu
            .download(host, result(self.result, input, output.as_ref()))?;
        self.gpu.finish()
    }

    /// What the plugin did that its output does not show.
    fn damage(&self, held: &Held) -> Result<Option<String>, DeviceError> {
        for (name, buffer) in held.arrays() {
            let mut guard = [0; GUARD];
            let first = buffer.len() - GUARD;
            self.gpu.download_part(&mut guard, buffer, first)?;
            self.gpu.finish()?;
            if guard != [u64::from_ne_bytes([POISON; 8]); GUARD] {
                return Ok(Some(format!("it wrote beyond the end of {name}")));
            }
        }
        let mut after = vec![0; self.input.digis().len()];
        if matches!(self.functions.buffers, Buffers::Separate) {
            self.gpu.download(&mut after, &held.input)?;
            self.gpu.finish()?;
            return Ok(changed(self.input.digis(), &after));
        }
        Ok(None)
    }
}

impl Held {
    fn arrays(&self) -> impl Iterator<Item = (&'static str, &DeviceBuffer<u64>)> {
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
        let words = self.arrays().map(|(_, buffer)| buffer.len() - GUARD);
        (words.sum::<usize>() * size_of::<u64>()) as u64
    }
}

fn result<'b>(
    result: ResultIn,
    input: &'b DeviceBuffer<u64>,
    output: Option<&'b DeviceBuffer<u64>>,
) -> &'b DeviceBuffer<u64> {
    match result {
        ResultIn::Output => output.unwrap_or(input),
        ResultIn::Input => input,
    }
}

fn words(bytes: u64) -> usize {
    bytes.div_ceil(size_of::<u64>() as u64) as usize
}

fn taken_since(before: Option<u64>, gpu: &Gpu) -> u64 {
    let taken = |before: u64| Some(before.saturating_sub(free_bytes(gpu)?));
    before.and_then(taken).unwrap_or(0)
}

fn free_bytes(gpu: &Gpu) -> Option<u64> {
    gpu.free_bytes().ok().flatten()
}

fn pointer<T>(buffer: &DeviceBuffer<u64>) -> *mut T {
    with_exposed_provenance_mut(buffer.address() as usize)
}

impl Prepared<StsSort> for SortOnGpu<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        let mut held = self.take()?;
        copy(&mut held.host, self.input.digis());
        let output = held.output.as_ref().map(pointer);
        self.shape
            .set(pointer(&held.offsets), pointer(&held.input), output);
        self.instance
            .lend(pointer(&held.scratch), self.instance.needs().scratch);
        self.device_bytes = held.bytes();
        self.held = Some(held);
        // Binds the context to this thread.
        self.gpu.native_stream()?;
        // SAFETY: the buffers are as the header has them, and are held.
        unsafe { self.instance.reset(self.shape.as_ptr()) }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        for (_, array) in self.held.iter().flat_map(Held::arrays) {
            self.gpu.fill(array, POISON)?;
        }
        self.gpu.finish()?;
        self.free_before_run = free_bytes(&self.gpu);
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let Some(mut held) = self.held.take() else {
            return Err(self.instance.failed("was run without buffers".to_owned()));
        };
        let ran = self.run_on(&mut held);
        self.held = Some(held);
        ran.map_err(|error| self.named(error))
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        let taken = taken_since(self.free_before_run.take(), &self.gpu);
        self.account.see(taken);
        let damage = self
            .held
            .as_ref()
            .map(|held| self.damage(held))
            .transpose()?;
        damage.flatten().map_or(Ok(()), |damage| Err(damage.into()))
    }

    fn remarks(&self) -> Vec<String> {
        self.account.remark().into_iter().collect()
    }

    fn output(&self) -> Cow<'_, Vec<Digi>> {
        let bits = self.held.iter().flat_map(|held| held.host.iter());
        Cow::Owned(bits.map(|&bits| Digi::from_bits(bits)).collect())
    }

    fn release(&mut self) {
        self.held = None;
    }

    fn buffer_bytes(&self) -> u64 {
        self.device_bytes + self.account.bytes()
    }
}
