//! The file of a need.

use reports::plan::{Interactions, Load, Need, Spares, TaskShare};
use tasks::axis::parse_frequency;
use tasks::registry::{ItemSource, PresetItems};
use text::Untrusted;

use super::fields::{Fields, Rule};
use crate::document::{self, Entry, InvalidDocument, Section};

const KEYS: [&str; 14] = [
    "name",
    "task",
    "items_per_s",
    "rate",
    "preset",
    "items_per_interaction",
    "bytes_per_item",
    "latency_p99_s",
    "headroom",
    "spare_nodes",
    "availability",
    "years",
    "electricity_eur_per_kwh",
    "pue",
];
const TASK_KEYS: [&str; 2] = ["name", "share"];

/// Largest deviation of a sum of shares from 1.
const TOLERANCE: f64 = 1e-6;
/// Largest deviation of a rate from that of a preset of noise, relative to it.
const SAME_RATE: f64 = 0.01;

/// Reads a need from its text; `path` is for messages.
///
/// # Errors
/// All its problems.
pub(super) fn parse(
    path: &str,
    text: &str,
    presets: &[PresetItems],
) -> Result<Need, InvalidDocument> {
    document::read(path, text, |root| read(path, root, presets))
}

fn read(path: &str, root: Section<'_>, presets: &[PresetItems]) -> Need {
    let fields = Fields { section: root, context: "of a need" };
    fields.refuse_unknown(&KEYS);
    Need {
        file: path.to_owned(),
        name: fields.text("name", "name = \"CBM at 10 MHz\""),
        tasks: tasks(fields),
        load: load(path, fields, presets),
        preset: fields.optional_text("preset"),
        bytes_per_item: fields.optional_number("bytes_per_item", Rule::Positive),
        latency_p99_s: fields.optional_number("latency_p99_s", Rule::Positive),
        headroom: fields.number(
            "headroom",
            Rule::ProperShare,
            "headroom = 0.3, the share of a node's rate that stays free",
        ),
        spares: spares(fields),
        years: fields.number(
            "years",
            Rule::Positive,
            "years = 5, over which the purchase is spread",
        ),
        electricity_eur_per_kwh: fields.number(
            "electricity_eur_per_kwh",
            Rule::Positive,
            "electricity_eur_per_kwh = 0.25",
        ),
        pue: fields.number(
            "pue",
            Rule::AtLeastOne,
            "pue = 1.2, the power of the site over that of its machines",
        ),
    }
}

/// A number of spare nodes, or the availability of the farm.
fn spares(fields: Fields<'_>) -> Spares {
    let nodes = fields.optional_count("spare_nodes");
    let availability = fields.optional_number("availability", Rule::PositiveShare);
    if let (Some(_), Some(entry)) = (nodes, fields.section.entry("availability")) {
        entry.problem("spare_nodes and availability are both there; remove one of them");
    }
    availability.map_or(Spares::Nodes(nodes.unwrap_or(0)), Spares::Availability)
}

/// A task, or a list of tasks with their shares.
fn tasks(fields: Fields<'_>) -> Vec<TaskShare> {
    match fields.section.entry("task") {
        None => {
            fields.missing("task", "task = \"sts\"");
            Vec::new()
        }
        Some(entry) if entry.is_list() => shares(entry),
        Some(_) => {
            let name = fields.optional_text("task");
            name.map(|name| TaskShare { name, share: 1.0 }).into_iter().collect()
        }
    }
}

fn shares(entry: Entry<'_>) -> Vec<TaskShare> {
    let tasks: Vec<TaskShare> = entry.sections().into_iter().map(share).collect();
    let sum: f64 = tasks.iter().map(|task| task.share).sum();
    if (sum - 1.0).abs() > TOLERANCE {
        entry.problem(format!("the shares of all tasks sum to {sum}; correct share: the sum is 1"));
    }
    for (number, task) in tasks.iter().enumerate() {
        if tasks[..number].iter().any(|other| other.name == task.name) {
            entry.problem(format!("two tasks are called {}; add their shares", task.name.quoted()));
        }
    }
    tasks
}

fn share(section: Section<'_>) -> TaskShare {
    let fields = Fields { section, context: "of a task" };
    fields.refuse_unknown(&TASK_KEYS);
    TaskShare {
        name: fields.text("name", "name = \"sts\""),
        share: fields.number("share", Rule::Positive, "share = 0.5, its share of all items"),
    }
}

