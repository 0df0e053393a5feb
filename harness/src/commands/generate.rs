//! `bench generate`

use crate::failure::{Exit, Failure};
use crate::request::GenerateRequest;

pub(super) fn run(request: &GenerateRequest) -> Result<Exit, Failure> {
    let GenerateRequest { data, axes, seed, out, .. } = request;
    let params = axes.combinations().pop().expect("flags that are not given have one combination");
    let (plan, write) = data.plan(params, *seed, out)?;
    crate::plan::check_memory(&plan)?;
    write(&super::say)?;
    Ok(Exit::Success)
}
