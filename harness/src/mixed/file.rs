//! The file of a mix.

use reports::mixed::{BACKGROUND, TOGETHER};
use tasks::device::Device;
use tasks::task::Task;
use text::Untrusted;

use crate::document::{self, Entry, InvalidDocument, Section};
use crate::plan::select_variants;
use crate::request::values::{each_once, instead_of};
use crate::request::{AxisValues, Settings};
use crate::suite::{axis_values, known_task, measurable_device};

const KEYS: [&str; 3] = ["load", "places", "bind"];
const LOAD_KEYS: [&str; 10] =
    ["name", "task", "variant", "device", "threads", "streams", "batch", "rate", "weight", "axes"];

/// Maximum number of streams, events of a stream, and due events per second: more are a typo.
const MAX_COUNT: usize = 4096;
const MAX_RATE: f64 = 1e7;
/// Events of a stream by default.
const BATCH: usize = 4;

/// Loads that run concurrently.
pub(crate) struct Mix {
    /// At least one.
    pub(crate) loads: Vec<LoadSpec>,
}

/// A load as it is written.
#[derive(Clone)]
pub(crate) struct LoadSpec {
    pub(crate) name: String,
    pub(crate) task: &'static dyn Task,
    pub(crate) axes: AxisValues,
    /// One variant, one device and one number of threads; CPU sets and binding are those of all loads.
    pub(crate) settings: Settings,
    pub(crate) streams: usize,
    pub(crate) batch: usize,
    pub(crate) pace: Pace,
}

/// Arrival of the events of a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Each event follows the previous one of its stream.
    Closed {
        /// Events of the load in a mix.
        weight: f64,
    },
    /// Events come when they are due.
    Open {
        /// Events per second.
        rate: f64,
    },
}

/// Reads a mix from its text; `path` is for messages.
///
/// # Errors
/// All its problems.
pub(crate) fn parse(path: &str, text: &str) -> Result<Mix, InvalidDocument> {
    document::read(path, text, read)
}

fn read(root: Section<'_>) -> Mix {
    let mut shared = Settings { devices: vec![Device::Cpu], ..Settings::default() };
    for entry in root.entries() {
        match entry.key {
            "load" => {}
            "places" => shared.cpu_sets = entry.value(str::parse).into_iter().collect(),
            "bind" => shared.binds = entry.value(str::parse).into_iter().collect(),
            _ => entry.unknown("of a mix", &KEYS),
        }
    }
    if let (Some(entry), true) =
        (root.entry("bind"), shared.binds.iter().any(|bind| bind.inner.is_some()))
    {
        entry.problem("bind takes one policy here: streams have one level of threads");
    }
    let sections = root.sections("load");
    if sections.is_empty() && root.problem_count() == 0 {
        root.problem(
            "this mix has no loads; add [[load]] with task = \"…\" and variant = \"…\" for each",
        );
    }
    let mut loads: Vec<LoadSpec> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for section in sections {
        let name = name(section);
        if !name.is_empty() && names.contains(&name) {
            let name = name.quoted();
            section.problem(format!("two loads are called {name}; give one of them another name"));
        }
        loads.extend(load(section, &name, &shared));
        names.push(name);
    }
    Mix { loads }
}

/// The name, by default that of the task.
fn name(section: Section<'_>) -> String {
    let Some(entry) = section.entry("name") else {
        let task = section.entry("task").and_then(Entry::word);
        return task.map_or_else(String::new, |word| word.text);
    };
    let Some(word) = entry.word() else { return String::new() };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if word.text.is_empty() || !word.text.chars().all(allowed) {
        word.problem("use letters, digits, dashes and underscores in the name of a load");
    } else if word.text == TOGETHER || word.text.starts_with(BACKGROUND) {
        let name = word.text.quoted();
        word.problem(format!("{name} is a name of results; use another name"));
    }
    word.text
}

