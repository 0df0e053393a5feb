//! `bench compare`: a run and an earlier one.

mod confirm;

use std::path::{Path, PathBuf};
use std::thread::{self, Builder};

use reports::compare::render::{Listing, render};
use reports::compare::{
    CompareOptions, Comparison, EnergyChange, Measured, QualityChange, Verdict, compare,
};
use reports::store::StoreError;
use reports::table::Format;

use super::runs::{self, StoreContext};
use crate::failure::{Exit, Failure};
use crate::paired;
use crate::platform::Interrupt;
use crate::request::{CompareRequest, FailOn, Outputs, Verdicts};
use confirm::{Confirmation, Confirmed, Runs};

pub(super) fn run(request: &CompareRequest) -> Result<Exit, Failure> {
    let (base, new) = folders(request)?;
    let (mut base, mut new) = read_both(&base, &new)?;
    let mut background = StoreContext::read(&request.store, &new);
    let points = request.points.filter();
    base.keep(&points);
    new.keep(&points);
    let options = CompareOptions {
        thresholds: request.judging.thresholds(),
        across_machines: request.judging.across_machines,
        flags: request.given.clone(),
        scatter: background.scatter.take(),
    };
    let mut comparison = compare(&base, &new, &options)?;
    background.annotate(&mut comparison);
    let mut confirmed = Confirmed::Done;
    if request.confirm {
        let fingerprint = &base.record.software.fingerprint;
        let kept = || paired::base::executable(fingerprint, &request.store);
        let base_bench = request.base_bench.clone().or_else(kept);
        let interrupt = Interrupt::listen();
        let confirmation = Confirmation {
            request,
            base_bench: base_bench.as_deref(),
            options: &options,
            interrupt: &interrupt,
        };
        confirmed = confirmation.confirm(&mut comparison, Runs { base: &base, new: &new });
    }
    show(&comparison, &request.format, request.listing)?;
    Ok(match (confirmed, exit(&comparison, request.judging.fail_on)) {
        (Confirmed::Interrupted, _) => Exit::Interrupted,
        // The requested confirmation was not possible.
        (Confirmed::Impossible, Exit::Success) => Exit::NothingMeasured,
        (_, exit) => exit,
    })
}

/// Compares both sides of a paired run.
pub(super) fn judged(
    base: &Path,
    new: &Path,
    options: &CompareOptions,
) -> Result<Comparison, Failure> {
    let base = Measured::read(base)?;
    let new = Measured::read(new)?;
    Ok(compare(&base, &new, options)?)
}

/// The exit code of a comparison. A wrong output comes first, then a regression of time or quality,
/// then points that could not be judged.
pub(super) fn exit(comparison: &Comparison, fail_on: FailOn) -> Exit {
    let not_clear = comparison.count(Verdict::Inconclusive);
    let found = comparison.count(Verdict::Slower)
        + comparison.count_quality(QualityChange::Worse)
        + match fail_on {
            FailOn::Slower => 0,
            FailOn::Inconclusive => not_clear,
            FailOn::Energy => comparison.count_energy(EnergyChange::More),
        };
    if comparison.wrong().next().is_some() {
        Exit::WrongOutput
    } else if found > 0 {
        Exit::Regression
    } else if !comparison.unjudged().is_empty() {
        Exit::NothingMeasured
    } else {
        Exit::Success
    }
}

/// Returns the folders of both runs. `latest` and `accepted` refer to the other run's series.
fn folders(request: &CompareRequest) -> Result<(PathBuf, PathBuf), Failure> {
    let base = Path::new(&request.base);
    let new = Path::new(&request.new);
    let store = &request.store;
    if base.is_dir() && !new.is_dir() {
        let new = runs::folder(new, store, Some(&runs::series(base)?))?;
        return Ok((base.to_owned(), new));
    }
    let new = runs::folder(new, store, None)?;
    let base = runs::folder(base, store, Some(&runs::series(&new)?))?;
    Ok((base, new))
}

/// Both at once: reading takes longer than comparing.
fn read_both(base: &Path, new: &Path) -> Result<(Measured, Measured), StoreError> {
    let (base, new) = thread::scope(|scope| {
        let reading = Builder::new().spawn_scoped(scope, || Measured::read(base));
        let new = Measured::read(new);
        let base = match reading {
            Ok(reading) => reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // The system gives no thread.
            Err(_) => Measured::read(base),
        };
        (base, new)
    });
    Ok((base?, new?))
}

/// Prints a comparison, and writes it to files.
pub(super) fn show(
    comparison: &Comparison,
    outputs: &Outputs<Verdicts>,
    listing: Listing,
) -> Result<(), Failure> {
    super::put(outputs, |format, screen| {
        let text = render(format, comparison, listing, screen)?;
        Ok(match format {
            Format::Table => screen.paint.verdicts(&text),
            _ => text,
        })
    })
}
