//! `bench run`: a suite.

mod dry_run;
mod earlier;
mod measure;
mod merge;

use super::open_suite;
use crate::cli::SuiteRequest;
use crate::failure::{Exit, Failure};
use crate::suite::Suite;

pub(super) fn run(request: &SuiteRequest) -> Result<Exit, Failure> {
    let suite = open_suite(&request.suite, &request.plugins)?;
    if !request.merge.is_empty() {
        return merge::run(&suite, request);
    }
    let suite = part(suite, request)?;
    if request.dry_run {
        super::print(&dry_run::describe(&suite, request))?;
        return Ok(Exit::Success);
    }
    measure::run(suite, request)
}

/// The shard that was asked for, or the whole suite.
fn part(suite: Suite, request: &SuiteRequest) -> Result<Suite, Failure> {
    let Some(shard) = request.shard else {
        return Ok(suite);
    };
    let suite = suite.shard(shard);
    if suite.parts.is_empty() {
        let name = &suite.name;
        let reason = format!("nothing was measured: {name} has fewer inputs than shards ({shard})");
        return Err(Failure::NothingMeasured(reason));
    }
    Ok(suite)
}
