//! The suite file: name, defaults and tasks.

use std::collections::HashMap;

use reports::record::Point;
use reports::units;
use sha2::{Digest, Sha256};

use super::task::{self, Parts};
use super::{Part, Settings, Suite, settings};
use crate::document::{Entry, Section};

/// The keys of the document.
const KEYS: [&str; 5] = ["name", "description", "plugins", "defaults", "task"];

/// Checks and expands the document.
pub(super) fn suite(root: Section<'_>) -> Suite {
    for entry in root.entries().filter(|entry| !KEYS.contains(&entry.key)) {
        entry.unknown("of a suite", &KEYS);
    }
    let name = name(root);
    let description = root.entry("description").and_then(Entry::word);
    let defaults = root.entry("defaults").and_then(Entry::section);
    let defaults = settings::defaults(defaults);
    let tasks = root.sections("task").into_iter();
    let mut parts: Parts = tasks.flat_map(|it| task::read(it, &defaults)).collect();
    check_points(root, &parts);
    // A device may have no variants of a task; others have.
    parts.retain(|(_, part)| part.points().next().is_some());
    let parts: Vec<_> = parts.into_iter().map(|(_, part)| part).collect();
    Suite {
        name,
        description: description.map_or(String::new(), |word| word.text),
        hash: hash(&parts),
        parts,
    }
}

/// The name, which becomes part of the names of folders.
pub(super) fn name(root: Section<'_>) -> String {
    let Some(entry) = root.entry("name") else {
        root.problem("this suite has no name; begin with name = \"…\"");
        return String::new();
    };
    let Some(word) = entry.word() else {
        return String::new();
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if word.text.is_empty() || word.text.starts_with('.') || !word.text.chars().all(allowed) {
        word.problem(
            "use letters, digits, dashes and underscores in the name: folders are named after it",
        );
    }
    word.text
}

/// Takes down points that are there twice, and a suite without any.
fn check_points(root: Section<'_>, parts: &Parts<'_>) {
    let mut first = HashMap::new();
    for (number, (section, part)) in parts.iter().enumerate() {
        let points = part.points();
        let twice = points.filter(|&point| *first.entry(point).or_insert(number) != number);
        if let [point, rest @ ..] = &twice.collect::<Vec<_>>()[..] {
            section.problem(measured_twice(point, rest.len()));
        }
    }
    if first.is_empty() && root.problem_count() == 0 {
        root.problem("no point is left to be measured: is there a [[task]]?");
    }
}

fn measured_twice(point: &Point, more: usize) -> String {
    let variant = &point.variant;
    let params = &point.params;
    let threads = units::counted(point.threads, "thread");
    let also = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{variant} with {threads} and {params}{also} would be measured twice: an earlier task or \
         include has it"
    )
}

/// A hash of all points with their seeds and sampling, whatever their order: shards of the
/// same suite have the same.
fn hash(parts: &[Part]) -> String {
    let mut lines = Vec::new();
    for part in parts {
        let Settings { seed, samples, max_time, precision, .. } = &part.settings;
        let range = samples.unwrap_or_default();
        let time = max_time.as_nanos();
        let sampling = format!("{seed} {}..{} {time} {precision}", range.min, range.max);
        let points = part.points();
        lines.extend(points.map(|point| format!("{} {sampling}\n", point.id())));
    }
    lines.sort_unstable();
    let hash = Sha256::digest(lines.concat());
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
