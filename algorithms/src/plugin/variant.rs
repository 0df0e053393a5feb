//! Variants of plugins among those of a task.

use std::sync::Arc;

use super::baseline::BaselineVariant;
use super::instance::NotReady;
use super::refused::Refused;
use super::{Functions, LoadedVariant, PluginInfo, variants_of};
use crate::algorithm::{Algorithm, Content, Prepared, Unavailable, Variant};
use crate::device::gpu::Gpu;
use crate::device::{Arena, Backend, Device, Place};

/// A variant that is ready, for a task.
pub(crate) type Ready<'a, A> = Result<Box<dyn Prepared<A> + 'a>, NotReady>;

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
    baseline: &'static [BaselineVariant],
) -> Vec<&'static dyn Variant<A>> {
    let loaded = variants_of(A::NAME);
    let is_there =
        |listed: &&BaselineVariant| loaded.iter().any(|variant| variant.name == listed.name);
    let missing = baseline.iter().filter(|listed| !is_there(listed));
    let missing = missing.map(|listed| listed as &dyn Variant<A>);
    let loaded = loaded.iter().map(|&variant| variant as &dyn Variant<A>);
    missing.chain(loaded).collect()
}

impl<A: PluginTask> Variant<A> for LoadedVariant {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        self.backend
    }

    fn stable(&self) -> bool {
        self.stable
    }

    fn content(&self) -> Content {
        self.content
    }

    fn plugin(&self) -> Option<&'static PluginInfo> {
        Some(self.functions.plugin)
    }

    fn prepare<'a>(
        &self,
        input: &'a A::Input,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<A> + 'a>, Unavailable> {
        if let Some(condemnation) = self.condemned_on(place.device) {
            let refused = Refused::condemned(input, &self.functions, condemnation);
            return Ok(Box::new(refused));
        }
        match ready(self.functions, input, arena, place) {
            Ok(prepared) => Ok(prepared),
            Err(NotReady::Unavailable(reason)) => Err(Unavailable(reason)),
            Err(NotReady::Failed(error)) => Ok(Box::new(Refused::failed(input, error))),
        }
    }
}

/// On the team, as all that is called.
fn ready<'a, A: PluginTask>(
    functions: Functions,
    input: &'a A::Input,
    arena: &'a Arena,
    place: &Place<'_>,
) -> Ready<'a, A> {
    let (team, workers) = (place.team, place.team.threads());
    match (place.device, &place.gpu) {
        (Device::Cpu, _) => team.run(|| A::on_host(functions, input, arena, workers)),
        (Device::Cuda(number), Some(gpu)) => {
            team.run(|| A::on_gpu(functions, input, workers, gpu, number as i32))
        }
        (device, _) => Err(NotReady::Unavailable(format!(
            "plugins can't run on {device}"
        ))),
    }
}
