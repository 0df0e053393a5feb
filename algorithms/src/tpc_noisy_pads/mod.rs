//! Finding noisy pads of the TPC.
//!
//! Input: for each sector a map of charges over the whole time frame, as the cluster
//! finder has it (`tpc_decode/charge_map.rs`). Output: for each pad how often and
//! how long it had charge, and whether it is to be left out. `docs/noisy-pads.md` says
//! more.
//!
//! | module | holds |
//! |---|---|
//! | `input`, `axes` | the maps and the thresholds, and where they come from |
//! | `activity` | what is found of a pad, and what makes it noisy |
//! | `reference`, `check` | what is right |
//! | `hard_inputs` | what is hard to get right |
//! | `cpu`, `cuda` | the variants |

mod activity;
mod axes;
mod check;
mod cpu;
mod cuda;
mod hard_inputs;
mod input;
mod reference;
#[cfg(test)]
mod tests;

use std::path::Path;

use generators::DataError;
use generators::tpc::geometry::PADS_IN_SECTOR;

use crate::algorithm::{Algorithm, Metric, Plan, Promise, Relation, Semantics, Variant, Work};
use crate::axis::{Axis, Params};

pub use activity::{PadActivity, Thresholds, Verdict};
pub use check::Mismatch;
pub use input::ChargeMaps;

/// The task `noisy-pads`.
pub struct TpcNoisyPads;

impl Algorithm for TpcNoisyPads {
    type Input = ChargeMaps;
    /// The pads of each sector, by row and pad.
    type Output = Vec<PadActivity>;
    type Mismatch = Mismatch;

    const NAME: &'static str = "noisy-pads";
    const SUMMARY: &'static str = "find the TPC's noisy pads in maps of charges";
    const FILE_ENDING: &'static str = "pages";

    fn axes() -> &'static [Axis] {
        axes::AXES
    }

    fn reading() -> &'static [Axis] {
        axes::READING
    }

    fn variants() -> Vec<&'static dyn Variant<Self>> {
        vec![&cpu::SCALAR, &cpu::SIMD, &cuda::CACHE_LINE, &cuda::BIT_RUNS]
    }

    fn plan(params: Params) -> Result<Plan, DataError> {
        axes::plan(params)
    }

    fn generate(params: &Params, seed: u64) -> Result<ChargeMaps, DataError> {
        axes::generate(params, seed)
    }

    fn read(path: &Path, options: &Params) -> Result<(ChargeMaps, Params), DataError> {
        axes::read(path, options)
    }

    fn write(_: &ChargeMaps, path: &Path) -> Result<(), DataError> {
        Err(DataError::Shape(format!(
            "{}: maps of charges are made of pages, and can't be written as such",
            path.display()
        )))
    }

    fn smaller(input: &ChargeMaps) -> Box<dyn Iterator<Item = ChargeMaps> + '_> {
        Box::new(input.smaller())
    }

    fn hard_inputs(seed: u64) -> Vec<(String, ChargeMaps)> {
        hard_inputs::all(seed)
    }

    fn work(input: &ChargeMaps) -> Work {
        let pads = (input.sectors() * PADS_IN_SECTOR) as u64;
        let read = input.bytes_with_pads();
        Work {
            items: pads * u64::from(input.time_bins()),
            item_unit: "cell",
            bytes_min: read + pads * size_of::<PadActivity>() as u64,
            input_bytes: size_of_val(input.entries()) as u64,
            to_host_bytes: None,
            has_reference: true,
            metrics: vec![Metric::new(
                "ns_per_pad",
                pads as f64 * 1e-9,
                Relation::SecondsEach,
            )],
        }
    }

    /// How many pads are noisy.
    fn notes(input: &ChargeMaps) -> Vec<String> {
        let found = reference::find(input);
        let is_noisy = |pad: &&PadActivity| pad.verdict == Verdict::Noisy;
        let noisy = found.iter().filter(is_noisy).count();
        vec![format!("{noisy} of {} pads are noisy", found.len())]
    }

    fn reference(input: &ChargeMaps, _: Semantics) -> Option<Vec<PadActivity>> {
        Some(reference::find(input))
    }

    fn check(
        input: &ChargeMaps,
        reference: Option<&Vec<PadActivity>>,
        output: &Vec<PadActivity>,
        _: Promise,
    ) -> Result<(), Mismatch> {
        match reference {
            Some(reference) => check::same(reference, output),
            None => check::same(&reference::find(input), output),
        }
    }

    fn untouched(_: &ChargeMaps) -> Vec<PadActivity> {
        Vec::new()
    }
}
