//! `bench cluster-finder --clusters`: what is found in the charges of a file.

use std::io::{self, Write};

use algorithms::algorithm::{Algorithm, Variant};
use algorithms::device::{Device, Team};
use algorithms::tpc_cluster_finder::{Charges, Clusters, RowCluster, TpcClusterFinder};
use reports::units::counted;
use text::Foreign;

use crate::failure::{Exit, Failure};
use crate::platform::gpus::{Gpus, problem_of, usable_devices};
use crate::request::{FindRequest, Settings, Source};

/// Who finds them if nobody is named.
const DEFAULT_VARIANT: &str = "published";
const COLUMNS: [&str; 10] =
    ["case", "row", "pad", "time", "sigma_pad", "sigma_time", "q_max", "q_tot", "flags", "labels"];

pub(super) fn run(request: &FindRequest) -> Result<Exit, Failure> {
    let (settings, out) = (&request.measuring.settings, &request.clusters);
    let Source::File { path, options } = &request.measuring.source else {
        return Err(Failure::Usage("--clusters needs --input".into()));
    };
    let (device, variant) = choice(settings)?;
    let options = options.combinations().into_iter().next().unwrap_or_default();
    let (charges, _) = TpcClusterFinder.read(path, &options)?;
    let team = Team::new(settings.thread_counts()[0].all)?;
    let gpus = Gpus::default();
    let place = gpus.place(device, &team).map_err(|problem| {
        Failure::NothingMeasured(format!("{device} can't be used: {problem}"))
    })?;
    let found = variant.checked_output(&TpcClusterFinder, &charges, &place, None);
    let found =
        found.map_err(|problem| Failure::WrongOutput(format!("{}: {problem}", variant.name)))?;
    files::write_by(out, |file| write(file, &charges, &found)).map_err(Failure::writing(out))?;
    super::say(&format!("{} written to {}", counted(found.len(), "cluster"), out.shown()));
    Ok(Exit::Success)
}

/// The one variant that is asked for, and where it runs: on the first of the devices that has it.
fn choice(settings: &Settings) -> Result<(Device, Variant<TpcClusterFinder>), Failure> {
    let names = match settings.variants.as_slice() {
        [] => vec![DEFAULT_VARIANT.to_owned()],
        names => names.to_vec(),
    };
    let devices = match settings.devices.as_slice() {
        [] => usable_devices(),
        devices => devices.to_vec(),
    };
    for &device in &devices {
        if let Some(reason) = problem_of(device) {
            return Err(Failure::NothingMeasured(format!("{device} can't be used: {reason}")));
        }
        match *super::variants_on(device.backend(), &TpcClusterFinder, &names)? {
            [] => {}
            [variant] => return Ok((device, variant)),
            ref several => {
                return Err(Failure::Usage(format!(
                    "--clusters are found by one variant; --variant {} names {} on {device}",
                    names.join(",").shown(),
                    several.len()
                )));
            }
        }
    }
    let devices: Vec<_> = devices.iter().map(Device::to_string).collect();
    Err(Failure::Usage(format!(
        "--variant {} names none on {}; say where it runs with --device",
        names.join(",").shown(),
        devices.join(", ")
    )))
}

/// Writes clusters in the order of cases, rows and their own, with their labels in one field.
fn write(file: &mut dyn Write, charges: &Charges, found: &Clusters) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    table.write_record(COLUMNS)?;
    for (number, RowCluster { case, row, cluster }) in found.iter().enumerate() {
        let name = charges.cases()[*case as usize].name.as_str();
        let (pad, time) = (cluster.pad.into(), cluster.time());
        let (sigma_pad, sigma_time) = (cluster.sigma_pad.into(), cluster.sigma_time.into());
        let (qmax, qtot) = (cluster.qmax.into(), cluster.qtot.into());
        let numbers = [pad, time, sigma_pad, sigma_time, qmax, qtot, cluster.flags().into()];
        let labels = found.labels.as_ref().map_or(&[][..], |labels| labels.of(number));
        let labels: Vec<_> = labels.iter().map(u64::to_string).collect();
        table.serialize((name, row, numbers, labels.join(" ")))?;
    }
    table.flush()
}
