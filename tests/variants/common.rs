//! Runs variants as the harness does.

use std::fs;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use flate2::read::GzDecoder;
use tasks::algorithm::Metric;
use tasks::device::{Backend, Device, Target};
use tasks::task::{Candidate, Case, Task};

/// Inputs of a task by name.
pub type Cases = Vec<(String, Box<dyn Case>)>;

/// Each task with its hard inputs. They are made on first use, as are their references, and shared
/// by all tests: some take longer to compute than a variant.
pub fn tasks_with_hard_cases() -> impl Iterator<Item = (&'static dyn Task, &'static Cases)> {
    static ALL: LazyLock<Vec<OnceLock<Cases>>> =
        LazyLock::new(|| tasks().iter().map(|_| OnceLock::new()).collect());
    let all = tasks().into_iter().zip(&*ALL);
    all.map(|(task, cases)| (task, cases.get_or_init(|| task.hard_cases(5))))
}

/// Provides fresh input, and poisons the results of earlier runs.
pub fn refresh(candidate: &mut dyn Candidate) {
    let fresh = candidate.reset().and_then(|()| candidate.poison());
    assert_eq!(fresh, Ok(()));
}

/// Inputs with a number of items in this range, the smallest first.
pub fn cases_with(items: RangeInclusive<u64>, cases: &Cases) -> Vec<&dyn Case> {
    let mut small: Vec<_> = cases.iter().map(|(_, case)| case.as_ref()).collect();
    small.retain(|case| items.contains(&case.work().items));
    small.sort_by_key(|case| case.work().items);
    small
}

/// Runs a candidate, checks its output, and calls `look` before its buffers are released.
fn check(
    mut candidate: Box<dyn Candidate + '_>,
    target: &Target<'_>,
    look: impl FnOnce(&mut dyn Candidate),
) -> Result<(), String> {
    candidate
        .reset()
        .and_then(|()| candidate.poison())
        .and_then(|()| target.team.run(|| candidate.run()))
        .map_err(|error| error.to_string())?;
    let checked = candidate.check().map_err(|error| error.to_string());
    look(candidate.as_mut());
    candidate.release();
    checked
}

/// Asserts that the task declares these metrics.
fn all_declared(task: &dyn Task, metrics: &[Metric]) {
    for metric in metrics {
        assert!(task.metrics().contains(metric.info), "{}: {:?}", task.name(), metric.info);
    }
}

/// Indices and names of a task's variants on a backend.
pub fn variants(task: &dyn Task, backend: Backend) -> Vec<(usize, &'static str)> {
    let all = task.variants().into_iter().enumerate();
    let of_backend = all.filter(|(_, variant)| variant.backend == backend);
    of_backend.map(|(index, variant)| (index, variant.name)).collect()
}

/// Checks all variants of a task that run on a target with an input; returns the numbers of
/// variants that ran and that refused.
pub fn check_all(task: &dyn Task, case: &dyn Case, target: &Target<'_>, on: &str) -> [usize; 2] {
    let mut counts = [0; 2];
    for (index, name) in variants(task, target.device.backend()) {
        // A variant may refuse an input shape; the caller asserts that some variants accept it.
        let Ok(candidate) = case.prepare(index, target) else {
            counts[1] += 1;
            continue;
        };
        counts[0] += 1;
        let declared = |candidate: &mut dyn Candidate| {
            all_declared(task, &case.work().metrics);
            let quality = candidate.quality().into_iter();
            all_declared(task, &quality.map(|quality| quality.metric).collect::<Vec<_>>());
            all_declared(task, &candidate.sample().map_or_else(Vec::new, |work| work.metrics));
            // On the emulator these would copy as much as a GPU does to measure its bandwidth.
            if target.device == Device::Cpu {
                all_declared(task, &candidate.figures().expect("figures"));
            }
        };
        assert_eq!(check(candidate, target, declared), Ok(()), "{name} on {on}");
    }
    counts
}

/// Reads a text, which is compressed if the file name ends in `.gz`.
pub fn text_of(path: &Path) -> String {
    let bytes = fs::read(path).expect("readable");
    let mut text = String::new();
    let read = if path.extension().is_some_and(|ending| ending == "gz") {
        GzDecoder::new(&bytes[..]).read_to_string(&mut text)
    } else {
        (&bytes[..]).read_to_string(&mut text)
    };
    read.expect("a text");
    text
}

/// All tasks.
pub(crate) fn tasks() -> Vec<&'static dyn Task> {
    recobench::TASKS.iter().flat_map(|set| set.tasks).copied().collect()
}
