//! A variant of a plugin that is ready for an input, of whatever task.

use std::borrow::Cow;
use std::sync::Arc;

use super::account::Account;
use super::held::Held;
use super::instance::{Instance, NotReady};
use super::task::{Asked, Description, PluginTask};
use crate::algorithm::{Damage, Given, Metric, Session};
use crate::device::Arena;
use crate::device::gpu::{DeviceError, Gpu};
use crate::plugin::loaded_variant::LoadedVariant;
use crate::plugin::room::check_scratch;
use crate::timing::Stages;

/// It is no [`Runner`](crate::algorithm::Runner), since the header promises that `reset` is
/// called once before each run, whether buffers are poisoned in between or not.
pub(super) struct PluginSession<'a, A: PluginTask> {
    // Before the buffers: `release` may use them.
    instance: Instance,
    input: Description<'a, A::Output>,
    given: &'static str,
    held: Option<Held<'a>>,
    arena: &'a Arena,
    gpu: Option<Arc<Gpu>>,
    /// The output of the last run, once it was inspected.
    found: Option<A::Output>,
    account: Account,
}

impl<'a, A: PluginTask> PluginSession<'a, A> {
    /// Gets a variant ready for a team of so many threads, or for a GPU by its number.
    ///
    /// # Errors
    /// As [`NotReady`] says.
    pub(super) fn new(
        variant: &'static LoadedVariant,
        asked: Asked,
        (task, input, arena): (&A, &'a A::Input, &'a Arena),
        workers: usize,
        gpu: Option<(&Arc<Gpu>, i32)>,
    ) -> Result<Self, NotReady> {
        let given = task.given(asked);
        let input = task.describe(input, asked);
        let mut account = Account::open(gpu.map(|(gpu, _)| gpu), workers);
        // SAFETY: the variant is one of this task, whose struct this is.
        let instance = unsafe { Instance::prepare(variant, workers, gpu, input.shown.as_ptr()) }?;
        let fits = check_scratch(instance.needs().scratch_bytes, gpu.is_none());
        fits.map_err(|problem| variant.plugin.failed(problem))?;
        account.declare(instance.needs().own_bytes);
        account.count();
        Ok(PluginSession {
            instance,
            input,
            given,
            held: None,
            arena,
            gpu: gpu.map(|(gpu, _)| Arc::clone(gpu)),
            found: None,
            account,
        })
    }

    /// What the last run did that its output does not show.
    fn damage(&self, held: &Held<'_>) -> Result<Option<String>, DeviceError> {
        let overrun = held.overrun()?;
        if overrun.is_some() {
            return Ok(overrun);
        }
        let keep_input = self.instance.variant().buffers.keep_input();
        let changed = held.changed(&self.input.arrays, keep_input)?;
        Ok(changed.or_else(|| self.input.shown.damage()))
    }

    /// What went wrong in a plugin's kernels is told with its name.
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
        self.found = None;
        let mut held = match self.held.take() {
            Some(held) => held,
            None => Held::new(
                self.instance.variant(),
                &self.input,
                self.instance.needs().scratch_bytes,
                (self.arena, self.gpu.as_ref()),
            )?,
        };
        held.load(&self.input.arrays)?;
        let (buffers, scratch) = (held.addresses(), held.scratch());
        self.held = Some(held);
        self.input.shown.set(&buffers);
        let input = self.input.shown.as_ptr();
        // SAFETY: the buffers are as the header has them, and are held.
        unsafe { self.instance.reset(input, scratch) }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        if let Some(held) = &mut self.held {
            held.poison()?;
        }
        self.account.watch();
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let Some(held) = &mut self.held else {
            let plugin = self.instance.variant().plugin;
            return Err(plugin.failed("was run without buffers"));
        };
        let ran = held.run(&mut self.instance);
        ran.map_err(|error| self.named(error))
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        match &self.gpu {
            Some(gpu) => gpu.stages(),
            None => Ok(self.instance.stages()),
        }
    }

    fn inspect(&mut self) -> Result<(), Damage> {
        self.account.count();
        let Some(held) = &self.held else {
            return Ok(());
        };
        let lies = self.instance.result()?;
        if let Some(damage) = self.damage(held)? {
            return Err(damage.into());
        }
        self.found = Some((self.input.read)(&held.results(lies))?);
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        self.account.remark().into_iter().collect()
    }

    fn given(&self) -> Given {
        Given::whole(self.given)
    }

    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        let (Some(figures), Some(gpu)) = (A::FIGURES, self.gpu.clone()) else {
            return Ok(Vec::new());
        };
        self.reset()?;
        let figures = figures(&gpu, &mut || self.run());
        self.release();
        figures
    }

    fn output(&self) -> Option<Cow<'_, A::Output>> {
        self.found.as_ref().map(Cow::Borrowed)
    }

    fn release(&mut self) {
        self.found = None;
        if let Some(held) = self.held.take() {
            held.release();
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
        let outputs: usize = self.input.outputs.iter().map(|room| room.bytes).sum();
        let output = usize::from(has_output) * outputs;
        let scratch = self.instance.needs().scratch_bytes;
        (arrays + output) as u64 + shown + scratch + self.account.bytes()
    }
}
