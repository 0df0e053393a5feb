//! `bench mixed`: several tasks on one node, alone, in pairs and together.

use files::{LARGEST_DOCUMENT, read_text};
use reports::mixed::MixedTable;
use reports::table::Tabular;
use text::Untrusted;

use super::present::{say_findings, say_if_interrupted};
use super::refuse_development_build;
use crate::document::InvalidDocument;
use crate::failure::{Exit, Failure};
use crate::mixed::{self, MixPlan, MixedOutcome, Session};
use crate::platform::Interrupt;
use crate::request::MixedRequest;

pub(super) fn run(request: &MixedRequest) -> Result<Exit, Failure> {
    let path = &request.mix;
    let text = read_text(path, LARGEST_DOCUMENT);
    let text = text.map_err(|source| Failure::Read { path: path.clone(), source })?;
    let mix = mixed::parse(&path.escaped().to_string(), &text)?;
    let planned = MixPlan::new(request, mix)?;
    refuse_development_build()?;
    let interrupt = Interrupt::listen();
    let log = |text: &str| super::log(request.quiet, text);
    let outcome = Session::run(request, &planned, &interrupt, &log)?;
    present(&outcome, request)
}

/// Reads a mix without measuring anything; `path` is for messages.
///
/// # Errors
/// All its problems.
pub(crate) fn check_mix(path: &str, text: &str) -> Result<(), InvalidDocument> {
    mixed::parse(path, text).map(drop)
}

/// Prints the tables of a run.
fn present(outcome: &MixedOutcome, request: &MixedRequest) -> Result<Exit, Failure> {
    let MixedOutcome { run, result } = outcome;
    let table = MixedTable { run: &run.record, result };
    super::put(&request.format, |format, screen| Ok(table.render(format, screen)?))?;
    say_if_interrupted(run.interrupted, run.path());
    say_findings(&run.record);
    super::log(request.quiet, &format!("results: {}", run.path().escaped()));
    Ok(run.exit())
}
