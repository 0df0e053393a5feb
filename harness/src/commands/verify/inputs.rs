//! What variants are checked on.

use std::path::Path;

use algorithms::task::{Case, Task};

use crate::failure::Failure;
use crate::request::VerifyRequest;

/// An input with its name.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) case: Box<dyn Case>,
}

/// The file that was asked for, or the hard inputs of each seed.
pub(super) fn of(
    task: &'static dyn Task,
    request: &VerifyRequest,
) -> Result<Box<dyn Iterator<Item = Input>>, Failure> {
    match &request.input {
        Some(path) => Ok(Box::new(of_file(task, path, request)?.into_iter())),
        None => Ok(Box::new(hard(task, request))),
    }
}

/// A file, once for each combination of what was said about it.
fn of_file(task: &dyn Task, path: &Path, request: &VerifyRequest) -> Result<Vec<Input>, Failure> {
    let options = request.options.only(task.file_axes()).combinations();
    let inputs = options.into_iter().map(|options| {
        Ok(Input {
            name: path.display().to_string(),
            case: task.read(path, &options)?,
        })
    });
    inputs.collect()
}

fn hard(task: &'static dyn Task, request: &VerifyRequest) -> impl Iterator<Item = Input> + use<> {
    let most = request.most_items;
    let inputs = request.seeds.clone().into_iter().flat_map(move |seed| {
        let cases = task.hard_cases(seed).into_iter();
        cases.map(move |(name, case)| Input {
            name: format!("seed {seed}, {name}"),
            case,
        })
    });
    inputs.filter(move |input| input.case.work().items <= most)
}
