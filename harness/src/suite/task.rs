//! `[[task]]`: a product of axes, without its excludes and with its includes.

use std::collections::BTreeMap;
use std::slice;

use crate::registry;
use glob::Pattern;
use reports::record::Point;
use tasks::axis::Axis;
use tasks::task::Task;
use text::Untrusted;

use super::{Part, Settings, settings};
use crate::document::{Entry, Section};
use crate::plan::{select_variants, unknown_levels};
use crate::platform::placement::{BindLevels, CpuSetSpec};
use crate::request::values::{self, each_once, instead_of};
use crate::request::{AxisValues, as_tried};

/// Parts with the sections that ask for them.
pub(super) type Parts<'a> = Vec<(Section<'a>, Part)>;

/// Keys of a task in addition to those of the settings.
const KEYS: [&str; 5] = ["name", "variants", "axes", "exclude", "include"];

/// Reads a task; nothing if it is not known.
pub(super) fn read<'a>(section: Section<'a>, defaults: &Settings) -> Parts<'a> {
    let Some(task) = task(section) else {
        return Parts::new();
    };
    let before = section.problem_count();
    let mut spec = TaskSpec::new(task, defaults);
    section.entries().for_each(|entry| spec.read_key(entry));
    spec.check_levels(section);
    let excludes = section.sections("exclude").into_iter();
    let excludes: Vec<_> = excludes.map(|it| Exclude::read(it, task)).collect();
    // Excludes of a product that is not as it was meant would only confuse.
    let sound = section.problem_count() == before;
    let mut parts = Parts::new();
    if sound && let Some(mut part) = spec.part(section) {
        drop_excluded(&mut part, &excludes);
        parts.push((section, part));
    }
    for section in section.sections("include") {
        let part = include(section, &spec, sound);
        parts.extend(part.map(|part| (section, part)));
    }
    parts
}

/// The task of a section.
fn task(section: Section<'_>) -> Option<&'static dyn Task> {
    let Some(entry) = section.entry("name") else {
        section.problem("this task has no name; see `bench list`");
        return None;
    };
    known_task(entry)
}

/// The task that a value names.
pub(crate) fn known_task(entry: Entry<'_>) -> Option<&'static dyn Task> {
    let word = entry.word()?;
    word.or_problem(registry::task(&word.text).ok_or_else(|| {
        let known: Vec<_> = registry::tasks().iter().map(|task| task.name()).collect();
        let name = word.text.quoted();
        let instead = instead_of(&word.text, &known);
        format!("unknown task {name}; {instead}")
    }))
}

fn drop_excluded(part: &mut Part, excludes: &[Exclude<'_>]) {
    for exclude in excludes {
        exclude.check_use(part.points());
    }
    part.retain(|point| !excludes.iter().any(|exclude| exclude.drops(point)));
}

/// Reads `[[task.include]]`: a separate product of the given values and the task's first values.
fn include(section: Section<'_>, of: &TaskSpec, sound: bool) -> Option<Part> {
    let before = section.problem_count();
    let mut spec = of.first_values();
    section.entries().for_each(|entry| spec.read_included_key(entry));
    spec.check_levels(section);
    if !sound || section.problem_count() > before {
        return None;
    }
    spec.part(section)
}

/// Content of a `[[task]]` or of one of its includes.
#[derive(Clone)]
struct TaskSpec {
    task: &'static dyn Task,
    settings: Settings,
    /// Plain values of axes, by the index of the axis in the task.
    axes: BTreeMap<usize, Vec<String>>,
}

impl TaskSpec {
    /// All variants on the task's default data.
    fn new(task: &'static dyn Task, defaults: &Settings) -> Self {
        TaskSpec { task, settings: defaults.clone(), axes: BTreeMap::new() }
    }

    /// Keeps only the first value of each axis.
    fn first_values(&self) -> Self {
        let mut spec = self.clone();
        spec.axes.values_mut().for_each(|values| values.truncate(1));
        spec
    }

    /// Reads a key of a task.
    fn read_key(&mut self, entry: Entry<'_>) {
        match entry.key {
            "name" | "exclude" | "include" => {}
            "axes" => {
                for entry in entry.section().into_iter().flat_map(Section::entries) {
                    if !self.read_axis(entry) {
                        self.unknown_axis(entry);
                    }
                }
            }
            _ if self.read_setting(entry) => {}
            key if axis(self.task, key).is_some() => {
                entry.problem(format!("{key} is an axis; put it below [task.axes]"));
            }
            _ => entry.unknown("of a task", &[&KEYS[..], &settings::KEYS].concat()),
        }
    }

    /// Reads a key of an include: an axis or a setting.
    fn read_included_key(&mut self, entry: Entry<'_>) {
        if !self.read_axis(entry) && !self.read_setting(entry) {
            let mut known = self.axis_names();
            known.push("variants");
            known.extend(settings::KEYS);
            entry.unknown("in an include", &known);
        }
    }

    fn read_axis(&mut self, entry: Entry<'_>) -> bool {
        let mut axes = self.task.axes().iter().enumerate();
        let Some((index, axis)) = axes.find(|(_, axis)| axis.name == entry.key) else {
            return false;
        };
        self.axes.insert(index, axis_values(axis, entry));
        true
    }

    fn read_setting(&mut self, entry: Entry<'_>) -> bool {
        if entry.key == "variants" {
            self.settings.variants = variants(self.task, entry);
            return true;
        }
        settings::read_key(&mut self.settings, entry)
    }

    fn axis_names(&self) -> Vec<&'static str> {
        self.task.axes().iter().map(|axis| axis.name).collect()
    }

    fn unknown_axis(&self, entry: Entry<'_>) {
        let key = entry.key;
        let name = self.task.name();
        let instead = instead_of(key, &self.axis_names());
        entry.problem(format!("unknown axis {} of {name}; {instead}", key.quoted()));
    }

    /// Reports settings of nested teams if no variant supports them.
    fn check_levels(&self, section: Section<'_>) {
        let infos = self.task.variants();
        let selected = select_variants(&infos, &self.settings.variants).unwrap_or_default();
        if let Some((key, problem)) = unknown_levels(&self.settings, &infos, &selected) {
            let problem = format!("{key} {problem}");
            match section.entry(key) {
                Some(entry) => entry.problem(problem),
                None => section.problem(problem),
            }
        }
    }

    /// The inputs with their points; none if a combination makes no sense.
    fn part(&self, section: Section<'_>) -> Option<Part> {
        let name = |index: usize| self.task.axes()[index].name;
        let axes = self.axes.iter();
        let axes = axes.map(|(&index, values)| (name(index), values.clone()));
        let axes = AxisValues::new(axes.collect()).to_generate(self.task.axes());
        if let Err(problem) = axes.check_count() {
            section.problem(problem);
            return None;
        }
        let part = Part::product(self.task, axes, self.settings.clone());
        let problem = |error| section.problem(format!("{}: {error}", self.task.name()));
        part.map_err(problem).ok()
    }
}

/// Keys in addition to the task's axes: the fields of a point.
const FIELDS: [&str; 6] = ["variant", "device", "threads", "places", "bind", "cache"];

/// `[[task.exclude]]`: drops the points that meet all conditions.
struct Exclude<'a> {
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

/// The axis of a task that a key names.
pub(super) fn axis(task: &dyn Task, key: &str) -> Option<&'static Axis> {
    task.axes().iter().find(|axis| axis.name == key)
}

/// The values of an axis in plain form, each once.
pub(crate) fn axis_values(axis: &Axis, entry: Entry<'_>) -> Vec<String> {
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
