//! `bench cluster-finder --clusters`: clusters of one input, as a file.

use std::io::{self, Write};

use algorithms::tpc_cluster_finder::{Charges, Clusters, RowCluster, TpcClusterFinder};
use reports::units::counted;

use super::write_output::{OutputJob, VariantChoice};
use crate::failure::{Exit, Failure};
use crate::request::FindRequest;

const COLUMNS: [&str; 10] =
    ["case", "row", "pad", "time", "sigma_pad", "sigma_time", "q_max", "q_tot", "flags", "labels"];

pub(super) fn run(request: &FindRequest) -> Result<Exit, Failure> {
    let out = &request.clusters;
    let wanted = VariantChoice::One(|_| "published");
    let job = OutputJob::new(TpcClusterFinder, &request.measuring, "--clusters", wanted)?;
    let charges = job.input(&job.origin()?)?;
    let found = job.output(&charges)?;
    files::write_by(out, |file| write(file, &charges, &found)).map_err(Failure::writing(out))?;
    job.report(&counted(found.len(), "cluster"), out);
    Ok(Exit::Success)
}

/// Writes clusters in the order of cases, rows and their own, with their labels in one field.
fn write(file: &mut dyn Write, charges: &Charges, found: &Clusters) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    table.write_record(COLUMNS)?;
    for (number, RowCluster { case, row, cluster }) in found.iter().enumerate() {
        let name = charges.cases()[*case as usize].name.as_str();
        let pad = cluster.pad.into();
        let time = cluster.time();
        let sigma_pad = cluster.sigma_pad.into();
        let sigma_time = cluster.sigma_time.into();
        let qmax = cluster.qmax.into();
        let qtot = cluster.qtot.into();
        let numbers = [pad, time, sigma_pad, sigma_time, qmax, qtot, cluster.flags().into()];
        let labels = found.labels.as_ref().map_or(&[][..], |labels| labels.list(number));
        let labels: Vec<_> = labels.iter().map(u64::to_string).collect();
        table.serialize((name, row, numbers, labels.join(" ")))?;
    }
    table.flush()
}
