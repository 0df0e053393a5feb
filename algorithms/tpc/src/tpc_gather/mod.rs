//! Gathering clusters.
//!
//! Input: arrays of clusters in pieces, one for each track and one for each row of a sector, as the
//! compression leaves them. Output: the same arrays without gaps, in the order of tracks and rows;
//! for input in a GPU's memory, the output is in the host's memory.
//!
//! Only offsets are computed, and pieces have at most some hundred bytes, without alignment. The
//! task is to move many small pieces at the speed of a large one.
//!
//! | module | holds |
//! |---|---|
//! | `axes` | parameters |
//! | `packing` | source and destination of each piece |
//! | `packed` | arrays without gaps |
//! | `reference`, `check` | the expected output, and the comparison with it |
//! | `hard_inputs` | difficult inputs for tests |
//! | `cpu`, `cuda` | the variants |
//! | `plugin` | variants from shared libraries |

mod axes;
mod check;
mod cpu;
mod cuda;
mod hard_inputs;
mod packed;
mod packing;
mod plugin;
mod reference;

use std::path::Path;

use generators_common::DataError;
use generators_common::io::write_table;
use generators_tpc::clusters::{Clusters, generate};
use generators_tpc::io::{read_clusters, write_clusters};

use packed::Sample;
use tasks::algorithm::{
    About, Algorithm, Better, CheckError, Choose, InputFiles, Metric, MetricInfo, Mutants, Output,
    OutputFiles, Plan, Promise, Relation, Semantics, TaskInfo, Variant, Work,
};
use tasks::axis::Params;
use tasks::plugin::Contract;
use tasks::plugin_session::variants;

pub use axes::{AXES, shape};
pub use check::Mismatch;
pub use packed::Packed;

static METRICS: &[MetricInfo] = &[
    PACKED_GB_PER_S,
    MULTIPROCESSORS,
    COPIES,
    COPIES_TIMED,
    SLOWDOWN_OF_COPY,
    SLOWDOWN_OF_COMPUTE,
];
const PACKED_GB_PER_S: MetricInfo = MetricInfo::gigabytes_per_second(
    "packed_gb_per_s",
    "packed",
    "bytes of packed clusters over the time",
);
const MULTIPROCESSORS: MetricInfo = MetricInfo::amount(
    "multiprocessors",
    "",
    "multiprocessors",
    "multiprocessors that gathering occupies",
);
const COPIES: MetricInfo =
    MetricInfo::amount("copies", "", "copies", "copies that gather all clusters");
const COPIES_TIMED: MetricInfo =
    MetricInfo::amount("copies_timed", "", "timed copies", "copies of the sample that is timed");
const SLOWDOWN_OF_COPY: MetricInfo = MetricInfo {
    name: "slowdown_of_copy",
    unit: "",
    label: "slowdown of a copy",
    meaning: "time of a copy in device memory next to gathering, over that without",
    better: Better::Near(1.0),
    about: About::Speed,
};
const SLOWDOWN_OF_COMPUTE: MetricInfo = MetricInfo {
    name: "slowdown_of_compute",
    label: "slowdown of computing",
    meaning: "time of work in registers next to gathering, over that without",
    ..SLOWDOWN_OF_COPY
};

const EXAMPLES: &str = "  bench gather --scale 0.1 --threads 1,2
  bench gather --scale 1 --device cuda:0
  bench gather --tracks 50k --fewest 1 --most 20 --row-clusters 1000
  bench generate clusters --scale 0.01 --out clusters.bin
  bench gather --input clusters.bin --variant streamed,naive
  bench gather --plugin ./libmine.so --variant 'my-*,streamed'";

/// The task `gather`.
#[derive(Clone, Copy, Debug)]
pub struct TpcGather;

/// Bytes for a cluster on a track: before, with gaps, in the input and in a plugin's copy, and
/// after: in the reference and in two outputs.
const ATTACHED_BYTES: u64 = 2 * 16 + 3 * 15;
/// Bytes for a cluster on no track; rows have gaps of the same size.
const UNATTACHED_BYTES: u64 = 2 * 2 * 13 + 3 * 13;
/// Bytes for a track: its data, its offsets before and after and in a plugin's copy, and its
/// length.
const TRACK_BYTES: u64 = 11 * 5 + 16;

