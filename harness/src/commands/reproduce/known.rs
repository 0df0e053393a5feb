//! Missing tasks, variants and axes of published figures.

use algorithms::registry;
use reports::published::{Figure, Value};
use text::Untrusted;

use crate::plan::select_variants;
use crate::request::values::instead_of;

/// Tasks and variants of figures that are not here, each once.
pub(super) fn problems(figures: &[Figure]) -> Vec<String> {
    let mut problems: Vec<String> = Vec::new();
    // Streams are no tasks.
    for figure in figures.iter().filter(|figure| figure.stream.is_none()) {
        for value in &figure.values {
            if let Some(problem) = problem(value) {
                let problem = format!("{}: {problem}", figure.id);
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
        }
    }
    problems
}

fn problem(wanted: &Value) -> Option<String> {
    // Series that were only published have no counterpart.
    if wanted.task.is_empty() {
        return None;
    }
    let Some(task) = registry::task(&wanted.task) else {
        let known: Vec<_> = registry::tasks().iter().map(|task| task.name()).collect();
        let instead = instead_of(&wanted.task, &known);
        return Some(format!("unknown task {}; {instead}", wanted.task.quoted()));
    };
    let infos = task.variants();
    if let Err(unknown) = select_variants(&infos, std::slice::from_ref(&wanted.variant)) {
        return Some(unknown);
    }
    let backend = wanted.device.split('+').next().unwrap_or_default();
    let runs_there =
        infos.iter().any(|info| info.name == wanted.variant && info.backend.to_string() == backend);
    (!runs_there)
        .then(|| format!("no variant {} of {} for {}", wanted.variant, wanted.task, wanted.device))
}
