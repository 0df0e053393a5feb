//! Finding noisy pads of the TPC.
//!
//! Input: for each sector a map of charges over the whole time frame, in the format of the cluster
//! finder (`tpc_decode/charge_map.rs`). Output: for each pad the number of its charges and its
//! longest run, and the decision to leave it out. See `docs/noisy-pads.md`.
//!
//! | module | holds |
//! |---|---|
//! | `input`, `axes` | the maps, thresholds and activities of pads, and their sources |
//! | `reference` | the expected output |
//! | `hard_inputs` | difficult inputs for tests |
//! | `cpu`, `cuda` | the variants |
//! | `plugin` | variants from shared libraries |

use std::path::Path;

use generators_common::DataError;
use generators_common::io::write_table;
use generators_tpc::{Digit, PadId, ZsFormat};
use text::Untrusted;

use crate::file_selection::source_files;
use crate::tpc_decode::Gains;
use tasks::algorithm::{
    Algorithm, InputFiles, Metric, MetricInfo, OutputFiles, Plan, Relation, Semantics, SourceFile,
    TaskInfo, Variant, Work,
};
use tasks::axis::Params;
use tasks::plugin::Contract;
use tasks::plugin_session::variants;

pub(crate) use axes::{default_thresholds, time_bins, time_bins_of_file};
pub use input::{ChargeMaps, PadActivity, Thresholds, Verdict};

static METRICS: &[MetricInfo] = &[NS_PER_PAD];
const NS_PER_PAD: MetricInfo =
    MetricInfo::time_each("ns_per_pad", "ns", "time per pad", "time over the number of pads");

mod axes;
mod cpu;
mod cuda;
mod hard_inputs;
mod input;
mod plugin;
mod reference;
#[cfg(test)]
mod tests;

const EXAMPLES: &str = "  bench noisy-pads --sectors 4 --orbits 2,8 --threads 1,2
  bench noisy-pads --noisy-pads 0,0.05 --hot-pads 0 --max-run 100
  bench noisy-pads --occupancy 0.05,0.3 --variant simd --cache hot,cold
  bench noisy-pads --sectors 36 --orbits 9 --device cuda:0
  bench generate tpc --sectors 8 --out sectors.pages
  bench noisy-pads --input sectors.pages --sector 7";

/// The task `noisy-pads`.
#[derive(Clone, Copy, Debug)]
pub struct TpcNoisyPads;

impl Algorithm for TpcNoisyPads {
    type Input = ChargeMaps;
    /// The pads of each sector, by row and pad.
    type Output = Vec<PadActivity>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "noisy-pads",
            summary: "find the TPC's noisy pads in maps of charges",
            input: "noisy-pads",
            file_endings: &["pages"],
            axes: axes::AXES,
            file_axes: axes::READING,
            metrics: METRICS,
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS, cuda::AS_SHADERS, &variants(self, &[])].concat()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&plugin::CONTRACT)
    }

    fn examples(&self) -> &'static str {
        EXAMPLES
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        axes::plan(params)
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<ChargeMaps, DataError> {
        axes::generate(params, seed)
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(ChargeMaps, Params), DataError> {
        axes::read(files.only()?, options)
    }

    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        source_files(files)
    }

    fn write(&self, _: &ChargeMaps, path: &Path) -> Result<(), DataError> {
        Err(DataError::Shape(format!(
            "{}: maps of charges are made of pages, and can't be written as such",
            path.escaped()
        )))
    }

    fn defects(&self, input: &ChargeMaps) -> Vec<String> {
        input.remarks().defects.clone()
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(OutputFiles::new(&["pad"], "scalar", "cache-line"))
    }

    fn write_output(
        &self,
        input: &ChargeMaps,
        output: &Vec<PadActivity>,
        _: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        let table = input.pad_table(output);
        write_table(path, &table)?;
        Ok(table.rows())
    }

    fn shrink<'i>(&self, input: &'i ChargeMaps) -> Box<dyn Iterator<Item = ChargeMaps> + 'i> {
        Box::new(input.shrink())
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, ChargeMaps)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &ChargeMaps) -> Work {
        let pads = input.pads() as u64;
        let read = input.bytes_with_pads();
        let ns_per_pad = Metric::new(&NS_PER_PAD, pads as f64 * 1e-9, Relation::SecondsEach);
        Work {
            items: pads * u64::from(input.time_bins()),
            item_unit: "cell",
            bytes_min: read + pads * size_of::<PadActivity>() as u64,
            input_bytes: size_of_val(input.entries()) as u64,
            to_host_bytes: None,
            has_reference: true,
            metrics: vec![ns_per_pad],
        }
    }

    /// Notes for the results: the number of noisy pads.
    fn notes(&self, input: &ChargeMaps) -> Vec<String> {
        let found = reference::find(input);
        let noisy = found.iter().filter(|pad| pad.is_noisy()).count();
        let noisy = format!("{noisy} of {} pads are noisy", found.len());
        [vec![noisy], input.remarks().notes.clone()].concat()
    }

    fn reference(&self, input: &ChargeMaps, _: Semantics) -> Option<Vec<PadActivity>> {
        Some(reference::find(input))
    }
}

/// The noisy pads among digits of a sector, with the default thresholds of this task; there are no
/// more time bins than the counters of pads can hold.
pub(crate) fn noisy_pads(
    digits: &[Digit],
    time_bins: u32,
    gains: &Gains,
    format: ZsFormat,
) -> Vec<PadId> {
    let mut map = ChargeMaps::empty(1, time_bins, default_thresholds(time_bins));
    map.add_all(|_| digits.to_vec(), gains, format);
    let found = reference::find(&map);
    let noisy = input::pads().zip(&found).filter(|(_, pad)| pad.is_noisy());
    noisy.map(|(pad, _)| pad).collect()
}
