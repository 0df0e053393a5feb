//! Sorts from plugins.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | the input as plugins see it |
//! | `host`, `gpu` | a sort with its buffers, on the host and on a GPU |
//! | `account` | the memory that a plugin takes, against what it says |
//! | `refused` | a sort that is not to be called |

mod account;
mod gpu;
mod host;
mod refused;
mod shape;

use generators::sts::SegmentedDigis;

use super::StsSort;
use super::cuda::{CUB, CubSort};
use crate::algorithm::{Algorithm, Content, Prepared, Unavailable, Variant};
use crate::device::{Arena, Backend, Device, Place};
use crate::plugin::instance::NotReady;
use crate::plugin::{LoadedVariant, PluginInfo, variants_of};
use gpu::SortOnGpu;
use host::SortOnHost;
use refused::RefusedSort;

/// What every byte of a poisoned buffer is.
const POISON: u8 = 0xa5;

/// The sorts of all plugins, and in front of them those of CUB that are not there.
pub(super) fn variants() -> Vec<&'static dyn Variant<StsSort>> {
    let loaded = variants_of(StsSort::NAME);
    let is_there = |cub: &CubSort| loaded.iter().any(|variant| variant.name == cub.name);
    let missing = CUB.iter().filter(|cub| !is_there(cub));
    let missing = missing.map(|cub| cub as &dyn Variant<StsSort>);
    let loaded = loaded
        .iter()
        .map(|&variant| variant as &dyn Variant<StsSort>);
    missing.chain(loaded).collect()
}

impl Variant<StsSort> for LoadedVariant {
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
        input: &'a SegmentedDigis,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<StsSort> + 'a>, Unavailable> {
        if let Some(condemnation) = self.condemned_on(place.device) {
            return Ok(Box::new(RefusedSort::condemned(
                &self.functions,
                condemnation,
            )));
        }
        match self.ready(input, arena, place) {
            Ok(prepared) => Ok(prepared),
            Err(NotReady::Unavailable(reason)) => Err(Unavailable(reason)),
            Err(NotReady::Failed(error)) => Ok(Box::new(RefusedSort::failed(error))),
        }
    }
}

impl LoadedVariant {
    /// On the team, as all that is called.
    fn ready<'a>(
        &self,
        input: &'a SegmentedDigis,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<StsSort> + 'a>, NotReady> {
        let (functions, workers) = (self.functions, place.team.threads());
        match (place.device, &place.gpu) {
            (Device::Cpu, _) => place.team.run(|| {
                let sort = SortOnHost::prepare(functions, input, arena, workers)?;
                Ok(Box::new(sort) as Box<dyn Prepared<StsSort>>)
            }),
            (Device::Cuda(number), Some(gpu)) => place.team.run(|| {
                let sort = SortOnGpu::prepare(functions, input, workers, gpu, number as i32)?;
                Ok(Box::new(sort) as Box<dyn Prepared<StsSort>>)
            }),
            (device, _) => Err(NotReady::Unavailable(format!(
                "plugins can't run on {device}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests;
