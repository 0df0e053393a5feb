//! `[[task]]`: a product of axes, without its excludes and with its includes.

use algorithms::registry;
use algorithms::task::Task;

use super::Part;
use super::document::Section;
use super::exclude::Exclude;
use super::expand::SuiteInput;
use super::problems::Problems;
use super::settings::Settings;
use super::wish::Wish;
use crate::request::suggestion::instead_of;

/// Parts with the places of their headers, in bytes from the start.
pub(super) type Parts = Vec<(usize, Part)>;

/// Reads a task; nothing if it is not known.
pub(super) fn read(section: Section<'_>, defaults: &Settings, problems: &mut Problems) -> Parts {
    let Some(task) = task(section, problems) else {
        return Parts::new();
    };
    let before = problems.count();
    let mut wish = Wish::new(task, defaults);
    for entry in section.entries() {
        wish.take(entry, problems);
    }
    wish.check_levels(section, problems);
    let excludes: Vec<_> = subsections(section, "exclude", problems)
        .map(|section| Exclude::read(section, task, problems))
        .collect();
    // Excludes of a product that is not as it was meant would only confuse.
    let sound = problems.count() == before;
    let mut parts = Parts::new();
    if sound && let Some(inputs) = wish.inputs(section, problems) {
        parts.push((section.at, wish.part(without(inputs, &excludes, problems))));
    }
    for section in subsections(section, "include", problems) {
        parts.extend(include(section, &wish, sound, problems));
    }
    parts
}

/// The task of a section.
fn task(section: Section<'_>, problems: &mut Problems) -> Option<&'static dyn Task> {
    let Some(entry) = section.entry("name") else {
        problems.add(section.at, "this task has no name; see `bench list`");
        return None;
    };
    let word = entry.word(problems)?;
    let known: Vec<_> = registry::tasks().iter().map(|task| task.name()).collect();
    let task = registry::task(&word.text).ok_or_else(|| {
        let (name, instead) = (&word.text, instead_of(&word.text, &known));
        format!("unknown task \"{name}\"; {instead}")
    });
    problems.note(word.at, task)
}

fn subsections<'a>(
    section: Section<'a>,
    key: &str,
    problems: &mut Problems,
) -> impl Iterator<Item = Section<'a>> + use<'a> {
    let entry = section.entry(key);
    let sections = entry.map(|entry| entry.sections(problems));
    sections.unwrap_or_default().into_iter()
}

/// The product without what is excluded.
fn without(
    mut inputs: Vec<SuiteInput>,
    excludes: &[Exclude],
    problems: &mut Problems,
) -> Vec<SuiteInput> {
    let points = inputs.iter().flat_map(|input| &input.points);
    for exclude in excludes {
        exclude.check_use(points.clone(), problems);
    }
    for input in &mut inputs {
        let kept = |exclude: &Exclude, point: &_| !exclude.drops(point);
        input
            .points
            .retain(|point| excludes.iter().all(|exclude| kept(exclude, point)));
    }
    inputs.retain(|input| !input.points.is_empty());
    inputs
}

/// `[[task.include]]`: a product of its own, of the task's first values and
/// those that are given.
fn include(
    section: Section<'_>,
    of: &Wish,
    sound: bool,
    problems: &mut Problems,
) -> Option<(usize, Part)> {
    let before = problems.count();
    let mut wish = of.first_values();
    for entry in section.entries() {
        wish.take_included(entry, problems);
    }
    wish.check_levels(section, problems);
    if !sound || problems.count() > before {
        return None;
    }
    let inputs = wish.inputs(section, problems)?;
    Some((section.at, wish.part(inputs)))
}
