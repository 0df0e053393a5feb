//! Inputs of verification, and reduction of an input on which a variant is wrong.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tasks::axis::Params;
use tasks::task::{Case, Task};
use text::Untrusted;

use super::Subject;
use crate::failure::Failure;
use crate::request::VerifyRequest;

/// Time limit of the search for a smaller input.
const PATIENCE: Duration = Duration::from_secs(20);

/// Folder of inputs on which a variant is wrong.
const FOLDER: &str = "results/verify";

/// An input with its name.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) case: Box<dyn Case>,
    /// Seed of a hard input; `None` for one from a file.
    pub(super) seed: Option<u64>,
}

/// File with a reduced input.
pub(super) struct ReducedInput {
    pub(super) path: PathBuf,
    /// Number of items.
    pub(super) items: u64,
}

/// Returns the requested file, or the hard inputs of each seed.
pub(super) fn for_task(
    task: &'static dyn Task,
    request: &VerifyRequest,
) -> Result<Box<dyn Iterator<Item = Input>>, Failure> {
    match &request.input {
        Some(path) => Ok(Box::new(of_file(task, path, request)?.into_iter())),
        None => Ok(Box::new(hard(task, request))),
    }
}

/// Returns the file as an input, once for each combination of its options.
fn of_file(task: &dyn Task, path: &Path, request: &VerifyRequest) -> Result<Vec<Input>, Failure> {
    let options = request.options.0.only(task.file_axes()).combinations();
    let inputs = options.into_iter().map(|options| {
        let case = task.read(&path.into(), &options)?;
        Ok(Input { name: path.escaped().to_string(), case, seed: None })
    });
    inputs.collect()
}

fn hard(task: &'static dyn Task, request: &VerifyRequest) -> impl Iterator<Item = Input> + use<> {
    let max_items = request.max_items_or_default();
    let inputs = request.input_seeds().flat_map(move |seed| {
        let cases = task.hard_cases(seed).into_iter();
        cases.map(move |(name, case)| {
            let name = format!("seed {seed}, {name}");
            Input { name, case, seed: Some(seed) }
        })
    });
    inputs.filter(move |input| input.case.work().items <= max_items)
}

/// Returns the smallest input found on which the variant is still wrong; `None` if it is the given
/// one. Delta debugging (Zeller and Hildebrandt 2002): removes a part, keeps the remainder if the
/// variant is still wrong, and continues.
pub(super) fn smallest(
    case: &dyn Case,
    is_wrong: impl Fn(&dyn Case) -> bool,
) -> Option<Box<dyn Case>> {
    let start = Instant::now();
    let mut smallest: Option<Box<dyn Case>> = None;
    loop {
        let current = smallest.as_deref().unwrap_or(case);
        let mut smaller = current.shrink();
        let next = smaller.find(|case| start.elapsed() < PATIENCE && is_wrong(case.as_ref()));
        drop(smaller);
        match next {
            Some(next) => smallest = Some(next),
            None => return smallest,
        }
    }
}

/// Writes an input to a file. Returns `None` if it can't be written, or if the variant is correct on
/// the file, which may lack details that are in memory.
pub(super) fn keep(
    subject: &Subject<'_>,
    case: &dyn Case,
    is_wrong: impl Fn(&dyn Case) -> bool,
) -> Option<ReducedInput> {
    let folder = Path::new(FOLDER);
    std::fs::create_dir_all(folder).ok()?;
    let device = subject.exec.device.to_string().replace(':', "");
    let task = subject.task.name();
    let variant = subject.info.name;
    let endings = subject.task.info().file_endings.iter();
    let mut paths =
        endings.map(|ending| folder.join(format!("{task}-{variant}-{device}.{ending}")));
    let path = paths.find(|path| case.write(path).is_ok())?;
    let read = subject.task.read(&path.as_path().into(), &Params::default()).ok()?;
    let items = read.work().items;
    is_wrong(read.as_ref()).then_some(ReducedInput { path, items })
}

#[cfg(test)]
mod tests {
    use crate::registry::task;
    use tasks::axis::Params;

    use super::*;

    fn case() -> Box<dyn Case> {
        let task = task("sort").expect("known");
        let mut params = Params::default();
        params.set("segments", "7");
        params.set("digis", "1000");
        let plan = task.plan(params).expect("a shape");
        task.generate(&plan.params, 1).expect("digis")
    }

    #[test]
    fn nothing_can_be_taken_from_the_smallest() {
        let case = case();
        let found = smallest(case.as_ref(), |case| case.work().items >= 3);
        assert_eq!(found.map(|case| case.work().items), Some(3));
    }

    #[test]
    fn what_is_wrong_only_as_a_whole_stays() {
        let case = case();
        assert!(smallest(case.as_ref(), |case| case.work().items == 1000).is_none());
    }
}
