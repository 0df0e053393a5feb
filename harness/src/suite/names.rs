//! Names in a suite that must be known: of axes, variants and keys.

use algorithms::axis::Axis;
use algorithms::task::Task;

use super::document::Entry;
use super::problems::Problems;
use crate::plan::select_variants;
use crate::request::suggestion::instead_of;

/// Notes a key that nobody reads.
pub(super) fn unknown_key(entry: Entry<'_>, place: &str, known: &[&str], problems: &mut Problems) {
    let (key, instead) = (entry.key, instead_of(entry.key, known));
    problems.add(
        entry.at,
        format!("unknown key \"{key}\" {place}; {instead}"),
    );
}

/// Notes an axis that a task does not have.
pub(super) fn unknown_axis(task: &dyn Task, entry: Entry<'_>, problems: &mut Problems) {
    let (key, name) = (entry.key, task.name());
    let known: Vec<_> = task.axes().iter().map(|axis| axis.name).collect();
    let instead = instead_of(key, &known);
    problems.add(
        entry.at,
        format!("unknown axis \"{key}\" of {name}; {instead}"),
    );
}

/// The axis of a task that a key names.
pub(super) fn axis(task: &dyn Task, key: &str) -> Option<&'static Axis> {
    task.axes().iter().find(|axis| axis.name == key)
}

/// The values of an axis in plain form, each once.
pub(super) fn axis_values(axis: &Axis, entry: Entry<'_>, problems: &mut Problems) -> Vec<String> {
    let mut plain = Vec::new();
    for word in entry.words(problems) {
        let parsed = axis.parse(&word.text).map_err(|error| {
            let (name, text) = (axis.name, &word.text);
            format!("{name} \"{text}\": {}", error.problem())
        });
        let value = problems.note(word.at, parsed);
        plain.extend(value.filter(|value| !plain.contains(value)));
    }
    plain
}

/// Globs of variants, each of which must match some variant of the task.
pub(super) fn variants(task: &dyn Task, entry: Entry<'_>, problems: &mut Problems) -> Vec<String> {
    let infos = task.variants();
    let mut globs = Vec::new();
    for word in entry.words(problems) {
        let selected = select_variants(&infos, std::slice::from_ref(&word.text));
        if problems.note(word.at, selected).is_some() {
            globs.push(word.text);
        }
    }
    globs
}
