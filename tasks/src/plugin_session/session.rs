//! A variant of a plugin that is prepared for an input of any task.

use std::borrow::Cow;
use std::sync::Arc;

use portable_gpu::timing::Stages;
use portable_gpu::{DeviceError, Gpu};

use super::account::Account;
use super::host::PluginGpu;
use super::instance::{Instance, NotReady};
use super::plugin_buffers::PluginBuffers;
use super::task::{Description, PluginRequest, PluginTask};
use crate::algorithm::{CheckError, InputState, Metric, Output, Runner};
use crate::device::{Arena, Buffers};
use crate::plugin::hooks::check_scratch;
use crate::plugin::loaded_variant::LoadedVariant;

pub(super) struct PluginRunner<'a, A: PluginTask> {
    instance: Instance,
    input: Description<'a, A::Output>,
    given: &'static str,
    arena: &'a Arena,
    gpu: Option<Arc<Gpu>>,
    /// Output of the last run, once it was inspected.
    output: Option<A::Output>,
    account: Account,
}

impl<'a, A: PluginTask> PluginRunner<'a, A> {
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
        Ok(PluginRunner {
            instance,
            input,
            given,
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

impl<'a, A: PluginTask> Runner<A> for PluginRunner<'a, A> {
    type Buffers = PluginBuffers<'a>;

    fn allocate(&self) -> Result<PluginBuffers<'a>, DeviceError> {
        PluginBuffers::new(
            self.instance.variant(),
            &self.input,
            self.instance.needs().scratch_bytes,
            self.arena,
            self.gpu.as_ref(),
        )
    }

    fn load(&mut self, buffers: &mut PluginBuffers<'a>) -> Result<(), DeviceError> {
        self.output = None;
        buffers.load(&self.input.arrays)?;
        self.input.shown.set(&buffers.addresses());
        let input = self.input.shown.as_ptr();
        // SAFETY: the buffers are as the header specifies, and stay allocated.
        unsafe { self.instance.reset(input, buffers.scratch()) }
    }

    /// Does not load again, because the header promises that `reset` is called once before each
    /// run, whether or not buffers are poisoned in between.
    fn poison(&mut self, buffers: &mut PluginBuffers<'a>) -> Result<(), DeviceError> {
        buffers.poison()?;
        self.account.watch();
        Ok(())
    }

    fn run(&mut self, buffers: &mut PluginBuffers<'a>) -> Result<(), DeviceError> {
        let ran = buffers.run(&mut self.instance);
        ran.map_err(|error| self.named(error))
    }

    fn stages(&self, _: &PluginBuffers<'a>) -> Stages {
        self.gpu.as_ref().map_or_else(|| self.instance.stages(), |_| Stages::new())
    }

    fn inspect(&mut self, buffers: &mut PluginBuffers<'a>) -> Result<(), CheckError> {
        self.account.count();
        let lies = self.instance.result()?;
        if let Some(damage) = self.damage(buffers)? {
            return Err(damage.into());
        }
        self.output = Some((self.input.read)(&buffers.results(lies))?);
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        let declared = self.instance.variant().remark.map(str::to_owned);
        declared.into_iter().chain(self.account.remark()).collect()
    }

    fn given(&self) -> InputState {
        InputState::whole(self.given)
    }

    fn has_figures(&self) -> bool {
        A::FIGURES.is_some() && self.gpu.is_some()
    }

    fn figures(&mut self, buffers: &mut PluginBuffers<'a>) -> Result<Vec<Metric>, DeviceError> {
        let Some(figures) = A::FIGURES else { return Ok(Vec::new()) };
        let Some(gpu) = self.gpu.clone() else { return Ok(Vec::new()) };
        self.load(buffers)?;
        figures(&gpu, &mut || self.run(buffers).and_then(|()| gpu.finish()))
    }

    fn output<'b>(&'b self, _: &'b PluginBuffers<'a>) -> Cow<'b, A::Output> {
        match &self.output {
            Some(output) => Cow::Borrowed(output),
            None => Cow::Owned(<A::Output as Output<A>>::nothing()),
        }
    }

    fn release(&mut self, _: PluginBuffers<'a>) {
        self.output = None;
    }

    /// All bytes, because guards around the buffers are not the variant's.
    fn input_bytes(&self) -> u64 {
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
