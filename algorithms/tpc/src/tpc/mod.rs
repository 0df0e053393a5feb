//! The TPC's chain: from raw pages to clusters.
//!
//! Input: the zero-suppressed pages of a time frame. Output: the clusters of each row of each
//! sector. Pages are decoded, charges are corrected by gains, pads that have lost their baseline
//! are left out, and clusters are found. See `docs/tpc.md`.
//!
//! | module | holds |
//! |---|---|
//! | `input`, `axes` | the pages, and their sources |
//! | `finding` | settings of finding clusters |
//! | `reference` | the expected output |
//! | `open_loop` | the chain as a task that can be streamed |
//! | `hard_inputs` | difficult inputs for tests |
//! | `cpu`, `cuda` | the variants |

mod axes;
mod cpu;
mod cuda;
mod finding;
mod hard_inputs;
mod input;
mod open_loop;
mod reference;

use std::path::Path;

use generators_common::DataError;
use generators_common::io::write_table;

use crate::file_selection::source_files;
use crate::tpc_cluster_finder::quality::{FIGURES, figures};
use crate::tpc_cluster_finder::{Cluster, RowCluster, cluster_table};
use crate::tpc_decode::{NS_PER_SAMPLE, PAGE_GB_PER_S, TpcDecode};
use tasks::algorithm::{
    Algorithm, InputFiles, Metric, MetricInfo, OutputFiles, Plan, Quality, Relation, Semantics,
    SourceFile, TaskInfo, Variant, Work,
};
use tasks::axis::{Params, joined};

pub use finding::NoisyRule;
pub use input::RawFrame;

static METRICS: &[MetricInfo] = &joined::<_, 9>(&[&FIGURES, &[PAGE_GB_PER_S, NS_PER_SAMPLE]]);

const EXAMPLES: &str = "  bench tpc --orbits 1 --sectors 4 --threads 1,2
  bench tpc --zs row12,link,dense-link --occupancy 0.01,0.07
  bench tpc --noisy published,lab --noisy-pads 0.01
  bench generate tpc --sectors 4 --out sectors.pages
  bench tpc --input sectors.pages --sector 2 --threads 1,2";

/// The task `tpc`.
#[derive(Clone, Copy, Debug)]
pub struct Tpc;

impl Algorithm for Tpc {
    type Input = RawFrame;
    /// Clusters by sector, in the order of the pages, row, and the order of clusters.
    type Output = Vec<RowCluster>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "tpc",
            summary: "find clusters in raw pages of the TPC",
            input: "tpc",
            file_endings: &["pages", "raw", "tf", "dump"],
            axes: axes::AXES,
            file_axes: axes::READING,
            metrics: METRICS,
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS].concat()
    }

    fn examples(&self) -> &'static str {
        EXAMPLES
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        axes::plan(params)
    }

    fn memory_for_byte(&self) -> u64 {
        axes::MEMORY_FOR_BYTE
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<RawFrame, DataError> {
        axes::generate(params, seed)
    }

    fn read(&self, files: &InputFiles, options: &Params) -> Result<(RawFrame, Params), DataError> {
        axes::read(files.only()?, options)
    }

    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        source_files(files)
    }

    fn write(&self, input: &RawFrame, path: &Path) -> Result<(), DataError> {
        TpcDecode.write(&input.frame, path)
    }

    fn defects(&self, input: &RawFrame) -> Vec<String> {
        TpcDecode.defects(&input.frame)
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(OutputFiles::new(&["cluster"], "published", "published"))
    }

    fn write_output(
        &self,
        input: &RawFrame,
        output: &Vec<RowCluster>,
        _: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        let table = cluster_table(&input.frame.sector_numbers(), output);
        write_table(path, &table)?;
        Ok(table.rows())
    }

    fn shrink<'i>(&self, input: &'i RawFrame) -> Box<dyn Iterator<Item = RawFrame> + 'i> {
        Box::new(TpcDecode.shrink(&input.frame).map(|frame| input.with_frame(frame)))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, RawFrame)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &RawFrame) -> Work {
        let pages = TpcDecode.work(&input.frame);
        let clusters = (input.expected().clusters.len() * size_of::<Cluster>()) as u64;
        let samples = pages.items as f64;
        let used = input.frame.used_bytes();
        Work {
            bytes_min: used + clusters,
            metrics: vec![
                Metric::new(&PAGE_GB_PER_S, used as f64 * 1e-9, Relation::PerSecond),
                Metric::new(&NS_PER_SAMPLE, samples * 1e-9, Relation::SecondsEach),
            ],
            ..pages
        }
    }

    /// Notes for the results: the number of clusters, and damaged pages.
    fn notes(&self, input: &RawFrame) -> Vec<String> {
        let right = input.expected();
        let noisy: usize = right.noisy.iter().map(Vec::len).sum();
        let found = format!("{} clusters; {noisy} pads are noisy", right.clusters.len());
        [vec![found], TpcDecode.notes(&input.frame)].concat()
    }

    fn quality(&self, input: &RawFrame, output: &Vec<RowCluster>) -> Vec<Quality> {
        let Some(truth) = input.truth() else { return Vec::new() };
        let sectors: Vec<_> = truth.iter().map(|truth| (truth, &input.finding.settings)).collect();
        figures(&sectors, output)
    }

    fn reference(&self, input: &RawFrame, _: Semantics) -> Option<Vec<RowCluster>> {
        Some(input.expected().clusters.clone())
    }
}
