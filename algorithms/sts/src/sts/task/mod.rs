//! The stages of the chain, and the chain itself, as tasks.
//!
//! Input of all of them: the streams of digis that a detector delivers in timeslices. A stage's
//! task first runs the earlier stages of the same chain, which are not timed. Output: that of the
//! stage, or for the chain clusters and hits.
//!
//! | file | holds |
//! |---|---|
//! | `variants`, `session` | variants on the CPU, and their sessions |
//! | `cuda_variants`, `cuda_session`, `cuda_overlapped` | variants on a GPU |
//! | `plugin` | variants in shared libraries |
//! | `by_stage` | variants of each task |
//! | `answer`, `check` | right answers, and comparison with them |
//! | `quality` | quality figures of right answers |
//! | `output_files` | files with digis, clusters and hits |
//! | `source` | simulated digis or raw data of them, files |
//! | `hard_inputs` | inputs that are hard to process correctly |
//! | `product_mutants` | wrong products that the check must refuse |

mod answer;
mod by_stage;
mod check;
#[cfg(test)]
mod cuda_chain_tests;
mod cuda_overlapped;
mod cuda_session;
mod cuda_variants;
mod hard_inputs;
mod output_files;
mod plugin;
mod product_mutants;
mod quality;
mod session;
mod source;
mod variants;

use std::path::Path;

use generators_common::DataError;
use generators_sts::Digi;
use parallel::map;

use crate::file_selection::source_files;
use crate::sts::quality::FIGURES;
use crate::sts::{ChainStage, Product, Timeslice};
use crate::sts_sort::hard_inputs::without_digis;
use tasks::algorithm::metric::NS_PER_DIGI;
use tasks::algorithm::{
    Algorithm, CheckError, InputFiles, MemoryShares, Metric, MetricInfo, OutputFiles, Plan,
    Promise, Quality, ReadInput, Relation, Semantics, SourceFile, TaskInfo, Variant, Work,
};
use tasks::axis::{Params, joined};
use tasks::plugin::Contract;

pub use check::Mismatch;

static OF_HITS: &[MetricInfo] = &joined::<_, 8>(&[&FIGURES, &[NS_PER_DIGI]]);
static OF_THE_CHAIN: &[MetricInfo] = &joined::<_, 13>(&[OF_HITS, &quality::COUNTS]);

const EXAMPLES: &str = "  bench sts --preset cbm-auau --scale 0.1 --threads 1,2
  bench sts --preset mcbm-2024 --scale 0.05 --variant online,time-sweep
  bench sts --compat --variant online
  bench sts --from raw --preset mcbm-2024 --scale 0.02 --threads 1,2
  bench generate sts-physics --scale 0.1 --out digis.csv
  bench sts --input digis.csv --setup digis.setup.json --threads 1,2
  bench sts --input digis.csv --setup digis.setup.json --clusters clusters.csv --hits hits.csv
  bench sts --preset mcbm-2024 --scale 0.001 --hits hits.csv --variant balanced --device emulator";

const EXAMPLES_OF_STAGES: &str = "  bench {task} --preset cbm-auau --scale 0.1 --threads 1,2
  bench {task} --preset mcbm-2024 --scale 0.05
  bench {task} --compat --noise 0,1kHz
  bench generate sts-physics --scale 0.1 --out digis.csv
  bench {task} --input digis.csv --setup digis.setup.json";

/// The task of a stage, or of the whole chain.
#[derive(Clone, Copy, Debug)]
pub struct StsTask {
    /// The stage; the whole chain if there is none.
    stage: Option<ChainStage>,
}

/// The task `presort`.
pub const STS_PRESORT: StsTask = StsTask::for_stage(ChainStage::Presort);
/// The task `cluster`.
pub const STS_CLUSTER: StsTask = StsTask::for_stage(ChainStage::Cluster);
/// The task `cluster-sort`.
pub const STS_CLUSTER_SORT: StsTask = StsTask::for_stage(ChainStage::ClusterSort);
/// The task `hits`.
pub const STS_HITS: StsTask = StsTask::for_stage(ChainStage::Hits);
/// The task `collect`.
pub const STS_COLLECT: StsTask = StsTask::for_stage(ChainStage::Collect);
/// The task `sts`.
pub const STS: StsTask = StsTask { stage: None };

