//! `bench generate sts`

use std::path::Path;

use algorithms::algorithm::Algorithm;
use algorithms::sts_sort::{SEGMENTS, StsSort};
use generators::io::{check_writable, write_digis};

use crate::failure::{Exit, Failure};
use crate::request::AxisValues;

pub(super) fn run(axes: &AxisValues, seed: u64, out: &Path) -> Result<Exit, Failure> {
    let params = axes.combinations().pop().unwrap_or_default();
    let plan = StsSort.plan(params)?;
    crate::plan::check_memory(&plan)?;
    let segments = SEGMENTS.of(&plan.params)?;
    check_writable(out, segments)?;
    let digis = StsSort.generate(&plan.params, seed)?;
    write_digis(out, &digis)?;
    super::say(&format!(
        "{} digis in {} segments written to {}",
        digis.digis().len(),
        digis.partition().segments(),
        out.display()
    ));
    Ok(Exit::Success)
}