/// Bytes and operations for the pieces of a sample.
fn work_of(input: &Clusters, sample: Sample) -> Work {
    let entries = sample.packed(input);
    let packed = entries.bytes() as u64;
    let gigabytes = packed as f64 / 1e9;
    Work {
        items: (entries.attached + entries.unattached) as u64,
        item_unit: "cluster",
        // All packed bytes are read and written.
        bytes_min: 2 * packed,
        input_bytes: input.bytes().len() as u64,
        to_host_bytes: Some(packed),
        has_reference: true,
        metrics: vec![Metric::new(&PACKED_GB_PER_S, gigabytes, Relation::PerSecond)],
    }
}

impl Algorithm for TpcGather {
    type Input = Clusters;
    type Output = Packed;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "gather",
            summary: "gather the TPC's compressed clusters from their pieces",
            input: "gather",
            file_endings: &["bin"],
            axes: AXES,
            file_axes: &[],
            metrics: METRICS,
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        let of_plugins = variants(self, &cuda::LIBRARIES);
        [cpu::VARIANTS, cuda::VARIANTS, &of_plugins].concat()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&plugin::CONTRACT)
    }

    fn examples(&self) -> &'static str {
        EXAMPLES
    }

    fn plan(&self, mut params: Params) -> Result<Plan, DataError> {
        axes::complete(&mut params)?;
        let shape = shape(&params)?;
        shape.validate()?;
        let [attached, unattached] = shape.mean_clusters().map(|count| count as u64);
        let clusters = attached * ATTACHED_BYTES + unattached * UNATTACHED_BYTES;
        Ok(Plan { params, memory_bytes: clusters + shape.tracks as u64 * TRACK_BYTES })
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<Clusters, DataError> {
        generate(&shape(params)?, seed)
    }

    fn read(&self, files: &InputFiles, _: &Params) -> Result<(Clusters, Params), DataError> {
        let path = files.only()?;
        let clusters = read_clusters(path)?;
        let params = axes::of_file(path, &clusters);
        Ok((clusters, params))
    }

    fn write(&self, input: &Clusters, path: &Path) -> Result<(), DataError> {
        write_clusters(path, input)
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(OutputFiles::new(&["entry"], "naive", "multi-block"))
    }

    fn write_output(
        &self,
        input: &Clusters,
        output: &Packed,
        _: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        let table = output.table(input)?;
        write_table(path, &table)?;
        Ok(table.rows())
    }

    fn shrink<'i>(&self, input: &'i Clusters) -> Box<dyn Iterator<Item = Clusters> + 'i> {
        Box::new(hard_inputs::shrunk(input))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, Clusters)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &Clusters) -> Work {
        work_of(input, Sample::ALL)
    }

    fn notes(&self, input: &Clusters) -> Vec<String> {
        let packed = input.packed();
        vec![format!(
            "{} tracks with {} clusters, {} clusters in {} rows, {} kB packed",
            packed.tracks,
            packed.attached,
            packed.unattached,
            packed.rows,
            packed.bytes() / 1000
        )]
    }

    fn reference(&self, input: &Clusters, _: Semantics) -> Option<Packed> {
        Some(reference::gather(input))
    }

    fn compare(
        &self,
        input: &Clusters,
        right: &Packed,
        output: &Packed,
        _: Promise,
    ) -> Result<(), CheckError> {
        Ok(check::same(input, right, output)?)
    }

    fn mutants(&self, input: &Clusters, right: &Packed, choose: Choose<'_>) -> Mutants<Packed> {
        check::mutants(input, right, choose)
    }

    fn no_op_output(&self, input: &Clusters) -> Packed {
        Packed::new(&input.packed())
    }
}

impl Output<TpcGather> for Packed {
    fn nothing() -> Self {
        Packed::from_bytes(&[])
    }
}