fn load(section: Section<'_>, name: &str, shared: &Settings) -> Option<LoadSpec> {
    for entry in section.entries().filter(|entry| !LOAD_KEYS.contains(&entry.key)) {
        entry.unknown("of a load", &LOAD_KEYS);
    }
    let mut settings = shared.clone();
    let device = section.entry("device").and_then(|entry| entry.value(measurable_device));
    settings.devices = vec![device.unwrap_or(Device::Cpu)];
    let threads = count(section, "threads").unwrap_or(1);
    settings.threads = vec![vec![threads.into()]];
    let streams = count(section, "streams").unwrap_or(1);
    let batch = count(section, "batch").unwrap_or(BATCH);
    let pace = pace(section);
    let Some(task) = section.entry("task") else {
        section.problem("this load has no task; add one such as task = \"sts\": see `bench list`");
        return None;
    };
    let task = known_task(task)?;
    let axes = axes(section, task);
    settings.variants = vec![variant(section, task, settings.devices[0])?];
    Some(LoadSpec { name: name.to_owned(), task, axes, settings, streams, batch, pace })
}

fn count(section: Section<'_>, key: &str) -> Option<usize> {
    let parse = |text: &str| {
        let count = text.parse().ok().filter(|count| (1..=MAX_COUNT).contains(count));
        count.ok_or_else(|| format!("use a number from 1 to {MAX_COUNT}"))
    };
    section.entry(key)?.value(parse)
}

fn pace(section: Section<'_>) -> Pace {
    let rate = section.entry("rate").and_then(|entry| entry.value(rate));
    let weight = section.entry("weight").and_then(|entry| entry.value(weight));
    if let (Some(_), Some(entry)) = (section.entry("rate"), section.entry("weight")) {
        entry.problem(
            "rate and weight are both there; remove one of them: a weight is for loads that take \
             events as fast as they can",
        );
    }
    rate.map_or(Pace::Closed { weight: weight.unwrap_or(1.0) }, |rate| Pace::Open { rate })
}

/// Parses events per second: `200/s`.
fn rate(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix("/s").and_then(|number| number.trim().parse::<f64>().ok());
    let number = number.filter(|rate| *rate > 0.0 && *rate <= MAX_RATE);
    number.ok_or_else(|| "use events per second such as \"200/s\", above 0 and up to 1e7/s".into())
}

fn weight(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0);
    number.ok_or_else(|| "use a number above 0: events of this load in a mix".to_owned())
}

/// The variant, which has to run on the device.
fn variant(section: Section<'_>, task: &dyn Task, device: Device) -> Option<String> {
    let infos = task.variants();
    let on_device = infos.iter().filter(|info| info.backend == device.backend());
    let mut names: Vec<&str> = on_device.map(|info| info.name).collect();
    each_once(&mut names);
    let Some(entry) = section.entry("variant") else {
        let known = names.join(", ");
        let task = task.name();
        section.problem(format!(
            "this load has no variant; add one such as variant = {}: {task} has on {device} {}",
            names.first().unwrap_or(&"…").quoted(),
            if known.is_empty() { "none" } else { &known }
        ));
        return None;
    };
    let word = entry.word()?;
    // Reports unknown names with a suggestion.
    word.or_problem(select_variants(&infos, std::slice::from_ref(&word.text)))?;
    if !names.contains(&word.text.as_str()) {
        let variant = word.text.quoted();
        let instead = instead_of(&word.text, &names);
        word.problem(format!(
            "{variant} is not a variant of {} on {device}; {instead}",
            task.name()
        ));
        return None;
    }
    Some(word.text)
}

/// One value for each axis that is written.
fn axes(section: Section<'_>, task: &'static dyn Task) -> AxisValues {
    let before = section.problem_count();
    let mut written = Vec::new();
    let entries = section.entry("axes").and_then(Entry::section);
    for entry in entries.into_iter().flat_map(Section::entries) {
        let Some(axis) = task.axes().iter().find(|axis| axis.name == entry.key) else {
            let names: Vec<&str> = task.axes().iter().map(|axis| axis.name).collect();
            let instead = instead_of(entry.key, &names);
            let key = entry.key.quoted();
            entry.problem(format!("unknown axis {key} of {}; {instead}", task.name()));
            continue;
        };
        if entry.is_list() {
            entry.problem(format!(
                "{} takes one value here; add a load for each other one",
                axis.name
            ));
            continue;
        }
        written.push((axis.name, axis_values(axis, entry)));
    }
    let axes = AxisValues::new(written).to_generate(task.axes());
    // Combinations of values that were refused would only confuse.
    let combination =
        axes.combinations().into_iter().next().filter(|_| section.problem_count() == before);
    if let Some(Err(error)) = combination.map(|params| task.plan(params)) {
        section.problem(format!("{}: {error}", task.name()));
    }
    axes
}
