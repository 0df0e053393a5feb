//! `bench generate clusters`

use std::path::Path;

use algorithms::algorithm::Algorithm;
use algorithms::tpc_gather::TpcGather;
use generators::io::{check_cluster_file, write_clusters};

use crate::failure::{Exit, Failure};
use crate::request::AxisValues;

pub(super) fn run(axes: &AxisValues, seed: u64, out: &Path) -> Result<Exit, Failure> {
    let params = axes.combinations().pop().unwrap_or_default();
    let plan = TpcGather.plan(params)?;
    crate::plan::check_memory(&plan)?;
    check_cluster_file(out)?;
    let clusters = TpcGather.generate(&plan.params, seed)?;
    write_clusters(out, &clusters)?;
    let notes = TpcGather.notes(&clusters).join("; ");
    let out = out.display();
    super::say(&format!("{notes} written to {out}"));
    Ok(Exit::Success)
}
