//! Variants of plugins among those of a task.

use std::sync::Arc;

use super::baseline::{BaselineVariant, why_absent};
use super::instance::NotReady;
use super::refused::Refused;
use super::{Functions, LoadedVariant, PluginInfo, variants_of};
use crate::algorithm::{Algorithm, Opened, Opening, Session, Variant};
use crate::device::gpu::Gpu;
use crate::device::{Arena, Device, Unavailable};

/// What a variant is in a plugin.
#[derive(Clone, Copy)]
pub(crate) enum PluginVariant {
    /// One of a plugin that is loaded.
    Loaded(&'static LoadedVariant),
    /// One of the baseline, which is listed though it is not there.
    Absent,
}

impl PluginVariant {
    /// The plugin that it comes from.
    pub(crate) fn info(self) -> Option<&'static PluginInfo> {
        match self {
            PluginVariant::Loaded(variant) => Some(variant.functions.plugin),
            PluginVariant::Absent => None,
        }
    }

    /// Why it is nowhere to be had, and how to get it.
    pub(crate) fn why_absent(self) -> Option<&'static str> {
        match self {
            PluginVariant::Loaded(_) => None,
            PluginVariant::Absent => Some(why_absent()),
        }
    }
}

/// A variant that is ready, for a task.
pub(crate) type Ready<'a, A> = Result<Box<dyn Session<A> + 'a>, NotReady>;

/// A task that takes plugins: its input has a struct in `recobench.h`.
pub(crate) trait PluginTask: Algorithm {
    /// Gets a variant ready on the host, for a team of so many threads.
    ///
    /// # Errors
    /// As [`NotReady`] says.
    fn on_host<'a>(
        functions: Functions,
        input: &'a Self::Input,
        arena: &'a Arena,
        workers: usize,
    ) -> Ready<'a, Self>;

    /// Gets a variant ready on a GPU, by its number.
    ///
    /// # Errors
    /// As [`NotReady`] says.
    fn on_gpu<'a>(
        functions: Functions,
        input: &'a Self::Input,
        workers: usize,
        gpu: &Arc<Gpu>,
        number: i32,
    ) -> Ready<'a, Self>;
}

/// The variants of all plugins for a task, and in front of them those of the baseline that
/// are not there.
pub(crate) fn variants<A: PluginTask>(
    task: &A,
    baseline: &'static [BaselineVariant],
) -> Vec<Variant<A>> {
    let loaded = variants_of(task.info().name);
    let is_there =
        |listed: &&BaselineVariant| loaded.iter().any(|variant| variant.name == listed.name);
    let absent = baseline.iter().filter(|listed| !is_there(listed));
    let absent = absent.map(|listed| Variant {
        stable: listed.stable,
        plugin: Some(PluginVariant::Absent),
        ..Variant::cuda(listed.name, listed.summary, open)
    });
    let loaded = loaded.iter().map(|&variant| of_plugin(variant));
    absent.chain(loaded).collect()
}

/// The variant of a plugin, for a task.
pub(super) fn of_plugin<A: PluginTask>(loaded: &'static LoadedVariant) -> Variant<A> {
    Variant {
        stable: loaded.stable,
        content: loaded.content,
        plugin: Some(PluginVariant::Loaded(loaded)),
        ..Variant::on(loaded.backend, loaded.name, loaded.summary, open)
    }
}

/// A variant of a plugin, ready to run.
fn open<'a, A: PluginTask>(at: &Opening<'a, '_, A>) -> Opened<'a, A> {
    let Some(PluginVariant::Loaded(loaded)) = at.variant.plugin else {
        return Err(Unavailable(why_absent().to_owned()));
    };
    let given = (at.task, at.input);
    if let Some(condemnation) = loaded.condemned_on(at.target.device) {
        return at.session(Refused::condemned(given, &loaded.functions, condemnation));
    }
    match ready(loaded.functions, at) {
        Ok(session) => Ok(session),
        Err(NotReady::Unavailable(reason)) => Err(Unavailable(reason)),
        Err(NotReady::Failed(error)) => at.session(Refused::failed(given, error)),
    }
}

/// On the team, as all that is called.
fn ready<'a, A: PluginTask>(functions: Functions, at: &Opening<'a, '_, A>) -> Ready<'a, A> {
    let (team, workers) = (at.target.team, at.threads());
    match (at.target.device, &at.target.gpu) {
        (Device::Cpu, _) => team.run(|| A::on_host(functions, at.input, at.arena, workers)),
        (Device::Cuda(number), Some(gpu)) => {
            team.run(|| A::on_gpu(functions, at.input, workers, gpu, number as i32))
        }
        (device, _) => Err(NotReady::Unavailable(format!(
            "plugins can't run on {device}"
        ))),
    }
}
