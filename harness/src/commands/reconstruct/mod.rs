//! `bench sts --clusters`, `--hits`: clusters and hits of one input, as files.

mod table;

use std::path::Path;

use algorithms::algorithm::Algorithm;
use algorithms::sts::Product;
use algorithms::sts::task::STS;
use reports::units::counted;

use super::write_output::{OutputJob, VariantChoice};
use crate::failure::{Exit, Failure};
use crate::request::ReconstructRequest;
use table::Table;

pub(super) fn run(request: &ReconstructRequest) -> Result<Exit, Failure> {
    let wanted = VariantChoice::One(|_| "online");
    let job = OutputJob::new(STS, &request.measuring, "--clusters and --hits", wanted)?;
    let input = job.input(&job.origin()?)?;
    STS.notes(&input).iter().for_each(|remark| super::say(remark));
    let products = job.output(&input)?;
    let found = products.iter().map(|product| match product {
        Product::Both(clusters, hits) => (clusters.as_ref(), hits.as_ref()),
        _ => unreachable!("the check of the chain accepts clusters with hits only"),
    });
    let (clusters, hits): (Vec<_>, Vec<_>) = found.unzip();
    for (out, thing, products) in
        [(&request.found.clusters, "cluster", clusters), (&request.found.hits, "hit", hits)]
    {
        if let Some(out) = out {
            let rows = write(out, &products)?;
            job.report(&counted(rows, thing), out);
        }
    }
    Ok(Exit::Success)
}

/// Writes the clusters or hits of all timeslices. Returns their number.
fn write(out: &Path, products: &[&Product]) -> Result<usize, Failure> {
    let table = Table::from_timeslices(products);
    files::write_by(out, |file| table.write(file)).map_err(Failure::writing(out))?;
    Ok(table.len())
}
