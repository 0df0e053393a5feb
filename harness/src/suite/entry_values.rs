//! Values of keys that name axes and variants of a task.

use std::slice;

use algorithms::axis::Axis;
use algorithms::task::Task;

use crate::document::Entry;
use crate::plan::select_variants;
use crate::request::as_tried;
use crate::request::values::each_once;

/// The axis of a task that a key names.
pub(super) fn axis(task: &dyn Task, key: &str) -> Option<&'static Axis> {
    task.axes().iter().find(|axis| axis.name == key)
}

/// The values of an axis in plain form, each once.
pub(super) fn axis_values(axis: &Axis, entry: Entry<'_>) -> Vec<String> {
    let plain = |text: &str| {
        let plain = axis.parse(text).map_err(|error| error.problem().to_string())?;
        Ok(as_tried(axis, plain))
    };
    let mut values = entry.values(plain);
    each_once(&mut values);
    values
}

/// Globs of variants, each of which must match some variant of the task.
pub(super) fn variants(task: &dyn Task, entry: Entry<'_>) -> Vec<String> {
    let infos = task.variants();
    let mut words = entry.words();
    words.retain(|word| {
        let selected = select_variants(&infos, slice::from_ref(&word.text));
        word.or_problem(selected).is_some()
    });
    words.into_iter().map(|word| word.text).collect()
}
