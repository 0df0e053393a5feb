//! Points of a product that are not to be measured.

use algorithms::task::Task;
use glob::Pattern;
use reports::record::Point;

use super::document::{Entry, Section, Word};
use super::names;
use super::problems::Problems;
use super::settings::parsed;
use crate::platform::placement::{BindLevels, PlacesSpec};
use crate::request::values;

/// The keys beside the axes of the task: the fields of a point.
const FIELDS: [&str; 6] = ["variant", "device", "threads", "places", "bind", "cache"];

/// `[[task.exclude]]`: drops the points that meet all conditions.
#[derive(Debug)]
pub(super) struct Exclude {
    at: usize,
    conditions: Vec<Condition>,
}

/// A field or an axis of a point, and the values that are meant.
#[derive(Debug)]
struct Condition {
    at: usize,
    key: String,
    values: Vec<Pattern>,
}

impl Exclude {
    /// Reads the conditions.
    pub(super) fn read(section: Section<'_>, task: &dyn Task, problems: &mut Problems) -> Self {
        let conditions = section.entries().filter_map(|entry| {
            let values = values_of(entry, task, problems)?;
            Some(Condition {
                at: entry.at,
                key: entry.key.to_owned(),
                values,
            })
        });
        let conditions: Vec<_> = conditions.collect();
        if section.entries().next().is_none() {
            problems.add(section.at, "this exclude says nothing; name what it drops");
        }
        Exclude {
            at: section.at,
            conditions,
        }
    }

    /// Whether it drops a point.
    pub(super) fn drops(&self, point: &Point) -> bool {
        self.conditions.iter().all(|condition| condition.met(point))
    }

    /// Notes if it drops none of the points: a typo in disguise.
    pub(super) fn check_use<'a>(
        &self,
        points: impl Iterator<Item = &'a Point> + Clone,
        problems: &mut Problems,
    ) {
        if points.clone().any(|point| self.drops(point)) {
            return;
        }
        let never = |condition: &&Condition| !points.clone().any(|point| condition.met(point));
        match self.conditions.iter().find(never) {
            Some(condition) => problems.add(
                condition.at,
                format!(
                    "no point of the task has this {}, so this exclude drops nothing",
                    condition.key
                ),
            ),
            None => problems.add(
                self.at,
                "no point meets all of this, so this exclude drops nothing",
            ),
        }
    }
}

impl Condition {
    fn met(&self, point: &Point) -> bool {
        let threads = point.threads.to_string();
        let value = match self.key.as_str() {
            "variant" => Some(point.variant.as_str()),
            "device" => Some(point.device.as_str()),
            "threads" => Some(threads.as_str()),
            "places" => Some(point.places.as_str()),
            "bind" => Some(point.bind.as_str()),
            "cache" => Some(point.cache.as_str()),
            axis => point.params.get(axis),
        };
        value.is_some_and(|value| self.values.iter().any(|pattern| pattern.matches(value)))
    }
}

/// The values in the form that they have in points; `None` for an unknown key.
fn values_of(entry: Entry<'_>, task: &dyn Task, problems: &mut Problems) -> Option<Vec<Pattern>> {
    if let Some(axis) = names::axis(task, entry.key) {
        let plain = names::axis_values(axis, entry, problems);
        return Some(plain.iter().map(|text| literal(text)).collect());
    }
    if entry.key == "variant" {
        let globs = names::variants(task, entry, problems);
        return Some(
            globs
                .iter()
                .filter_map(|glob| Pattern::new(glob).ok())
                .collect(),
        );
    }
    if !FIELDS.contains(&entry.key) {
        let mut known: Vec<_> = task.axes().iter().map(|axis| axis.name).collect();
        known.extend(FIELDS);
        names::unknown_key(entry, "in an exclude", &known, problems);
        return None;
    }
    let words = entry.words(problems);
    let plain = words.iter().filter_map(|word: &Word| {
        let value = parsed(entry.key, &word.text, |text| field_value(entry.key, text));
        problems.note(word.at, value)
    });
    Some(plain.map(|text| literal(&text)).collect())
}

/// The value of a field in the form that it has in points.
fn field_value(field: &str, text: &str) -> Result<String, String> {
    match field {
        "device" => values::device(text).map(|device| device.to_string()),
        "threads" => values::threads(text).map(|threads| threads.to_string()),
        "places" if text == "none" => Ok(text.to_owned()),
        "places" => text.parse().map(|places: PlacesSpec| places.to_string()),
        "bind" => text.parse().map(outermost),
        _ => values::cache(text).map(|cache| cache.name().to_owned()),
    }
}

/// Points name the binding of the outermost teams.
fn outermost(levels: BindLevels) -> String {
    levels.0.first().map_or(String::new(), ToString::to_string)
}

/// A pattern that only this very text matches.
fn literal(text: &str) -> Pattern {
    Pattern::new(&Pattern::escape(text)).unwrap_or_default()
}
