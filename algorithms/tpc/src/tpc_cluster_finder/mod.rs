//! Finding clusters of the TPC.
//!
//! Input: the samples of some sectors over a time frame, corrected by gains, with the pads that are
//! known to be noisy. Output: the clusters of each row as the experiment stores them, 12 bytes
//! each. `docs/tpc-clusters.md` has the rules.
//!
//! One sample in twelve is a peak, and a cluster depends on the 81 cells around it. Most of the
//! time goes into examining empty cells.
//!
//! | module | holds |
//! |---|---|
//! | `input`, `axes` | charges, and their sources |
//! | `row`, `reference` | the reference, stage by stage |
//! | `cluster` | a cluster: its sums, means and widths, and how it is packed |
//! | `labels` | simulated particles that produced the charges of a cluster |
//! | `sums` | sums of clusters by row |
//! | `hard_inputs` | difficult inputs for tests |
//! | `quality` | quality of clusters by the particles' true clusters |
//! | `cpu`, `cuda` | the variants |

pub(crate) mod axes;
mod cluster;
pub(crate) mod cpu;
pub(crate) mod cuda;
mod hard_inputs;
pub(crate) mod input;
mod labels;
pub(crate) mod quality;
mod reference;
mod row;
mod sums;
#[cfg(test)]
mod tests;

use std::path::Path;

use generators_common::DataError;
use generators_common::io::check_table_file;
use generators_tpc::charges::{CHARGE_STEPS, Charge, Labels};
use generators_tpc::io::write_charges;

use crate::file_selection::source_files;
use tasks::algorithm::{
    Algorithm, CheckError, InputFiles, Metric, MetricInfo, OutputAlias, OutputFiles, Plan, Promise,
    Quality, Relation, Semantics, SourceFile, TaskInfo, Variant, VariantChoice, Work,
};
use tasks::axis::{Params, joined};

pub use cluster::{Cluster, RowCluster, flags};
pub use generators_tpc::charges::ClusterSettings as Settings;
pub use input::Charges;
pub(crate) use input::cluster_table;
pub use labels::Clusters;
pub use reference::{RowClusters, Share, clusters};
pub use row::Cell;
pub(crate) use sums::sums_of;

static METRICS: &[MetricInfo] =
    &joined::<_, 11>(&[&quality::FIGURES, &quality::OF_LABELS, &[NS_PER_CLUSTER]]);
const NS_PER_CLUSTER: MetricInfo = MetricInfo::time_each(
    "ns_per_cluster",
    "ns",
    "time per cluster",
    "time over the number of clusters",
);

const CLUSTERS: OutputAlias = OutputAlias {
    flag: "clusters",
    help: "Write the clusters as bench process does; measures nothing",
    file: 0,
    choice: VariantChoice::One,
    check: check_table_file,
};

const EXAMPLES: &str = "  bench cluster-finder --sectors 4 --orbits 1 --threads 1,2
  bench cluster-finder --occupancy 0.01,0.07,0.2 --variant rows,published
  bench cluster-finder --noisy-pads 0.01 --qmax-cutoff 2,3,5 --variant rows
  bench cluster-finder --sectors 36 --orbits 4 --device cuda:0
  bench cluster-finder --input charges.cases.gz --threads 1,2
  bench cluster-finder --input labelled.pages --clusters clusters.csv
  bench cluster-finder --input charges.cases.gz --variant rows --clusters clusters.csv";

/// The task `cluster-finder`.
#[derive(Clone, Copy, Debug)]
pub struct TpcClusterFinder;

impl Algorithm for TpcClusterFinder {
    type Input = Charges;
    type Output = Clusters;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "cluster-finder",
            summary: "find clusters in the TPC's charges",
            input: "cluster-finder",
            file_endings: &["cases", "pages"],
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

    fn generate(&self, params: &Params, seed: u64) -> Result<Charges, DataError> {
        axes::generate(params, seed)
    }

    fn read(&self, files: &InputFiles, options: &Params) -> Result<(Charges, Params), DataError> {
        axes::read(files.only()?, options)
    }

    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        source_files(files)
    }

    fn write(&self, input: &Charges, path: &Path) -> Result<(), DataError> {
        write_charges(path, input.cases())
    }

    fn defects(&self, input: &Charges) -> Vec<String> {
        input.remarks().defects.clone()
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(OutputFiles::new(&["cluster"], "published", "published").with_aliases(&[CLUSTERS]))
    }

    fn write_output(
        &self,
        input: &Charges,
        output: &Clusters,
        _: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        input::write(input, output, path)
    }

    fn shrink<'i>(&self, input: &'i Charges) -> Box<dyn Iterator<Item = Charges> + 'i> {
        input.shrink()
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, Charges)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &Charges) -> Work {
        let samples = input.samples();
        let clusters = input.right_clusters().len();
        let labels = |labels: &Option<Labels>| labels.as_ref().map_or(0, |it| it.all().len());
        let given: usize = input.cases().iter().map(|case| labels(&case.labels)).sum();
        let given = if input.has_labels() { given } else { 0 };
        let found = labels(&input.right_clusters().labels);
        let read = samples * size_of::<Charge>();
        let ns_per_cluster =
            Metric::new(&NS_PER_CLUSTER, clusters as f64 * 1e-9, Relation::SecondsEach);
        Work {
            items: samples as u64,
            item_unit: "sample",
            bytes_min: (read + clusters * size_of::<Cluster>() + (given + found) * size_of::<u64>())
                as u64,
            input_bytes: read as u64,
            to_host_bytes: None,
            has_reference: true,
            metrics: vec![ns_per_cluster],
        }
    }

    /// Reports the number of clusters.
    fn notes(&self, input: &Charges) -> Vec<String> {
        let noisy: usize = input.cases().iter().map(|case| case.noisy.len()).sum();
        let found = format!("{} clusters; {noisy} pads are noisy", input.right_clusters().len());
        [vec![found], input.remarks().notes.clone()].concat()
    }

    fn quality(&self, input: &Charges, output: &Clusters) -> Vec<Quality> {
        let by_position = input.truth().map(|truth| {
            let settings = input.cases().iter().map(|case| &case.settings);
            let sectors: Vec<_> = truth.iter().zip(settings).collect();
            quality::figures(&sectors, output)
        });
        let by_labels = input.has_meaningful_labels();
        let by_labels = by_labels.then(|| quality::by_labels(input.cases(), output));
        [by_position, by_labels].into_iter().flatten().flatten().collect()
    }

    fn reference(&self, input: &Charges, _: Semantics) -> Option<Clusters> {
        Some(input.right_clusters().clone())
    }

    fn compare(
        &self,
        _: &Charges,
        right: &Clusters,
        output: &Clusters,
        promise: Promise,
    ) -> Result<(), CheckError> {
        output.check(right, promise)
    }
}

/// A threshold in sixteenths of an ADC unit, like charges.
fn sixteenths(threshold: u8) -> i32 {
    i32::from(CHARGE_STEPS) * i32::from(threshold)
}

/// True if a charge next to a peak is so much smaller that there is a valley.
#[inline]
fn is_valley(peak: i32, charge: i32, settings: &Settings) -> bool {
    let difference = peak - charge;
    let relative = i32::from(settings.noise_eps_rel) * peak.max(charge);
    difference > sixteenths(settings.noise_eps) && 255 * difference > relative
}
