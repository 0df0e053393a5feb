//! Variants of plugins in the list of a task.

use std::borrow::Cow;

use portable_gpu::DeviceError;

use super::host::PluginGpu;
use super::instance::NotReady;
use super::session::PluginRunner;
use super::task::{PluginRequest, PluginTask};
use crate::algorithm::{
    Algorithm, CheckError, Content, PrepareResult, Runner, Semantics, Variant, VariantContext,
};
use crate::device::{Device, Unavailable};
use crate::plugin::abi;
use crate::plugin::baseline::why_absent;
use crate::plugin::loaded::variants_of;
use crate::plugin::loaded_variant::{LoadedVariant, PluginVariant, Quarantine};

/// The variants of all plugins for a task, after those of the baseline that are not loaded.
pub fn variants<A: PluginTask>(task: &A, baseline: &[Variant<A>]) -> Vec<Variant<A>> {
    let loaded = variants_of(task.info().name);
    let is_there = |listed: &&Variant<A>| loaded.iter().any(|variant| variant.name == listed.name);
    let absent = baseline.iter().filter(|listed| !is_there(listed)).copied();
    let loaded = loaded.iter().map(|&variant| of_plugin(variant));
    absent.chain(loaded).collect()
}

/// Entry of a variant of the baseline, which is listed even if the plugin is not loaded.
pub const fn of_baseline<A: PluginTask>(name: &'static str, summary: &'static str) -> Variant<A> {
    Variant { plugin: Some(PluginVariant::Absent), ..Variant::cuda(name, summary, prepare) }
}

/// Converts the variant of a plugin to one of a task.
pub(super) fn of_plugin<A: PluginTask>(loaded: &'static LoadedVariant) -> Variant<A> {
    const BOTH: u32 = abi::EXACT | abi::PUBLISHED;
    let variant = Variant::on(loaded.backend, loaded.name, loaded.summary, prepare);
    let variant = match loaded.semantics {
        BOTH => variant.with_semantics(&[Semantics::Exact, Semantics::Published], A::semantics),
        abi::PUBLISHED => variant.with_semantics(&[Semantics::Published], |_| Semantics::Published),
        abi::OFFLINE => variant.with_semantics(&[Semantics::Offline], |_| Semantics::Offline),
        _ => variant,
    };
    Variant {
        stable: loaded.stable,
        content: if loaded.keeps_address { Content::Whole } else { Content::WithoutAddress },
        native: loaded.native,
        plugin: Some(PluginVariant::Loaded(loaded)),
        ..variant
    }
}

/// Prepares the variant of a plugin.
fn prepare<'a, A: PluginTask>(at: &VariantContext<'a, '_, A>) -> PrepareResult<'a, A> {
    let Some(PluginVariant::Loaded(loaded)) = at.variant.plugin else {
        return Err(Unavailable(why_absent().to_owned()));
    };
    let ending = match loaded.quarantine_on(at.target.device) {
        Some(Quarantine::Wrong(problem)) => Ok(problem),
        Some(Quarantine::Failed(problem)) => Err(loaded.plugin.failed(problem)),
        None => match ready(loaded, at) {
            Ok(runner) => return at.session(runner),
            Err(NotReady::Unavailable(reason)) => return Err(Unavailable(reason)),
            Err(NotReady::Failed(error)) => Err(error),
        },
    };
    at.session(Refused { task: at.task, input: at.input, ending })
}

/// Prepares a variant on the team, on which all of its functions are called.
fn ready<'a, A: PluginTask>(
    loaded: &'static LoadedVariant,
    at: &VariantContext<'a, '_, A>,
) -> Result<PluginRunner<'a, A>, NotReady> {
    let workers = at.threads();
    let semantics = (at.variant.semantics)(at.input);
    let request = PluginRequest { semantics, by_time: loaded.by_time };
    let device = at.target.device;
    let gpu = match at.target.gpu.as_ref().zip(device.cuda_number()) {
        Some((gpu, index)) => Some(PluginGpu { gpu, index: index as i32 }),
        None if device == Device::Cpu => None,
        None => {
            let reason = format!("plugins can't run on {device}");
            return Err(NotReady::Unavailable(reason));
        }
    };
    let team = at.target.team;
    team.run(|| PluginRunner::new(loaded, request, at.task, at.input, at.arena, workers, gpu))
}

/// A variant that must not be called: it ends as in the trial, but without the crash.
struct Refused<'a, A: Algorithm> {
    task: &'a A,
    input: &'a A::Input,
    /// Problem of its output, or the error of its run.
    ending: Result<String, DeviceError>,
}

impl<A: Algorithm> Runner<A> for Refused<'_, A> {
    type Buffers = ();

    fn allocate(&self) -> Result<(), DeviceError> {
        self.ending.clone().map(|_| ())
    }

    fn run(&mut self, (): &mut ()) -> Result<(), DeviceError> {
        Ok(())
    }

    fn inspect(&mut self, (): &mut ()) -> Result<(), CheckError> {
        Err(self.ending.clone()?.into())
    }

    fn output<'b>(&'b self, (): &'b ()) -> Cow<'b, A::Output> {
        Cow::Owned(self.task.no_op_output(self.input))
    }
}
