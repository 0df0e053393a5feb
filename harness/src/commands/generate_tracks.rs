//! `bench generate tracks`

use std::path::Path;

use algorithms::algorithm::Algorithm;
use algorithms::tpc_merge::TpcMerge;
use generators::io::{check_slice_track_file, write_slice_tracks};

use crate::failure::{Exit, Failure};
use crate::request::AxisValues;

pub(super) fn run(axes: &AxisValues, seed: u64, out: &Path) -> Result<Exit, Failure> {
    let params = axes.combinations().pop().unwrap_or_default();
    let plan = TpcMerge.plan(params)?;
    crate::plan::check_memory(&plan)?;
    check_slice_track_file(out)?;
    let tracks = TpcMerge.generate(&plan.params, seed)?;
    write_slice_tracks(out, &tracks)?;
    let notes = TpcMerge.notes(&tracks).join("; ");
    let (count, out) = (tracks.len(), out.display());
    super::say(&format!("{count} slice tracks ({notes}) written to {out}"));
    Ok(Exit::Success)
}
