//! `[[task]]`: a task whose data and right outputs are made by programs.

use std::path::Path;

use tasks::axis::{Axis, Flag, Params};
use tasks::external::NAME_PREFIX;
use tasks::plugin::check_name;
use tasks::program_task::{HardInput, HardInputSource, Items, ProgramTask};
use text::Untrusted;

use super::keys::{self, COMPARISON, Placeholders};
use super::unloaded;
use crate::document::{Entry, Section};

/// Keys of a task, in addition to those of a comparison.
const KEYS: [&str; 12] = [
    "name",
    "summary",
    "item",
    "head-lines",
    "record-bytes",
    "head-bytes",
    "input",
    "output",
    "generate",
    "reference",
    "timeout",
    "axes",
];
const HARD: &str = "hard";
const AXIS_KEYS: [&str; 5] = ["default", "help", "kind", "unit", "choices"];
/// Kinds of axes.
const KINDS: [&str; 5] = ["count", "integer", "number", "duration", "frequency"];

/// Reads a task; `variants` are those of the same file.
pub(super) fn read(
    section: Section<'_>,
    folder: &Path,
    variants: &[Section<'_>],
) -> Option<ProgramTask> {
    keys::report_unknown(section, "of a task", &[&KEYS[..], &COMPARISON, &[HARD]].concat());
    let name = keys::name(section, "name", "task");
    let axes = axes(section);
    let names: Vec<&str> = axes.iter().map(|axis| axis.name).collect();
    let for_generate = [&["input", "seed"][..], &names].concat();
    let for_generate = Placeholders { known: &for_generate, required: &["input"] };
    let generate = keys::command(section, "generate", folder, &for_generate);
    const FOR_REFERENCE: Placeholders<'_> =
        Placeholders { known: &["input", "output"], required: &["input", "output"] };
    let reference = keys::command(section, "reference", folder, &FOR_REFERENCE);
    if section.entry("reference").is_none() {
        section.problem("this task has no reference; write a command that makes the right output of an input: reference = ['./slow', '{input}', '{output}']");
    }
    if let (None, Some(axes)) = (section.entry("generate"), section.entry("axes")) {
        axes.problem(
            "axes are for generated inputs; write a command as generate, or leave them out",
        );
    }
    let input = keys::ending(section, "input").unwrap_or_else(|| "bin".to_owned());
    let output = keys::ending(section, "output").unwrap_or_else(|| "csv".to_owned());
    let hard_inputs = hard_inputs(section, folder, &axes, generate.is_some());
    let comparison = keys::comparison(section, &output);
    let items = items(section);
    let default_variant = variants.iter().find(|it| name == Some(&keys::text(**it, "task")));
    let default_variant = default_variant.map(|it| keys::text(*it, "name")).unwrap_or_default();
    let timeout = keys::timeout(section);
    let summary = keys::text(section, "summary");
    let name = name?;
    Some(ProgramTask {
        name,
        summary: if summary.is_empty() { name } else { summary.leak() },
        item: section.entry("item").map_or("item", |_| keys::text(section, "item").leak()),
        items,
        axes: axes.leak(),
        input_endings: vec![&*input.leak()].leak(),
        output_ending: output.leak(),
        generate,
        reference: reference?,
        comparison,
        hard_inputs,
        timeout,
        default_variant: format!("{NAME_PREFIX}{default_variant}").leak(),
        plugin: unloaded(),
    })
}

/// An item of a file: a line, or a record of fixed size.
fn items(section: Section<'_>) -> Items {
    let number = |key| {
        let entry = section.entry(key);
        entry.and_then(|entry| {
            entry.value(|text| text.parse::<usize>().map_err(|_| "not a whole number".to_owned()))
        })
    };
    let Some(bytes) = number("record-bytes") else {
        if let Some(entry) = section.entry("head-bytes") {
            entry.problem("head-bytes is for files of records; set record-bytes, too");
        }
        return Items::Lines { head: number("head-lines").unwrap_or(0) };
    };
    if let Some(entry) = section.entry("head-lines") {
        entry.problem("head-lines is for files of lines; with record-bytes there is head-bytes");
    }
    if let (0, Some(entry)) = (bytes, section.entry("record-bytes")) {
        entry.problem("a record has at least one byte");
    }
    Items::Records { head: number("head-bytes").unwrap_or(0), bytes }
}

/// `[task.axes.NAME]`.
fn axes(section: Section<'_>) -> Vec<Axis> {
    let entries = section.entry("axes").and_then(Entry::section);
    let entries = entries.into_iter().flat_map(Section::entries);
    entries.filter_map(|entry| axis(entry, entry.section()?)).collect()
}

fn axis(entry: Entry<'_>, section: Section<'_>) -> Option<Axis> {
    keys::report_unknown(section, "of an axis", &AXIS_KEYS);
    if let Err(problem) = check_name(entry.key, "the axis") {
        entry.problem(problem);
        return None;
    }
    if ["input", "output", "seed", "threads", "folder"].contains(&entry.key) {
        let name = entry.key.quoted();
        entry.problem(format!("{name} has another meaning in commands; rename the axis"));
        return None;
    }
    let name: &'static str = entry.key.to_owned().leak();
    let flag: Flag<String> = match section.entry("choices") {
        Some(choices) => {
            let names = choices.texts().into_iter().map(|name| &*name.leak());
            Flag::choice(name, names.collect::<Vec<_>>().leak())
        }
        None => {
            let kind = section.entry("kind").and_then(|entry| {
                entry.value(|text| match KINDS.contains(&text) {
                    true => Ok(text.to_owned()),
                    false => Err(format!("unknown; there are {}", KINDS.join(", "))),
                })
            });
            match kind.as_deref() {
                Some("integer") => Flag::integer(name),
                Some("number") => Flag::number(name),
                Some("duration") => Flag::duration(name),
                Some("frequency") => Flag::frequency(name),
                _ => Flag::count(name),
            }
        }
    };
    let flag = flag.with_help(keys::text(section, "help").leak());
    let flag = match keys::text(section, "unit") {
        unit if unit.is_empty() => flag,
        unit => flag.unit(unit.leak()),
    };
    let Some(default) = section.entry("default") else {
        section.problem(format!("the axis {name} has no default"));
        return None;
    };
    let word = default.word()?;
    let axis = flag.or(word.text.clone().leak()).axis();
    word.or_problem(axis.parse(&word.text).map_err(|error| error.to_string()))?;
    Some(axis)
}

/// `[[task.hard]]`: a file, or values of axes.
fn hard_inputs(
    section: Section<'_>,
    folder: &Path,
    axes: &[Axis],
    is_generated: bool,
) -> Vec<HardInput> {
    let inputs = section.sections(HARD);
    if inputs.is_empty() {
        section.problem("this task has no hard inputs, but its comparison and its variants are tried on them; add [[task.hard]] with a name, and a file or values of axes, for each way to be wrong");
    }
    let inputs = inputs.into_iter().map(|it| hard_input(it, folder, axes, is_generated));
    inputs.flatten().collect()
}

fn hard_input(
    section: Section<'_>,
    folder: &Path,
    axes: &[Axis],
    is_generated: bool,
) -> Option<HardInput> {
    let mut known = vec!["name", "file"];
    known.extend(axes.iter().map(|axis| axis.name));
    keys::report_unknown(section, "of a hard input", &known);
    let name = keys::text(section, "name");
    if name.is_empty() {
        section.problem("this hard input has no name");
    }
    if let Some(file) = section.entry("file") {
        let source = HardInputSource::File(folder.join(file.word()?.text));
        return Some(HardInput { name, source });
    }
    if !is_generated {
        section.problem("this hard input has no file, and the task no command to generate one");
        return None;
    }
    let mut params = Params::default();
    for axis in axes {
        let Some(entry) = section.entry(axis.name) else { continue };
        let word = entry.word()?;
        let plain = axis.parse(&word.text).map_err(|error| error.to_string());
        params.set(axis.name, word.or_problem(plain)?);
    }
    params.complete(axes);
    Some(HardInput { name, source: HardInputSource::Generated(params) })
}