/// Items per second, or interactions per second with their size.
fn load(path: &str, fields: Fields<'_>, presets: &[PresetItems]) -> Load {
    let section = fields.section;
    match (section.entry("items_per_s"), section.entry("rate")) {
        (None, None) => {
            fields.missing(
                "items_per_s or rate",
                "items_per_s = 1.7e11, or rate = \"10MHz\" with preset",
            );
            Load::Items(f64::NAN)
        }
        (Some(_), Some(rate)) => {
            rate.problem("items_per_s and rate are both there; remove one of them");
            Load::Items(f64::NAN)
        }
        (Some(entry), None) => {
            if let Some(entry) = section.entry("items_per_interaction") {
                entry.problem(
                    "items_per_interaction goes with rate, not with items_per_s; remove it",
                );
            }
            Load::Items(entry.value(|text| Rule::Positive.parse(text)).unwrap_or(f64::NAN))
        }
        (None, Some(rate)) => {
            let rate_hz = rate.value(frequency).unwrap_or(f64::NAN);
            Load::Interactions(interactions(path, fields, presets, rate_hz))
        }
    }
}

fn frequency(text: &str) -> Result<f64, String> {
    let hertz = parse_frequency(text)?;
    if hertz > 0.0 { Ok(hertz) } else { Err("use a rate above 0".to_owned()) }
}

/// Size of interactions: that of the file, else that of the preset.
fn interactions(
    path: &str,
    fields: Fields<'_>,
    presets: &[PresetItems],
    rate_hz: f64,
) -> Interactions {
    if fields.section.entry("items_per_interaction").is_some() {
        let size = fields.optional_number("items_per_interaction", Rule::Positive);
        return Interactions {
            rate_hz,
            items_per_interaction: size.unwrap_or(f64::NAN),
            source: format!("{path}: items_per_interaction"),
            item_unit: None,
        };
    }
    let known = fields.section.entry("preset").and_then(|entry| preset(entry, presets, rate_hz));
    if fields.section.entry("preset").is_none() {
        fields.missing(
            "preset or items_per_interaction",
            "preset = \"cbm-auau\": rate needs the size of an interaction",
        );
    }
    Interactions {
        rate_hz,
        items_per_interaction: known.map_or(f64::NAN, |preset| preset.items_per_interaction),
        source: known.map_or_else(String::new, |it| format!("the preset {}", it.preset)),
        item_unit: known.map(|preset| preset.item_unit.to_owned()),
    }
}

