//! Raw data of the STS as files: the lab's own, or timeslice archives of FLESnet.

use std::path::Path;

use generators::DataError;
use generators::io::{ArchiveShape, check_raw_file, is_archive_name, write_archive};
use text::Untrusted;

use super::{DataSet, DataSetInfo, Write};
use crate::algorithm::{Algorithm, Plan};
use crate::axis::{Axis, Flag, NO, Params, Switch, axes};
use crate::sts_raw_shape;
use crate::sts_unpack::{StsUnpack, axes as raw_axes};

axes! {
    OF_ARCHIVES {
        ZSTD: Switch = Flag::switch("zstd").or(NO) =>
            "Compress timeslice archives (.tsa) by zstd";
        SPLIT: u64 = Flag::count("split").or("1") =>
            "Timeslices of each archive, for names with %n, the number of an archive";
    }
}

/// Raw data, with the tables of their boards next to them.
pub(super) struct StsRaw;

impl DataSet for StsRaw {
    fn info(&self) -> DataSetInfo {
        DataSetInfo {
            name: "sts-raw",
            summary: "Write raw data of the STS to a file, with the tables of its boards next to it",
            endings: ".bin, with .gz to compress, or .tsa for archives of FLESnet",
        }
    }

    fn axes(&self) -> Vec<&'static Axis> {
        StsUnpack.info().axes.iter().chain(OF_ARCHIVES).collect()
    }

    fn plan<'a>(
        &'a self,
        params: Params,
        seed: u64,
        out: &'a Path,
    ) -> Result<(Plan, Write<'a>), DataError> {
        let zstd = ZSTD.given(&params)?.is_some_and(|Switch(zstd)| zstd);
        let split = SPLIT.given(&params)?.unwrap_or(1);
        let mut of_data = params;
        of_data.remove(OF_ARCHIVES);
        let is_archive = is_archive_name(out);
        if !is_archive {
            check_raw_file(out)?;
        }
        if zstd && !is_archive {
            let problem = "--zstd is for archives: name the file .tsa, or .bin.gz without it";
            return Err(DataError::Shape(problem.to_owned()));
        }
        let plan = StsUnpack.plan(of_data)?;
        let params = plan.params.clone();
        let write = move |say: &dyn Fn(&str)| {
            let input = StsUnpack.generate(&params, seed)?;
            if is_archive {
                let duration_ns = sts_raw_shape::shape(&params)?.scenario.timeslice_ns;
                let shape = ArchiveShape { zstd, duration_ns, timeslices_of_file: split };
                raw_axes::write_tables(&input, out)?;
                write_archive(out, input.data(), shape)?;
            } else {
                StsUnpack.write(&input, out)?;
            }
            let what = StsUnpack.notes(&input).join("; ");
            say(&format!("{what} written to {}", out.escaped()));
            Ok(())
        };
        Ok((plan, Box::new(write)))
    }
}
