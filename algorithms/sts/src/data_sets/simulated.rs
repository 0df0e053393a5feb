//! Data of the STS: digis of particles, and raw data as the lab's own files or timeslice archives
//! of FLESnet.

use std::path::{Path, PathBuf};

use generators_common::DataError;
use generators_common::io::{name_bytes, next_to, sibling_path, stem};
use generators_sts::io::{
    ArchiveShape, check_raw_file, check_writable, is_archive_name, write_archive, write_digis,
    write_setup, write_truth,
};
use generators_sts::physics::Simulation;
use text::Untrusted;

use crate::sts_unpack::{StsUnpack, axes as raw_axes};
use crate::{sts_raw_shape, sts_scenario};
use tasks::algorithm::{Algorithm, Plan};
use tasks::axis::{Axis, Flag, NO, Params, Switch, axes};
use tasks::data_set::{DataSet, DataSetInfo, Write};

axes! {
    OWN_AXES {
        /// Writes the truth in addition to the digis.
        TRUTH: Switch = Flag::switch("truth") =>
            "Write where digis come from too: NAME.crossings.csv, NAME.sources.csv";
    }
}

/// Timeslices, a file each, with the setup of the detector in a file next to them.
pub(super) struct StsPhysics;

const PHYSICS_EXAMPLES: &str =
    "  bench generate sts-physics --preset cbm-auau --scale 0.1 --out digis.csv
  bench generate sts-physics --preset mcbm-2024 --scale 0.05 --truth --out digis.bin.gz
  bench generate sts-physics --rate 1MHz --noise 100Hz --threshold 5000 --out digis.csv";

const RAW_EXAMPLES: &str =
    "  bench generate sts-raw --preset mcbm-2024 --scale 0.01 --out d.ts.bin.gz
  bench generate sts-raw --scale 0.01 --damage 0.01 --out damaged.ts.bin
  bench generate sts-raw --microslice 10us --overlap 3 --epoch-order elink --out d.ts.bin";

impl DataSet for StsPhysics {
    fn info(&self) -> DataSetInfo {
        DataSetInfo {
            name: "sts-physics",
            summary: "Write digis of simulated particles in the STS, with the detector's setup \
                      next to them",
            endings: ".csv or .bin, with .gz to compress; numbered if there are several timeslices",
            examples: PHYSICS_EXAMPLES,
        }
    }

    fn axes(&self) -> Vec<&'static Axis> {
        sts_scenario::AXES.iter().chain(OWN_AXES).collect()
    }

    fn plan<'a>(
        &'a self,
        mut params: Params,
        seed: u64,
        out: &'a Path,
    ) -> Result<(Plan, Write<'a>), DataError> {
        params.complete(sts_scenario::AXES);
        let scenario = sts_scenario::scenario(&params)?;
        check_writable(out, scenario.segments())?;
        let truth = TRUTH.given(&params)?.unwrap_or(Switch(false));
        let simulation = Simulation::new(&scenario, seed)?;
        let plan = Plan { memory_bytes: simulation.estimate().memory_bytes, params };
        let write = move |report: &dyn Fn(&str)| {
            let setup = sibling_path(out, "setup.json");
            write_setup(&setup, simulation.setup())?;
            for index in 0..scenario.timeslices {
                let out = name_of(out, index, scenario.timeslices);
                report(&write(&simulation, index, truth, &out)?);
            }
            report(&format!("setup written to {}", setup.escaped()));
            Ok(())
        };
        Ok((plan, Box::new(write)))
    }
}

/// Writes a timeslice; returns a message about it.
fn write(
    simulation: &Simulation,
    index: u32,
    truth: Switch,
    out: &Path,
) -> Result<String, DataError> {
    let simulated = simulation.timeslice(index);
    write_digis(out, &simulated.digis)?;
    if truth.0 {
        write_truth(out, &simulated.truth)?;
    }
    Ok(format!(
        "{} digis of {} crossings in {} segments written to {}",
        simulated.digis.digis().len(),
        simulated.truth.crossings().len(),
        simulated.digis.partition().segments(),
        out.escaped()
    ))
}

/// File name of a timeslice: with its number if there are several, padded to the digits of the last
/// one.
fn name_of(out: &Path, index: u32, timeslices: u32) -> PathBuf {
    if timeslices == 1 {
        return out.to_owned();
    }
    let digits = (timeslices - 1).to_string().len();
    let stem = stem(out);
    let ending = &name_bytes(out)[stem.len()..];
    next_to(out, &[stem, format!("-{index:0digits$}").as_bytes(), ending])
}

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
            examples: RAW_EXAMPLES,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_several_timeslices_are_numbered() {
        let name = |out: &str, index, timeslices| name_of(Path::new(out), index, timeslices);
        assert_eq!(name("a/d.csv", 0, 1), Path::new("a/d.csv"));
        assert_eq!(name("a/d.csv", 3, 20), Path::new("a/d-03.csv"));
        assert_eq!(name("d.bin.gz", 9, 10), Path::new("d-9.bin.gz"));
    }
}
