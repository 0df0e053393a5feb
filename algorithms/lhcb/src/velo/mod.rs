//! The reconstruction of the VELO, from raw banks to tracks: its stages, and all of it, as tasks.
//!
//! Input: raw banks of events, which are processed in batches. A stage after the first starts from the
//! expected output of the one before. `docs/velo.md` describes the reconstruction.
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | hits and tracks, and the formulas of their positions |
//! | [`reference`](mod@reference) | the expected results, slow and obvious |
//! | `stage` | the stages |
//! | `axes` | parameters: simulated events, files |
//! | `input` | events, and the expected results of all stages |
//! | `output` | hits and tracks, and their comparison |
//! | [`physics`] | efficiency, ghosts, clones |
//! | `files` | output files |
//! | `hard_inputs` | difficult inputs for tests |
//! | [`cpu`], `cuda` | the variants |
//! | `plugin` | variants from shared libraries |

mod axes;
pub mod cpu;
mod cuda;
mod files;
mod hard_inputs;
mod input;
pub mod model;
mod output;
pub mod physics;
mod plugin;
pub mod reference;
mod stage;

use std::ops::Range;
use std::path::Path;

use generators_common::DataError;
use generators_lhcb::BankKind;
use generators_lhcb::io::ENDINGS;
use tasks::algorithm::shrink::without_parts;
use tasks::algorithm::{
    Algorithm, CheckError, InputFiles, Metric, MetricInfo, OutputFiles, Plan, Promise, Quality,
    Relation, Semantics, TaskInfo, Variant, Work,
};
use tasks::axis::{Params, joined};
use tasks::plugin::Contract;

pub use input::VeloInput;
pub use output::{Mismatch, VeloOutput};
pub use stage::Stage;

/// Time of an event.
const US_PER_EVENT: MetricInfo = MetricInfo::time_each(
    "us_per_event",
    "µs",
    "time per event",
    "time over the number of events, all threads together",
);
static OF_TRACKS: &[MetricInfo] = &joined::<_, 10>(&[&physics::FIGURES, &[US_PER_EVENT]]);

const EXAMPLES: &str = "  bench velo --events 1000 --batch 10,100,1000 --threads 1,2
  bench velo --banks retina --occupancy 1,2,3
  bench velo --preset bsphiphi --variant tables,published
  bench generate velo --events 1000 --out events.mdf
  bench velo --input events.mdf --threads 1,2";

const EXAMPLES_OF_STAGES: &str = "  bench {task} --events 1000 --batch 10,100,1000
  bench {task} --occupancy 1,3 --threads 1,2
  bench {task} --device cuda:0 --batch 1000,10000";

/// The task of a stage, or of all of them.
#[derive(Clone, Copy, Debug)]
pub struct VeloTask {
    /// The stage.
    pub stage: Stage,
}

impl Algorithm for VeloTask {
    type Input = VeloInput;
    type Output = VeloOutput;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: self.stage.name(),
            summary: self.stage.summary(),
            input: match self.stage {
                Stage::Chain | Stage::Tracks => "velo",
                Stage::Clusters | Stage::Sort => "velo of super-pixels",
                Stage::Decode => "velo of clusters",
            },
            file_endings: ENDINGS,
            axes: axes::of_stage(self.stage),
            file_axes: axes::of_files(self.stage),
            metrics: if self.stage.has_tracks() { OF_TRACKS } else { &[US_PER_EVENT] },
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS, &tasks::plugin_session::variants(self, &[])].concat()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(plugin::contract(self.stage))
    }

    fn examples(&self) -> &'static str {
        if self.stage == Stage::Chain { EXAMPLES } else { EXAMPLES_OF_STAGES }
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        axes::plan(self.stage, params)
    }

    fn memory_for_byte(&self) -> u64 {
        axes::MEMORY_FOR_BYTE
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<VeloInput, DataError> {
        axes::generate(self.stage, params, seed)
    }

    fn read(&self, files: &InputFiles, options: &Params) -> Result<(VeloInput, Params), DataError> {
        axes::read(self.stage, files.only()?, options)
    }

    fn write(&self, input: &VeloInput, path: &Path) -> Result<(), DataError> {
        generators_lhcb::io::write_events(path, &input.events)
    }

    fn defects(&self, input: &VeloInput) -> Vec<String> {
        input.events.defects.clone()
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(files::of_stage(self.stage))
    }

    fn write_output(
        &self,
        input: &VeloInput,
        output: &VeloOutput,
        _: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        files::write(self.stage, input, output, path)
    }

    fn shrink<'i>(&self, input: &'i VeloInput) -> Box<dyn Iterator<Item = VeloInput> + 'i> {
        let events = input.events.len();
        let without = move |gone: Range<usize>| {
            let rest = (0..events).filter(|event| !gone.contains(event));
            (gone.len() < events).then(|| input.selected(rest))
        };
        Box::new(without_parts(events, without))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, VeloInput)> {
        hard_inputs::all(self.stage, seed)
    }

    fn work(&self, input: &VeloInput) -> Work {
        let events = input.events.len();
        let bytes = input.bytes(self.stage);
        Work {
            items: events as u64,
            item_unit: "event",
            bytes_min: bytes,
            input_bytes: bytes,
            to_host_bytes: None,
            has_reference: true,
            metrics: vec![Metric::new(&US_PER_EVENT, events as f64 * 1e-6, Relation::SecondsEach)],
        }
    }

    fn notes(&self, input: &VeloInput) -> Vec<String> {
        let words: usize = input.events.iter().map(|event| event.word_count()).sum();
        let of_kind = |kind| input.events.iter().filter(|event| event.format.kind == kind).count();
        let super_pixels = of_kind(BankKind::SuperPixel);
        let retina = of_kind(BankKind::Retina);
        let events = input.events.len();
        let mean = words as f64 / events.max(1) as f64;
        vec![format!(
            "{super_pixels} events of super-pixels, {retina} of clusters; {mean:.0} words per event"
        )]
    }

    fn quality(&self, input: &VeloInput, output: &VeloOutput) -> Vec<Quality> {
        match input.events.truth() {
            Some(truth) if self.stage.has_tracks() => {
                physics::metrics(&physics::quality_by_event(&output.tracks, truth))
            }
            _ => Vec::new(),
        }
    }

    fn reference(&self, input: &VeloInput, semantics: Semantics) -> Option<VeloOutput> {
        Some(input.expected(self.stage, semantics))
    }

    fn compare(
        &self,
        _: &VeloInput,
        right: &VeloOutput,
        output: &VeloOutput,
        _: Promise,
    ) -> Result<(), CheckError> {
        Ok(output::compare(self.stage, right, output)?)
    }
}
