//! `bench generate sts-physics`

use std::path::{Path, PathBuf};

use algorithms::algorithm::Plan;
use algorithms::sts_scenario;
use generators::DataError;
use generators::io::{beside, check_writable, stem, write_digis, write_setup, write_truth};
use generators::sts::physics::Simulation;

use crate::failure::{Exit, Failure};
use crate::request::{SimulationRequest, TruthFiles};

pub(super) fn run(request: &SimulationRequest) -> Result<Exit, Failure> {
    let mut params = request.axes.combinations().pop().unwrap_or_default();
    params.complete(sts_scenario::AXES);
    let scenario = sts_scenario::scenario(&params)?;
    check_writable(&request.out, scenario.segments())?;
    let simulation = Simulation::new(&scenario, request.seed)?;
    crate::plan::check_memory(&Plan {
        params,
        memory_bytes: simulation.estimate().memory_bytes,
    })?;
    let setup = beside(&request.out, "setup.json");
    write_setup(&setup, simulation.setup())?;
    for number in 0..scenario.timeslices {
        let out = name_of(&request.out, number, scenario.timeslices);
        super::say(&write(&simulation, number, request.truth, &out)?);
    }
    super::say(&format!("setup written to {}", setup.display()));
    Ok(Exit::Success)
}

/// Writes a timeslice; returns what to say about it.
fn write(
    simulation: &Simulation,
    number: u32,
    truth: TruthFiles,
    out: &Path,
) -> Result<String, DataError> {
    let simulated = simulation.timeslice(number);
    write_digis(out, &simulated.digis)?;
    if truth == TruthFiles::Written {
        write_truth(out, &simulated.truth)?;
    }
    Ok(format!(
        "{} digis of {} crossings in {} segments written to {}",
        simulated.digis.digis().len(),
        simulated.truth.crossings().len(),
        simulated.digis.partition().segments(),
        out.display()
    ))
}

/// The file of a timeslice: numbered, with as many digits as the last one needs, if
/// there are several.
fn name_of(out: &Path, number: u32, timeslices: u32) -> PathBuf {
    if timeslices == 1 {
        return out.to_owned();
    }
    let digits = (timeslices - 1).to_string().len();
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem(out);
    let ending = name.strip_prefix(&stem).unwrap_or_default();
    out.with_file_name(format!("{stem}-{number:0digits$}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_timeslices_are_numbered() {
        let name = |out: &str, number, timeslices| name_of(Path::new(out), number, timeslices);
        assert_eq!(name("a/d.csv", 0, 1), Path::new("a/d.csv"));
        assert_eq!(name("a/d.csv", 3, 20), Path::new("a/d-03.csv"));
        assert_eq!(name("d.bin.gz", 9, 10), Path::new("d-9.bin.gz"));
    }
}
