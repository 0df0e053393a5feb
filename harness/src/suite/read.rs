//! The whole file: its name, the defaults, and one task after the other.

use std::collections::HashMap;

use reports::record::Point;
use reports::shape;

use super::document::{Entry, Section};
use super::problems::Problems;
use super::settings::Settings;
use super::task::Parts;
use super::{Suite, hash, names, plugins, task};

/// What the TOML parser says.
pub(crate) fn syntax(errors: &[toml::de::Error]) -> Problems {
    let mut problems = Problems::default();
    for error in errors {
        let message = error.message().trim().replace('\n', "; ");
        problems.add(error.span().map_or(0, |span| span.start), message);
    }
    problems
}

/// The keys of the document.
const KEYS: [&str; 5] = ["name", "description", plugins::KEY, "defaults", "task"];

/// Checks and expands the whole document.
pub(super) fn suite(root: Section<'_>, problems: &mut Problems) -> Suite {
    for entry in root.entries().filter(|entry| !KEYS.contains(&entry.key)) {
        names::unknown_key(entry, "of a suite", &KEYS, problems);
    }
    let name = name(root, problems);
    let description = root
        .entry("description")
        .and_then(|entry| entry.word(problems));
    let defaults = root
        .entry("defaults")
        .map(|entry| defaults(entry, problems));
    let defaults = defaults.unwrap_or_default();
    let tasks = root.entry("task").map(|entry| entry.sections(problems));
    let mut parts = Parts::new();
    for section in tasks.into_iter().flatten() {
        parts.extend(task::read(section, &defaults, problems));
    }
    check_points(&parts, problems);
    // A device may have no variants of a task; others have.
    parts.retain(|(_, part)| part.points().next().is_some());
    let parts: Vec<_> = parts.into_iter().map(|(_, part)| part).collect();
    Suite {
        name,
        description: description.map_or(String::new(), |word| word.text),
        hash: hash::of_points(&parts),
        parts,
    }
}

/// The name, which becomes part of the names of folders.
fn name(root: Section<'_>, problems: &mut Problems) -> String {
    let Some(entry) = root.entry("name") else {
        problems.add(root.at, "this suite has no name; begin with name = \"…\"");
        return String::new();
    };
    let Some(word) = entry.word(problems) else {
        return String::new();
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if word.text.is_empty() || word.text.starts_with('.') || !word.text.chars().all(allowed) {
        problems.add(
            word.at,
            "use letters, digits, dashes and underscores in the name: folders are named after it",
        );
    }
    word.text
}

fn defaults(entry: Entry<'_>, problems: &mut Problems) -> Settings {
    let mut settings = Settings::default();
    let section = entry.section(problems);
    for entry in section.into_iter().flat_map(Section::entries) {
        if !settings.set(entry, problems) {
            names::unknown_key(entry, "in the defaults", &Settings::KEYS, problems);
        }
    }
    settings
}

/// Notes points that are there twice, and a suite without any.
fn check_points(parts: &Parts, problems: &mut Problems) {
    let mut first = HashMap::new();
    for (number, (at, part)) in parts.iter().enumerate() {
        let twice = part
            .points()
            .filter(|point| *first.entry(*point).or_insert(number) != number);
        if let [point, rest @ ..] = &twice.collect::<Vec<_>>()[..] {
            problems.add(*at, measured_twice(point, rest.len()));
        }
    }
    if first.is_empty() && problems.count() == 0 {
        problems.add(0, "no point is left to be measured: is there a [[task]]?");
    }
}

fn measured_twice(point: &Point, more: usize) -> String {
    let (variant, params) = (&point.variant, &point.params);
    let threads = shape::phrase("threads", &point.threads.to_string());
    let also = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{variant} with {threads} and {params}{also} would be measured twice: an earlier task or \
         include has it"
    )
}
