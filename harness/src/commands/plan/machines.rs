//! The file of the kinds of machines.

use reports::plan::Machine;
use text::Untrusted;

use super::fields::{Fields, Rule};
use crate::document::{self, Entry, InvalidDocument, Section};

const KEYS: [&str; 1] = ["machine"];
const MACHINE_KEYS: [&str; 10] = [
    "name",
    "price_eur",
    "idle_w",
    "peak_w",
    "rack_units",
    "network_gbit_s",
    "gpus",
    "availability",
    "results",
    "stream",
];

/// A machine, and the folders of its runs as they are written.
#[derive(Debug)]
pub(in crate::commands) struct MachineEntry {
    /// The machine, without its runs.
    pub(in crate::commands) machine: Machine,
    /// Folders relative to the file.
    pub(in crate::commands) results: Vec<String>,
    /// Folder of a stream, relative to the file.
    pub(super) stream: Option<String>,
}

/// Reads machines from their text; `path` is for messages.
///
/// # Errors
/// All their problems.
pub(super) fn parse(path: &str, text: &str) -> Result<Vec<MachineEntry>, InvalidDocument> {
    document::read(path, text, |root| read(path, root))
}

fn read(path: &str, root: Section<'_>) -> Vec<MachineEntry> {
    let fields = Fields { section: root, context: "of machines" };
    fields.refuse_unknown(&KEYS);
    let sections = root.sections("machine");
    if sections.is_empty() {
        fields.missing("machine", "[[machine]] with name, price_eur, idle_w, peak_w, rack_units, network_gbit_s and results");
    }
    let mut machines: Vec<MachineEntry> = Vec::new();
    for section in sections {
        let entry = machine(path, section);
        if machines.iter().any(|other| other.machine.name == entry.machine.name) {
            let name = entry.machine.name.quoted();
            section.problem(format!("two machines are called {name}; rename one of them"));
        }
        machines.push(entry);
    }
    machines
}

fn machine(path: &str, section: Section<'_>) -> MachineEntry {
    let fields = Fields { section, context: "of a machine" };
    fields.refuse_unknown(&MACHINE_KEYS);
    let idle_w = fields.number("idle_w", Rule::NotNegative, "idle_w = 300");
    let peak_w = fields.number("peak_w", Rule::Positive, "peak_w = 1200");
    if peak_w < idle_w {
        section.problem(format!(
            "peak_w of a machine, {peak_w}, is less than idle_w, {idle_w}; correct one of them"
        ));
    }
    let machine = Machine {
        file: path.to_owned(),
        name: fields.text("name", "name = \"one H200\""),
        price_eur: fields.number("price_eur", Rule::Positive, "price_eur = 40000"),
        idle_w,
        peak_w,
        rack_units: fields.number("rack_units", Rule::Positive, "rack_units = 2"),
        network_gbit_s: fields.number("network_gbit_s", Rule::Positive, "network_gbit_s = 400"),
        availability: fields.optional_number("availability", Rule::PositiveShare),
        gpus: fields.optional_count("gpus"),
        runs: Vec::new(),
        stream: None,
    };
    let results = section.entry("results").map_or_else(Vec::new, Entry::texts);
    MachineEntry { machine, results, stream: fields.optional_text("stream") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: &str = "[[machine]]
name = \"node\"
price_eur = 10000
idle_w = 100
peak_w = 300
rack_units = 2
network_gbit_s = 10
";

    fn problems(text: &str) -> String {
        parse("machines.toml", text).expect_err("refused").to_string()
    }

    #[test]
    fn machines_have_numbers_and_runs() {
        let text =
            format!("{NODE}gpus = 4\nresults = [\"a\", \"b\"]\n{}", NODE.replace("node", "other"));
        let machines = parse("machines.toml", &text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(machines[0].results, ["a", "b"]);
        let gpus: Vec<Option<u64>> = machines.iter().map(|it| it.machine.gpus).collect();
        assert_eq!(gpus, [Some(4), None]);
        assert_eq!(machines[1].machine.peak_w, 300.0);
    }

    #[test]
    fn missing_invalid_and_unknown_fields_are_named() {
        let missing = problems("[[machine]]\n");
        for key in &MACHINE_KEYS[..6] {
            assert!(
                missing.contains(&format!("{key} of a machine is missing")),
                "{key}: {missing}"
            );
        }
        assert!(problems("").contains("machine of machines is missing"));
        for (field, invalid) in [
            ("price_eur = 10000", "price_eur = 0"),
            ("price_eur = 10000", "price_eur = -1"),
            ("idle_w = 100", "idle_w = nan"),
            ("peak_w = 300", "peak_w = inf"),
            ("rack_units = 2", "rack_units = 0"),
            ("rack_units = 2", "rack_units = 2\navailability = 0"),
            ("network_gbit_s = 10", "network_gbit_s = 0\ngpus = 1.5"),
        ] {
            let words = problems(&NODE.replace(field, invalid));
            let line = invalid.lines().last().expect("a line");
            let key = line.split(' ').next().expect("a key");
            assert!(words.contains(&format!("{key} \"")) && words.contains("use a"), "{words}");
        }
        let less = problems(&NODE.replace("peak_w = 300", "peak_w = 50"));
        assert!(less.contains("peak_w of a machine, 50, is less than idle_w, 100"), "{less}");
        let unknown = problems(&format!("{NODE}price = 1\n"));
        assert!(
            unknown.contains("machines.toml:8:1: unknown key \"price\" of a machine"),
            "{unknown}"
        );
        assert!(problems(&format!("{NODE}{NODE}")).contains("two machines are called \"node\""));
    }
}
