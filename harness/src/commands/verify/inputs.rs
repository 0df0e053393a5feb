//! What variants are checked on.

use algorithms::axis::Params;
use algorithms::task::{Case, Task};

use crate::cli::VerifyRequest;
use crate::failure::Failure;

/// Checking each access takes hundreds of times as long: inputs with more
/// items are left to the other checks.
const MOST_ITEMS_FOR_RACES: u64 = 13_000;

/// An input with its name.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) case: Box<dyn Case>,
}

/// The file that was asked for, or the hard inputs of each seed.
pub(super) fn of(
    task: &'static dyn Task,
    request: &VerifyRequest,
) -> Result<impl Iterator<Item = Input>, Failure> {
    let file = request.input.as_ref().map(|path| {
        let (name, case) = (
            path.display().to_string(),
            task.read(path, &Params::default())?,
        );
        Ok::<_, Failure>(Input { name, case })
    });
    let file = file.transpose()?;
    let seeds: &[u64] = if file.is_some() { &[] } else { &request.seeds };
    let races = request.races;
    let hard = seeds.iter().flat_map(move |&seed| {
        let cases = task.hard_cases(seed).into_iter();
        let cases = cases.map(move |(name, case)| Input {
            name: format!("seed {seed}, {name}"),
            case,
        });
        cases.filter(move |input| !races || input.case.work().items <= MOST_ITEMS_FOR_RACES)
    });
    Ok(file.into_iter().chain(hard))
}