/// A variant that gives the answer of the online reconstruction, or the exact one. Its order
/// is not promised: only presorting keeps that of the stream.
const fn online(variant: Variant<StsTask>) -> Variant<StsTask> {
    let supported = &[Semantics::Exact, Semantics::Published];
    let variant = variant.unstable();
    variant.with_semantics(supported, Timeslices::online)
}

impl StsTask {
    /// The stages that are tasks.
    #[cfg(test)]
    const STAGES: [ChainStage; 5] = [
        ChainStage::Presort,
        ChainStage::Cluster,
        ChainStage::ClusterSort,
        ChainStage::Hits,
        ChainStage::Collect,
    ];

    const fn for_stage(stage: ChainStage) -> Self {
        StsTask { stage: Some(stage) }
    }
}

/// Output of a detector, one timeslice after the other, with the same setup and the same right
/// answer.
#[derive(Clone, Debug)]
pub struct Timeslices(pub Vec<Timeslice>);

impl Timeslices {
    fn digis(&self) -> usize {
        let digis = self.0.iter().map(|timeslice| timeslice.stream().len());
        digis.sum()
    }

    /// Bytes of saved stage outputs that all variants of a point may keep together, in addition to
    /// their buffers: usually more than needed.
    fn max_saved(&self) -> u64 {
        self.digis() as u64 * source::KEPT_FOR_DIGI
    }

    /// Input bytes of a chain or a stage: of raw data if the whole chain starts from them.
    fn bytes(&self, stage: Option<ChainStage>) -> u64 {
        let of_digis = |timeslice: &Timeslice| size_of_val(timeslice.stream());
        let bytes = self.0.iter().map(|timeslice| match timeslice.raw() {
            Some(raw) if stage.is_none() => raw.data().bytes().len(),
            _ => of_digis(timeslice),
        });
        bytes.sum::<usize>() as u64
    }

    /// The right answer for variants that support two.
    fn online(&self) -> Semantics {
        self.0.first().map_or_else(Semantics::default, Timeslice::online)
    }
}

