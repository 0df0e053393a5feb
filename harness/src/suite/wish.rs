//! What a `[[task]]` or one of its includes asks for.

use algorithms::task::Task;

use super::document::{Entry, Section};
use super::expand::{SuiteInput, product};
use super::problems::Problems;
use super::settings::Settings;
use super::{Part, names};
use crate::plan::select_variants;
use crate::request::AxisValues;

/// More inputs than this take weeks: somebody has multiplied too much.
const MOST_INPUTS: usize = 10_000;

/// The keys of a task beside those of the settings.
const KEYS: [&str; 5] = ["name", "variants", "axes", "exclude", "include"];

/// Axes and settings of a task.
#[derive(Clone)]
pub(super) struct Wish {
    task: &'static dyn Task,
    settings: Settings,
    /// Plain values, in the order of the task's axes.
    axes: Vec<(&'static str, Vec<String>)>,
}

impl Wish {
    /// All variants on the task's default data.
    pub(super) fn new(task: &'static dyn Task, defaults: &Settings) -> Self {
        Wish {
            task,
            settings: defaults.clone(),
            axes: Vec::new(),
        }
    }

    /// The same with the first value of each axis only.
    pub(super) fn first_values(&self) -> Self {
        let mut wish = self.clone();
        for (_, values) in &mut wish.axes {
            values.truncate(1);
        }
        wish
    }

    /// Takes over a key of a task.
    pub(super) fn take(&mut self, entry: Entry<'_>, problems: &mut Problems) {
        match entry.key {
            "name" | "exclude" | "include" => {}
            "axes" => {
                let axes = entry.section(problems);
                for entry in axes.into_iter().flat_map(Section::entries) {
                    if !self.take_axis(entry, problems) {
                        names::unknown_axis(self.task, entry, problems);
                    }
                }
            }
            _ if self.take_setting(entry, problems) => {}
            key if names::axis(self.task, key).is_some() => {
                problems.add(
                    entry.at,
                    format!("{key} is an axis; it goes below [task.axes]"),
                );
            }
            _ => names::unknown_key(
                entry,
                "of a task",
                &[&KEYS[..], &Settings::KEYS].concat(),
                problems,
            ),
        }
    }

    /// Takes over a key of an include: an axis or a setting.
    pub(super) fn take_included(&mut self, entry: Entry<'_>, problems: &mut Problems) {
        if !self.take_axis(entry, problems) && !self.take_setting(entry, problems) {
            let mut known: Vec<_> = self.task.axes().iter().map(|axis| axis.name).collect();
            known.push("variants");
            known.extend(Settings::KEYS);
            names::unknown_key(entry, "in an include", &known, problems);
        }
    }

    fn take_axis(&mut self, entry: Entry<'_>, problems: &mut Problems) -> bool {
        let Some(axis) = names::axis(self.task, entry.key) else {
            return false;
        };
        let values = names::axis_values(axis, entry, problems);
        self.axes.retain(|(name, _)| *name != axis.name);
        self.axes.push((axis.name, values));
        let place = |name: &str| self.task.axes().iter().position(|axis| axis.name == name);
        self.axes.sort_by_key(|(name, _)| place(name));
        true
    }

    fn take_setting(&mut self, entry: Entry<'_>, problems: &mut Problems) -> bool {
        if entry.key == "variants" {
            self.settings.variants = names::variants(self.task, entry, problems);
            return true;
        }
        self.settings.set(entry, problems)
    }

    /// Notes bindings for more levels of teams than a variant has.
    pub(super) fn check_levels(&self, section: Section<'_>, problems: &mut Problems) {
        let levels = self.settings.binds.iter().map(|bind| bind.0.len()).max();
        let Some(wanted) = levels else { return };
        let infos = self.task.variants();
        let selected = select_variants(&infos, &self.settings.variants);
        let few = selected.unwrap_or_default().into_iter();
        let few = few
            .map(|number| infos[number])
            .find(|info| info.team_levels < wanted);
        if let Some(info) = few {
            let at = section.entry("bind").map_or(section.at, |entry| entry.at);
            let (name, levels) = (info.name, info.team_levels);
            problems.add(
                at,
                format!(
                    "bind has {wanted} levels, but {name} has {levels} level of teams; give as \
                     many policies"
                ),
            );
        }
    }

    /// The inputs with their points; none if a combination makes no sense.
    pub(super) fn inputs(
        &self,
        section: Section<'_>,
        problems: &mut Problems,
    ) -> Option<Vec<SuiteInput>> {
        let axes = AxisValues::new(self.axes.clone());
        let count = axes.count();
        if count > MOST_INPUTS {
            let problem = format!("{count} combinations of axes; {MOST_INPUTS} at most");
            problems.add(section.at, problem);
            return None;
        }
        let inputs = product(self.task, &axes, &self.settings);
        let inputs = inputs.map_err(|error| format!("{}: {error}", self.task.name()));
        problems.note(section.at, inputs)
    }

    /// The part that has these inputs.
    pub(super) fn part(&self, inputs: Vec<SuiteInput>) -> Part {
        Part {
            task: self.task,
            axes: AxisValues::new(self.axes.clone()),
            settings: self.settings.clone(),
            inputs,
        }
    }
}
