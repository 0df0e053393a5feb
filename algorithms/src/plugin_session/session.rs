//! A variant of a plugin that is prepared for an input of any task.

use std::borrow::Cow;
use std::sync::Arc;

use super::account::Account;
use super::host::PluginGpu;
use super::instance::{Instance, NotReady};
use super::plugin_buffers::PluginBuffers;
use super::task::{Description, PluginRequest, PluginTask};
use crate::algorithm::{CheckError, InputState, Metric, Session};
use crate::device::Arena;
use crate::device::gpu::{DeviceError, Gpu};
use crate::plugin::hooks::check_scratch;
use crate::plugin::loaded_variant::LoadedVariant;
use crate::timing::Stages;

/// Not a [`Runner`](crate::algorithm::Runner), because the header promises that `reset` is called
/// once before each run, whether or not buffers are poisoned in between.
pub(super) struct PluginSession<'a, A: PluginTask> {
    // Declared before the buffers, because `release` may use them.
    instance: Instance,
    input: Description<'a, A::Output>,
    given: &'static str,
    buffers: Option<PluginBuffers<'a>>,
    arena: &'a Arena,
    gpu: Option<Arc<Gpu>>,
    /// Output of the last run, once it was inspected.
    output: Option<A::Output>,
    account: Account,
}

impl<'a, A: PluginTask> PluginSession<'a, A> {
    /// Prepares a variant for a team of `workers` threads, or for a GPU by its index.
    ///
    /// # Errors
    /// See [`NotReady`].
    pub(super) fn new(
        variant: &'static LoadedVariant,
        request: PluginRequest,
        task: &A,
        input: &'a A::Input,
        arena: &'a Arena,
        workers: usize,
        gpu: Option<PluginGpu<'_>>,
    ) -> Result<Self, NotReady> {
        let given = task.given(request);
        let input = task.describe(input, request);
        let mut account = Account::open(gpu.map(|it| it.gpu), workers);
        // SAFETY: the variant is one of this task, and the struct is the task's.
        let instance = unsafe { Instance::prepare(variant, workers, gpu, input.shown.as_ptr()) }?;
        let fits = check_scratch(instance.needs().scratch_bytes, gpu.is_none());
        fits.map_err(|problem| variant.plugin.failed(problem))?;
        account.declare(instance.needs().own_bytes);
        account.count();
        Ok(PluginSession {
            instance,
            input,
            given,
            buffers: None,
            arena,
            gpu: gpu.map(|it| Arc::clone(it.gpu)),
            output: None,
            account,
        })
    }

    /// Errors of the last run that its output does not show.
    fn damage(&self, buffers: &PluginBuffers<'_>) -> Result<Option<String>, DeviceError> {
        let overrun = buffers.overrun()?;
        if overrun.is_some() {
            return Ok(overrun);
        }
        let keep_input = self.instance.variant().buffers.keep_input();
        let changed = buffers.changed(&self.input.arrays, keep_input)?;
        Ok(changed.or_else(|| self.input.shown.damage()))
    }

    /// Adds the plugin's name to an error of its kernels.
    fn named(&self, error: DeviceError) -> DeviceError {
        match error {
            DeviceError::Kernel { device, problem, .. } => DeviceError::Kernel {
                kernels: format!("of {}", self.instance.variant().plugin.file),
                device,
                problem,
            },
            other => other,
        }
    }
}

impl<A: PluginTask> Session<A> for PluginSession<'_, A> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.output = None;
        let mut buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => PluginBuffers::new(
                self.instance.variant(),
                &self.input,
                self.instance.needs().scratch_bytes,
                self.arena,
                self.gpu.as_ref(),
            )?,
        };
        buffers.load(&self.input.arrays)?;
        let addresses = buffers.addresses();
        let scratch = buffers.scratch();
        self.buffers = Some(buffers);
        self.input.shown.set(&addresses);
        let input = self.input.shown.as_ptr();
        // SAFETY: the buffers are as the header specifies, and stay allocated.
        unsafe { self.instance.reset(input, scratch) }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        if let Some(buffers) = &mut self.buffers {
            buffers.poison()?;
        }
        self.account.watch();
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let Some(buffers) = &mut self.buffers else {
            let plugin = self.instance.variant().plugin;
            return Err(plugin.failed("was run without buffers"));
        };
        let ran = buffers.run(&mut self.instance);
        ran.map_err(|error| self.named(error))
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        match &self.gpu {
            Some(gpu) => gpu.stages(),
            None => Ok(self.instance.stages()),
        }
    }

    fn inspect(&mut self) -> Result<(), CheckError> {
        self.account.count();
        let Some(buffers) = &self.buffers else {
            return Ok(());
        };
        let lies = self.instance.result()?;
        if let Some(damage) = self.damage(buffers)? {
            return Err(damage.into());
        }
        self.output = Some((self.input.read)(&buffers.results(lies))?);
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        self.account.remark().into_iter().collect()
    }

    fn given(&self) -> InputState {
        InputState::whole(self.given)
    }

    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        let Some(figures) = A::FIGURES else { return Ok(Vec::new()) };
        let Some(gpu) = self.gpu.clone() else { return Ok(Vec::new()) };
        self.reset()?;
        let figures = figures(&gpu, &mut || self.run());
        self.release();
        figures
    }

    fn output(&self) -> Option<Cow<'_, A::Output>> {
        self.output.as_ref().map(Cow::Borrowed)
    }

    fn release(&mut self) {
        self.output = None;
        if let Some(buffers) = self.buffers.take() {
            buffers.release();
        }
    }

    fn buffer_bytes(&self) -> u64 {
        let arrays = self.input.buffered(self.gpu.is_some()).iter();
        let arrays: usize = arrays.map(|array| array.content.len()).sum();
        let shown = match self.gpu {
            Some(_) => 0,
            None => self.input.shown.bytes(),
        };
        let has_output = self.instance.variant().buffers.have_output();
        let outputs: usize = self.input.outputs.iter().map(|output| output.bytes).sum();
        let output = usize::from(has_output) * outputs;
        let scratch = self.instance.needs().scratch_bytes;
        (arrays + output) as u64 + shown + scratch + self.account.bytes()
    }
}
