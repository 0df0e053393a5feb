//! `[[task]]`: a product of axes, without its excludes and with its includes.

use std::collections::BTreeMap;

use algorithms::registry;
use algorithms::task::Task;
use text::Untrusted;

use super::entry_values::{axis, axis_values, variants};
use super::exclude::Exclude;
use super::{Part, Settings, settings};
use crate::document::{Entry, Section};
use crate::plan::{select_variants, unknown_levels};
use crate::request::AxisValues;
use crate::request::values::instead_of;

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