/// The preset of an entry, if the number of items of its interactions is known at a rate.
fn preset<'p>(
    entry: Entry<'_>,
    presets: &'p [PresetItems],
    rate_hz: f64,
) -> Option<&'p PresetItems> {
    let name = entry.word()?.text;
    let Some(preset) = presets.iter().find(|preset| preset.preset == name) else {
        let known: Vec<&str> = presets.iter().map(|preset| preset.preset).collect();
        entry.problem(format!(
            "the number of items per interaction of the preset {} is not known, only those of: {}; \
             add items_per_interaction",
            name.quoted(),
            known.join(", ")
        ));
        return None;
    };
    let is_other_rate = (rate_hz / preset.interactions_hz - 1.0).abs() > SAME_RATE;
    if preset.source == ItemSource::Noise && is_other_rate {
        entry.problem(format!(
            "data of the preset {name} are mostly noise, which does not grow with the rate: its {} \
             {}s per interaction hold at {} Hz only; use items_per_s, or add items_per_interaction",
            preset.items_per_interaction, preset.item_unit, preset.interactions_hz
        ));
    }
    Some(preset)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRESETS: [PresetItems; 2] = [
        PresetItems {
            preset: "cbm-auau",
            item_unit: "digi",
            interactions_hz: 1e5,
            items_per_interaction: 17_184.0,
            source: ItemSource::Particles,
        },
        PresetItems {
            preset: "mcbm-2024",
            item_unit: "digi",
            interactions_hz: 260e3,
            items_per_interaction: 68.4,
            source: ItemSource::Noise,
        },
    ];

    const REST: &str =
        "name = \"farm\"\nheadroom = 0.3\nyears = 5\nelectricity_eur_per_kwh = 0.2\npue = 1.1\n";
    const TASK: &str = "task = \"sts\"\n";

    fn parsed(text: &str) -> Need {
        parse("need.toml", text, &PRESETS).unwrap_or_else(|error| panic!("{error}"))
    }

    fn problems(text: &str) -> String {
        parse("need.toml", text, &PRESETS).expect_err("refused").to_string()
    }

    #[test]
    fn items_or_interactions_are_the_load() {
        let need = parsed(&format!("{REST}{TASK}items_per_s = 1e9"));
        let conditions = (need.items_per_s(), need.spares, need.latency_p99_s);
        assert_eq!(conditions, (1e9, Spares::Nodes(0), None));
        let need = parsed(&format!("{REST}{TASK}rate = \"10MHz\"\npreset = \"cbm-auau\""));
        assert_eq!(need.items_per_s(), 171.84e9);
        assert_eq!(need.preset.as_deref(), Some("cbm-auau"));
        let need = parsed(&format!("{REST}{TASK}rate = 1000\nitems_per_interaction = 7"));
        assert_eq!((need.items_per_s(), need.item_unit()), (7000.0, None));
        let need = parsed(&format!("{REST}{TASK}rate = \"260kHz\"\npreset = \"mcbm-2024\""));
        assert!((need.items_per_s() - 17.784e6).abs() < 1.0, "{}", need.items_per_s());
    }

    #[test]
    fn loads_without_a_size_are_refused() {
        let refused = |load: &str| problems(&format!("{REST}{TASK}{load}"));
        assert!(refused("").contains("items_per_s or rate of a need is missing"));
        assert!(refused("rate = 1\nitems_per_s = 1").contains("remove one of them"));
        assert!(
            refused("rate = 1").contains("preset or items_per_interaction of a need is missing")
        );
        let unknown = refused("rate = 1\npreset = \"pp\"");
        assert!(
            unknown.contains("only those of: cbm-auau, mcbm-2024; add items_per_interaction"),
            "{unknown}"
        );
        let noise = refused("rate = \"10MHz\"\npreset = \"mcbm-2024\"");
        assert!(
            noise.contains("mostly noise") && noise.contains("hold at 260000 Hz only"),
            "{noise}"
        );
        assert!(refused("items_per_s = 1\nitems_per_interaction = 1").contains("goes with rate"));
        for load in ["items_per_s = 0", "items_per_s = nan", "rate = -1", "rate = \"x\""] {
            assert!(refused(load).contains("need.toml:7:"), "{load}: {}", refused(load));
        }
    }

    #[test]
    fn shares_of_tasks_sum_to_one() {
        let tasks = |a: &str, b: &str| {
            let task =
                |name: &str, share: &str| format!("[[task]]\nname = \"{name}\"\nshare = {share}\n");
            format!("{REST}items_per_s = 1\n{}{}", task("sts", a), task("velo", b))
        };
        let need = parsed(&tasks("0.75", "0.25"));
        assert_eq!(need.tasks.iter().map(|task| task.share).collect::<Vec<_>>(), [0.75, 0.25]);
        assert!(problems(&tasks("0.5", "0.25")).contains("sum to 0.75; correct share"));
        let twice = tasks("0.5", "0.5").replace("velo", "sts");
        assert!(problems(&twice).contains("two tasks are called \"sts\""));
        let unknown = tasks("0.5", "0.5").replace("share = 0.5", "shares = 0.5");
        assert!(problems(&unknown).contains("unknown key \"shares\" of a task"));
    }

    #[test]
    fn missing_and_invalid_fields_are_named_at_once() {
        let none = problems("");
        for key in ["name", "task", "headroom", "years", "electricity_eur_per_kwh", "pue"] {
            assert!(none.contains(&format!("{key} of a need is missing")), "{key}: {none}");
        }
        let full = format!("{REST}{TASK}items_per_s = 1\n");
        for (field, invalid) in [
            ("headroom = 0.3", "headroom = 1"),
            ("headroom = 0.3", "headroom = -0.1"),
            ("headroom = 0.3", "headroom = nan"),
            ("years = 5", "years = 0"),
            ("electricity_eur_per_kwh = 0.2", "electricity_eur_per_kwh = -0.2"),
            ("electricity_eur_per_kwh = 0.2", "electricity_eur_per_kwh = 0"),
            ("pue = 1.1", "pue = 0.9"),
            ("name = \"farm\"", "name = \"\""),
            ("items_per_s = 1\n", "items_per_s = 1\nspare_nodes = -1\n"),
            ("items_per_s = 1\n", "items_per_s = 1\navailability = 1\n"),
            ("items_per_s = 1\n", "items_per_s = 1\nlatency_p99_s = 0\n"),
            ("items_per_s = 1\n", "items_per_s = 1\nbytes_per_item = 0\n"),
        ] {
            let key = invalid.lines().last().expect("one").split(' ').next().expect("a key");
            let words = problems(&full.replace(field, invalid));
            let is_named = words.contains(&format!("{key} \"")) && words.contains("need.toml:");
            assert!(is_named && words.contains("use a"), "{invalid}: {words}");
        }
        let both = problems(&format!("{full}spare_nodes = 1\navailability = 0.9\n"));
        assert!(both.contains("need.toml:9:"), "{both}");
        assert!(both.contains("spare_nodes and availability are both there"), "{both}");
        let unknown = problems(&format!("{full}headrom = 1\n"));
        assert!(
            unknown.contains("need.toml:8:1: unknown key \"headrom\" of a need; "),
            "{unknown}"
        );
        assert!(unknown.contains("headroom"), "{unknown}");
    }
}
