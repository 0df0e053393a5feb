//! Points of a product that are not to be measured.

use algorithms::task::Task;
use glob::Pattern;
use reports::record::Point;

use super::entry_values::{axis, axis_values, variants};
use crate::document::{Entry, Section};
use crate::platform::placement::{BindLevels, CpuSetSpec};
use crate::request::values;

/// Keys in addition to the task's axes: the fields of a point.
const FIELDS: [&str; 6] = ["variant", "device", "threads", "places", "bind", "cache"];

/// `[[task.exclude]]`: drops the points that meet all conditions.
pub(super) struct Exclude<'a> {
    section: Section<'a>,
    conditions: Vec<Condition<'a>>,
}

/// A field or an axis of a point, and the values that are meant.
struct Condition<'a> {
    entry: Entry<'a>,
    values: Vec<Pattern>,
}

impl<'a> Exclude<'a> {
    /// Reads the conditions.
    pub(super) fn read(section: Section<'a>, task: &dyn Task) -> Self {
        let condition = |entry| {
            let values = values_of(entry, task)?;
            Some(Condition { entry, values })
        };
        if section.entries().next().is_none() {
            section.problem("this exclude is empty; name what it excludes");
        }
        Exclude { section, conditions: section.entries().filter_map(condition).collect() }
    }

    /// Returns true if a point is excluded.
    pub(super) fn drops(&self, point: &Point) -> bool {
        self.conditions.iter().all(|condition| condition.met(point))
    }

    /// Takes down if it drops none of the points: a typo in disguise.
    pub(super) fn check_use<'p>(&self, points: impl Iterator<Item = &'p Point> + Clone) {
        if points.clone().any(|point| self.drops(point)) {
            return;
        }
        let never = |condition: &&Condition| !points.clone().any(|point| condition.met(point));
        match self.conditions.iter().find(never) {
            Some(Condition { entry, .. }) => entry.problem(format!(
                "no point of the task has this {}, so this exclude drops nothing",
                entry.key
            )),
            None => {
                self.section.problem("no point meets all of this, so this exclude drops nothing")
            }
        }
    }
}

impl Condition<'_> {
    fn met(&self, point: &Point) -> bool {
        let threads = point.threads.to_string();
        let value = match self.entry.key {
            "variant" => Some(point.variant.as_str()),
            "device" => Some(point.device.as_str()),
            "threads" => Some(threads.as_str()),
            "places" => Some(point.cpu_sets.as_str()),
            "bind" => Some(point.bind.as_str()),
            "cache" => Some(point.cache.as_str()),
            axis => point.params.get(axis),
        };
        value.is_some_and(|value| self.values.iter().any(|pattern| pattern.matches(value)))
    }
}

/// The values in the form that they have in points; `None` for an unknown key.
fn values_of(entry: Entry<'_>, task: &dyn Task) -> Option<Vec<Pattern>> {
    if entry.key == "variant" {
        let globs = variants(task, entry).into_iter();
        return Some(globs.filter_map(|glob| Pattern::new(&glob).ok()).collect());
    }
    let plain = if let Some(axis) = axis(task, entry.key) {
        axis_values(axis, entry)
    } else if FIELDS.contains(&entry.key) {
        entry.values(|text| field_value(entry.key, text))
    } else {
        let axes = task.axes().iter().map(|axis| axis.name);
        entry.unknown("in an exclude", &axes.chain(FIELDS).collect::<Vec<_>>());
        return None;
    };
    Some(plain.iter().map(|text| literal(text)).collect())
}

/// The value of a field in the form that it has in points.
fn field_value(field: &str, text: &str) -> Result<String, String> {
    match field {
        "device" => values::device(text).map(|device| device.to_string()),
        "threads" => values::threads(text).map(|threads| threads.all.to_string()),
        "places" if text == "none" => Ok(text.to_owned()),
        "places" => text.parse().map(|cpu_sets: CpuSetSpec| cpu_sets.to_string()),
        "bind" => text.parse().map(|levels: BindLevels| levels.to_string()),
        _ => values::cache(text).map(|cache| cache.name().to_owned()),
    }
}

/// A pattern that only this very text matches.
fn literal(text: &str) -> Pattern {
    Pattern::new(&Pattern::escape(text)).expect("an escaped text is a valid pattern")
}
