//! Digis of particles in the STS.

use std::path::{Path, PathBuf};

use generators::DataError;
use generators::io::{
    check_writable, name_bytes, next_to, sibling_path, stem, write_digis, write_setup, write_truth,
};
use generators::sts::physics::Simulation;
use text::Untrusted;

use super::{DataSet, DataSetInfo, Write};
use crate::algorithm::Plan;
use crate::axis::{Axis, Flag, Params, Switch, axes};
use crate::sts_scenario;

axes! {
    OWN_AXES {
        /// Writes the truth in addition to the digis.
        TRUTH: Switch = Flag::switch("truth") =>
            "Write where digis come from too: NAME.crossings.csv, NAME.sources.csv";
    }
}

/// Timeslices, a file each, with the setup of the detector in a file next to them.
pub(super) struct StsPhysics;

impl DataSet for StsPhysics {
    fn info(&self) -> DataSetInfo {
        DataSetInfo {
            name: "sts-physics",
            summary: "Write digis of simulated particles in the STS, with the detector's setup \
                      next to them",
            endings: ".csv or .bin, with .gz to compress; numbered if there are several timeslices",
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
