//! Data that can be generated and written to files.
//!
//! Most are inputs of a task. `sts` and `tpc_pages` write more than one file, or more than fits
//! into memory at once.

mod sts;
mod tpc_pages;

use std::path::Path;

use generators_common::DataError;
use generators_sts::io::check_writable;
use generators_tpc::io::{check_charge_file, check_cluster_file, check_slice_track_file};
use text::Untrusted;

use crate::algorithm::{Algorithm, Plan};
use crate::axis::{Axis, Params};
use crate::sts_sort::{SEGMENTS, StsSort};
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_gather::TpcGather;
use crate::tpc_merge::TpcMerge;
use sts::{StsPhysics, StsRaw};
use tpc_pages::TpcPages;

/// Data that can be generated and written to a file.
pub trait DataSet: Sync {
    /// Description.
    fn info(&self) -> DataSetInfo;

    /// Parameters.
    fn axes(&self) -> Vec<&'static Axis>;

    /// Returns the memory that generating needs with complete parameters, and the function that
    /// generates, which is called once enough memory is available.
    ///
    /// # Errors
    /// If the parameters are invalid, or the file can't be written.
    fn plan<'a>(
        &'a self,
        params: Params,
        seed: u64,
        out: &'a Path,
    ) -> Result<(Plan, Write<'a>), DataError>;
}

/// Generates data and writes them. Calls its argument with messages about the written files.
pub type Write<'a> = Box<dyn FnOnce(&dyn Fn(&str)) -> Result<(), DataError> + 'a>;

/// Description of a data set.
#[derive(Clone, Copy, Debug)]
pub struct DataSetInfo {
    /// Name.
    pub name: &'static str,
    /// Contents of the file, in one line.
    pub summary: &'static str,
    /// File name endings that it supports.
    pub endings: &'static str,
}

static DATA_SETS: &[&dyn DataSet] = &[
    &TaskInput {
        info: DataSetInfo {
            name: "sts",
            summary: "Write STS digis to a file",
            endings: ".csv or .bin, with .gz to compress",
        },
        algorithm: StsSort,
        check: |params, out| check_writable(out, SEGMENTS.value(params)?),
        describe: |digis| {
            let count = digis.digis().len();
            let segments = digis.partition().segments();
            format!("{count} digis in {segments} segments")
        },
    },
    &StsPhysics,
    &StsRaw,
    &TpcPages,
    &TaskInput {
        info: DataSetInfo {
            name: "tracks",
            summary: "Write slice tracks of the TPC with their relations and links to a file",
            endings: ".csv or .bin, with .gz to compress",
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

/// All data sets in their listed order.
pub fn data_sets() -> &'static [&'static dyn DataSet] {
    DATA_SETS
}

/// The data set with this name.
pub fn data_set(name: &str) -> Option<&'static dyn DataSet> {
    let mut known = data_sets().iter().copied();
    known.find(|data| data.info().name == name)
}

/// The input of a task as a data set.
struct TaskInput<A: Algorithm> {
    info: DataSetInfo,
    algorithm: A,
    /// Checks that it can be written to such a file.
    check: fn(&Params, &Path) -> Result<(), DataError>,
    /// Describes its contents.
    describe: fn(&A::Input) -> String,
}

impl<A: Algorithm> DataSet for TaskInput<A> {
    fn info(&self) -> DataSetInfo {
        self.info
    }

    fn axes(&self) -> Vec<&'static Axis> {
        self.algorithm.info().axes.iter().collect()
    }

    fn plan<'a>(
        &'a self,
        params: Params,
        seed: u64,
        out: &'a Path,
    ) -> Result<(Plan, Write<'a>), DataError> {
        let plan = self.algorithm.plan(params)?;
        (self.check)(&plan.params, out)?;
        let params = plan.params.clone();
        let write = move |report: &dyn Fn(&str)| {
            let input = self.algorithm.generate(&params, seed)?;
            self.algorithm.write(&input, out)?;
            let what = (self.describe)(&input);
            report(&format!("{what} written to {}", out.escaped()));
            Ok(())
        };
        Ok((plan, Box::new(write)))
    }
}
