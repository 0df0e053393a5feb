//! `bench generate`

use crate::failure::{Exit, Failure};
use crate::request::{GenerateRequest, is_only_tried};

pub(super) fn run(request: &GenerateRequest) -> Result<Exit, Failure> {
    let GenerateRequest { data, seed, out, .. } = request;
    let small = is_only_tried().then(|| request.axes.made_small(data.axes()));
    let axes = small.as_ref().unwrap_or(&request.axes);
    let params = axes.combinations().pop().unwrap_or_default();
    let (plan, write) = data.plan(params, *seed, out)?;
    crate::plan::check_memory(&plan)?;
    write(&super::say)?;
    Ok(Exit::Success)
}
