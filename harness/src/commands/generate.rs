//! `bench generate`

use crate::failure::{Exit, Failure};
use crate::request::GenerateRequest;

pub(super) fn run(request: &GenerateRequest) -> Result<Exit, Failure> {
    let GenerateRequest { data, axes, seed, out, .. } = request;
    let params = axes.combinations().pop().unwrap_or_default();
    let (plan, write) = data.plan(params, *seed, out)?;
    crate::plan::check_memory(&plan)?;
    write(&super::say)?;
    Ok(Exit::Success)
}
