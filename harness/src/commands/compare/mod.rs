//! `bench compare`: a run and an earlier one.

mod confirm;
mod points_suite;

use std::fs;
use std::path::{Path, PathBuf};

use reports::compare::render::{RenderError, render};
use reports::compare::{Comparison, Measured, Terms, Verdict, compare};
use reports::history::{Series, Store};
use reports::store::{StoreError, read_run, read_summary};

use crate::cli::CompareRequest;
use crate::failure::{Exit, Failure};

pub(super) fn run(request: &CompareRequest) -> Result<Exit, Failure> {
    let (base, new) = folders(request)?;
    let (base, new) = read_both(&base, &new)?;
    let terms = Terms {
        thresholds: request.thresholds,
        across_machines: request.across_machines,
    };
    let mut comparison = compare(&base, &new, &terms)?;
    if request.confirm {
        confirm::confirm(&mut comparison, request)?;
    }
    comparison.gate = gate(&request.store, &new.record.machine_key);
    present(request, &comparison)?;
    Ok(match comparison.count(Verdict::Slower) {
        0 => Exit::Success,
        _ => Exit::Regression,
    })
}

/// The folders of both runs. `latest` and `accepted` are those of the other
/// run's series.
fn folders(request: &CompareRequest) -> Result<(PathBuf, PathBuf), Failure> {
    let new_is_folder = Path::new(&request.new).is_dir();
    if new_is_folder || Path::new(&request.base).is_dir() {
        let (first, second) = match new_is_folder {
            true => (&request.new, &request.base),
            false => (&request.base, &request.new),
        };
        let given = PathBuf::from(first);
        let series = Series::of(&read_run(&given)?, &read_summary(&given)?);
        let other = folder(second, &request.store, Some(&series))?;
        return Ok(match new_is_folder {
            true => (other, given),
            false => (given, other),
        });
    }
    let new = folder(&request.new, &request.store, None)?;
    let series = Series::of(&read_run(&new)?, &read_summary(&new)?);
    Ok((folder(&request.base, &request.store, Some(&series))?, new))
}

/// A folder as such, or the name of a run in the store.
fn folder(name: &str, store: &Path, series: Option<&Series>) -> Result<PathBuf, Failure> {
    let path = PathBuf::from(name);
    if path.is_dir() {
        return Ok(path);
    }
    if name.contains(['/', '.']) {
        return Err(StoreError::NoRun(path).into());
    }
    Ok(Store::open(store)?.resolve(name, series)?)
}

/// Both at once: reading takes longer than comparing.
fn read_both(base: &Path, new: &Path) -> Result<(Measured, Measured), StoreError> {
    let (base, new) = std::thread::scope(|scope| {
        let base = scope.spawn(|| Measured::read(base));
        let new = Measured::read(new);
        (base.join(), new)
    });
    let base = base.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok((base?, new?))
}

/// How often the gate errs on the machine. Nobody needs a store to compare.
fn gate(store: &Path, machine_key: &str) -> Option<reports::record::SelfTest> {
    Store::open(store).ok()?.self_test(machine_key).ok()?
}

fn present(request: &CompareRequest, comparison: &Comparison) -> Result<(), Failure> {
    for (format, path) in &request.files {
        let text = render(*format, comparison, request.listing)?;
        fs::write(path, text).map_err(|source| Failure::Write {
            path: path.clone(),
            source,
        })?;
    }
    let text: Result<_, RenderError> = render(request.format, comparison, request.listing);
    super::print(&text?)
}