impl Algorithm for StsTask {
    type Input = Timeslices;
    type Output = Vec<Product>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: match self.stage {
                Some(stage) => stage.name(),
                None => "sts",
            },
            summary: match self.stage {
                Some(ChainStage::Presort) => "distribute a detector's STS digis over module sides",
                Some(ChainStage::Cluster) => {
                    "find clusters in the sorted STS digis of each module side"
                }
                Some(ChainStage::ClusterSort) => {
                    "sort the STS clusters of each module side by time"
                }
                Some(ChainStage::Hits) => {
                    "find hits in the STS clusters of both sides of each module"
                }
                Some(ChainStage::Collect) => "collect the STS hits of all modules in one array",
                Some(ChainStage::Unpack | ChainStage::Zero | ChainStage::Sort) => "",
                None => "the whole STS chain, from a detector's digis or raw data to hits",
            },
            input: "sts",
            file_endings: &["csv", "bin", "parquet", "tsa"],
            axes: source::axes(self.stage),
            file_axes: source::file_axes(self.stage),
            metrics: match self.stage {
                None => OF_THE_CHAIN,
                Some(ChainStage::Hits) => OF_HITS,
                Some(_) => &[NS_PER_DIGI],
            },
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        let variants = [
            variants::VARIANTS.for_stage(self.stage).to_vec(),
            cuda_variants::for_stage(self.stage),
        ];
        [variants.concat(), tasks::plugin_session::variants(self, &[])].concat()
    }

    fn contract(&self) -> Option<&'static Contract> {
        plugin::contract(self.stage)
    }

    fn examples(&self) -> &'static str {
        self.stage.map_or(EXAMPLES, |_| EXAMPLES_OF_STAGES)
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        source::plan(params, self.stage)
    }

    fn memory_shares(&self, variant: &str) -> MemoryShares {
        self.stage.map_or_else(|| source::memory_shares(variant), |_| MemoryShares::UNKNOWN)
    }

    fn memory_for_byte(&self) -> u64 {
        source::memory_for_byte(self.stage)
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<Timeslices, DataError> {
        source::simulated(params, seed)
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(Timeslices, Params), DataError> {
        self.read_with_notes(files, options).map(ReadInput::into)
    }

    fn read_with_notes(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<ReadInput<Timeslices>, DataError> {
        source::read(files, options)
    }

    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        source_files(files)
    }

    fn write(&self, input: &Timeslices, path: &Path) -> Result<(), DataError> {
        source::write(input, path)
    }

    fn defects(&self, input: &Timeslices) -> Vec<String> {
        let raw = input.0.iter().filter_map(Timeslice::raw);
        raw.flat_map(|raw| raw.remarks().defects()).collect()
    }

    fn output_files(&self) -> Option<OutputFiles> {
        output_files::of_stage(self.stage)
    }

    fn write_output(
        &self,
        _: &Timeslices,
        output: &Vec<Product>,
        file: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        output_files::write(output, file, path)
    }

    fn shrink<'i>(&self, input: &'i Timeslices) -> Box<dyn Iterator<Item = Timeslices> + 'i> {
        match input.0.as_slice() {
            [timeslice] if timeslice.raw().is_some() => source::smaller_raw(timeslice),
            // The detector stays as it is: which module digis are in matters.
            [timeslice] => Box::new(without_digis(timeslice.digis()).map(|digis| {
                let setup = timeslice.shared_setup();
                let online = timeslice.online();
                Timeslices(vec![Timeslice::new(digis, setup, online)])
            })),
            several => Box::new(several.iter().map(|each| Timeslices(vec![each.clone()]))),
        }
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, Timeslices)> {
        hard_inputs::all(self.stage, seed)
    }

    fn work(&self, input: &Timeslices) -> Work {
        let digis = input.digis();
        let digi_bytes = (digis * size_of::<Digi>()) as u64;
        let input_bytes = input.bytes(self.stage);
        // The number of clusters and hits that are read and written is only known from the
        // reference.
        let bytes_min = match self.stage {
            Some(ChainStage::Presort | ChainStage::Zero | ChainStage::Sort) => 2 * digi_bytes,
            Some(ChainStage::Cluster) => digi_bytes,
            Some(_) => 0,
            None => input_bytes,
        };
        Work {
            items: digis as u64,
            item_unit: "digi",
            bytes_min,
            input_bytes,
            to_host_bytes: None,
            has_reference: true,
            metrics: vec![Metric::new(&NS_PER_DIGI, digis as f64 * 1e-9, Relation::SecondsEach)],
        }
    }

    fn notes(&self, input: &Timeslices) -> Vec<String> {
        let raw = input.0.iter().filter_map(Timeslice::raw);
        raw.flat_map(|raw| raw.remarks().sentences()).collect()
    }

    fn reference(&self, input: &Timeslices, semantics: Semantics) -> Option<Vec<Product>> {
        Some(map(&input.0, |timeslice| answer::answer(timeslice, self.stage, semantics)))
    }

    fn compare(
        &self,
        _: &Timeslices,
        right: &Vec<Product>,
        output: &Vec<Product>,
        promise: Promise,
    ) -> Result<(), CheckError> {
        if right.len() != output.len() {
            return Err(Mismatch::Kind.into());
        }
        for (right, output) in right.iter().zip(output) {
            check::check(self.stage, promise.stable, right, output)?;
        }
        Ok(())
    }

    fn quality(&self, input: &Timeslices, output: &Vec<Product>) -> Vec<Quality> {
        match self.stage {
            None => [quality::figures(input, output), quality::counts(output)].concat(),
            Some(ChainStage::Hits) => quality::figures(input, output),
            Some(_) => Vec::new(),
        }
    }
}
