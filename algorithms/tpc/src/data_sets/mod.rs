//! Data that can be generated and written to files.

mod pages;

use generators_tpc::io::{check_charge_file, check_cluster_file, check_slice_track_file};
use tasks::algorithm::Algorithm;
use tasks::data_set::{DataSet, DataSetInfo, TaskInput};

use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_gather::TpcGather;
use crate::tpc_merge::TpcMerge;
use pages::TpcPages;

const TRACKS: &str = "  bench generate tracks --tracks 1M --out tracks.bin
  bench generate tracks --tracks 20k --ids shuffled --out tracks.csv.gz";

const CLUSTERS: &str = "  bench generate clusters --scale 0.01 --out clusters.bin
  bench generate clusters --tracks 20k --fewest 1 --most 300 --row-clusters 50 --out clusters.bin.gz";

/// All data sets.
pub(crate) const DATA_SETS: &[&dyn DataSet] = &[
    &TpcPages,
    &TaskInput {
        info: DataSetInfo {
            name: "tracks",
            summary: "Write slice tracks of the TPC with their relations and links to a file",
            endings: ".csv or .bin, with .gz to compress",
            examples: TRACKS,
        },
        algorithm: TpcMerge,
        check: |_, out| check_slice_track_file(out),
        describe: |tracks| {
            let notes = TpcMerge.notes(tracks).join("; ");
            format!("{} slice tracks ({notes})", tracks.len())
        },
    },
    &TaskInput {
        info: DataSetInfo {
            name: "clusters",
            summary: "Write compressed clusters of the TPC in pieces to a file",
            endings: ".bin, with .gz to compress",
            examples: CLUSTERS,
        },
        algorithm: TpcGather,
        check: |_, out| check_cluster_file(out),
        describe: |clusters| TpcGather.notes(clusters).join("; "),
    },
    &TaskInput {
        info: DataSetInfo {
            name: "charges",
            summary: "Write charges of the TPC, with labels of particles if wanted, to a file",
            endings: ".cases, with .gz to compress",
            examples: "",
        },
        algorithm: TpcClusterFinder,
        check: |_, out| check_charge_file(out),
        describe: |charges| {
            let samples = charges.samples();
            let sectors = charges.cases().len();
            format!("{samples} samples of {sectors} sectors")
        },
    },
];
