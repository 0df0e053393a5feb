//! Next steps, as commands that can be copied.

use super::Key;
use super::measured::Measured;
use crate::program;
use crate::record::{AxisKind, Point, RunRecord};
use crate::shape::{self, AxisName};

/// The axis of data that were read from a file.
const INPUT: &str = "input";

/// Data for commands that measure again.
#[derive(Clone, Debug)]
pub struct Advice<'a> {
    /// The command that measures inconclusive points again.
    pub confirm: String,
    /// The command that measures both sides in a paired run, if the runs are of a suite.
    pub against: Option<String>,
    /// The new run.
    pub record: &'a RunRecord,
}

/// Next steps for a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Reason, or a step that is no command.
    pub hint: Option<&'static str>,
    /// Commands for a shell, the first one first.
    pub commands: Vec<String>,
}

impl<'a> Advice<'a> {
    /// Advice for a comparison of these runs with command-line `flags`.
    pub fn new(base: &str, new: &'a Measured, flags: &[String]) -> Self {
        Advice {
            confirm: confirm(base, &new.folder.to_string_lossy(), flags),
            against: against(base, &new.record, flags),
            record: &new.record,
        }
    }

    /// The command of a paired run, if there is one; else the one that confirms.
    pub fn paired(&self) -> &str {
        self.against.as_deref().unwrap_or(&self.confirm)
    }

    /// The command that measures a point of the new run again, with additional `flags`.
    pub fn measure(&self, key: &Key, flags: &[&str]) -> String {
        let line = measure_again(key, self.record);
        flags.iter().fold(line, |line, flag| format!("{line} {flag}"))
    }
}

/// The command that compares two runs again, and measures inconclusive points.
pub fn confirm(base: &str, new: &str, flags: &[String]) -> String {
    let words = [program::name(), "compare", base, new, "--confirm"].into_iter();
    let words = words.chain(flags.iter().map(String::as_str));
    shell_line(words)
}

/// The command that measures the run's suite and the base in a paired run: the original command
/// without its output folder, if the run was made by one.
fn against(base: &str, new: &RunRecord, flags: &[String]) -> Option<String> {
    let is_flag = |word: &str, flag: &str| word == flag || word.starts_with(&format!("{flag}="));
    if new.command.iter().any(|word| is_flag(word, "--against")) {
        let mut words = vec![program::name()];
        let mut given = new.command.iter().skip(1).map(String::as_str);
        while let Some(word) = given.next() {
            match word {
                "--out" => drop(given.next()),
                word if is_flag(word, "--out") => {}
                word => words.push(word),
            }
        }
        return Some(shell_line(words));
    }
    let suite = new.suite.as_ref()?.asked_for();
    let mut words = vec![program::name(), "run", suite, "--against", base];
    if let Some(at) = flags.iter().position(|flag| flag == "--store") {
        words.extend(flags[at..].iter().take(2).map(String::as_str));
    }
    Some(shell_line(words))
}

fn shell_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words = words.into_iter().map(quoted);
    words.collect::<Vec<_>>().join(" ")
}

/// The command that measures a point of a run again, with data of the same seed, or of the same
/// file.
pub fn measure_again(key: &Key, record: &RunRecord) -> String {
    let words = words_to_measure(&key.point, record);
    shell_line(std::iter::once(program::name()).chain(words.iter().map(String::as_str)))
}

/// The words after the program's name of the command that measures a point of a run again.
pub fn words_to_measure(point: &Point, record: &RunRecord) -> Vec<String> {
    let Point { algorithm, variant, device, threads, cpu_sets, bind, cache, params } = point;
    let mut words = vec![algorithm.clone()];
    words.extend(flag("variant", variant));
    for plugin in record.plugins.iter().filter(|plugin| !plugin.path.is_empty()) {
        words.extend(flag("plugin", &plugin.path));
    }
    match (record.input(params), params.get(INPUT)) {
        (Some(input), _) => {
            let paths = std::iter::once(&input.path).chain(&input.further_paths);
            words.extend(paths.flat_map(|path| flag(INPUT, path)));
            let options = input.options.iter();
            words.extend(options.flat_map(|(name, value)| {
                axis_flag(&AxisName::for_task(algorithm, name, params), value)
            }));
        }
        (None, Some(file)) => {
            words.extend(flag(INPUT, file));
            let axes = shape::param_axes(algorithm, params).into_iter();
            let options = axes.filter(|(name, _)| name.declared().with_input);
            words.extend(options.flat_map(|(name, value)| axis_flag(&name, &value)));
        }
        (None, None) => {
            let axes = shape::param_axes(algorithm, params).into_iter();
            words.extend(axes.flat_map(|(name, value)| axis_flag(&name, &value)));
            words.extend(flag("seed", &record.seed.to_string()));
        }
    }
    words.extend(flag("device", device));
    words.extend(flag("threads", &threads.to_string()));
    if !["", "none"].contains(&cpu_sets.as_str()) {
        words.extend(flag("places", cpu_sets));
        words.extend(flag("bind", bind));
    }
    words.extend(flag("cache", cache));
    words
}

/// The words of a flag: a single one if the value could be mistaken for another flag.
fn flag(name: &str, value: &str) -> Vec<String> {
    if value.starts_with('-') {
        vec![format!("--{name}={value}")]
    } else {
        vec![format!("--{name}"), value.to_owned()]
    }
}

/// The words of the flag of an axis. The flag of a switch needs no value, so a value must be part
/// of the same word.
fn axis_flag(name: &AxisName, value: &str) -> Vec<String> {
    if name.declared().kind == AxisKind::Switch {
        return vec![format!("--{name}={value}")];
    }
    flag(name, &shape::flag_value(name, value))
}

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;
    use crate::record::{InputRecord, Params, PluginRecord};

    #[test]
    fn a_point_can_be_measured_again() {
        let record = RunRecord { seed: 7, ..RunRecord::default() };
        let point = row("rdst", "order=jitter:64;timeslice=1000", 1.0).point();
        let bound = Point { cpu_sets: "{0:1},{1:1}".into(), bind: "close".into(), ..point };
        let key = Key::new(bound, "total");
        let expected = "bench sort --variant rdst --order jitter:64 --timeslice 1000ns --seed 7 \
             --device cpu --threads 2 --places '{0:1},{1:1}' --bind close --cache hot";
        assert_eq!(measure_again(&key, &record), expected);
    }

    #[test]
    fn a_file_is_read_from_where_it_was_and_as_it_was() {
        let params: Params = "content=ab;digis=5;input=my digis.csv".parse().expect("well formed");
        let point = Point { params: params.clone(), ..row("rdst", "", 1.0).point() };
        let key = Key::new(point, "total");
        let mut record = RunRecord::default();
        let expected = "bench sort --variant rdst --input 'my digis.csv' --device cpu";
        assert!(
            measure_again(&key, &record).starts_with(expected),
            "{}",
            measure_again(&key, &record)
        );
        let options = [("window".to_owned(), "50".to_owned())].into();
        record.inputs = vec![InputRecord {
            params,
            path: "data/my digis.csv".into(),
            further_paths: Vec::new(),
            options,
        }];
        let expected = "bench sort --variant rdst --input 'data/my digis.csv' --window 50ns --dev";
        assert!(
            measure_again(&key, &record).starts_with(expected),
            "{}",
            measure_again(&key, &record)
        );
    }

    #[test]
    fn variants_of_plugins_are_loaded_again() {
        let plugin = PluginRecord { path: "/my plugins/a.so".into(), ..PluginRecord::default() };
        let record = RunRecord { plugins: vec![plugin], ..RunRecord::default() };
        let key = Key::new(row("mine", "digis=5", 1.0).point(), "total");
        let expected = "bench sort --variant mine --plugin '/my plugins/a.so' --digis 5 --seed 0";
        assert!(
            measure_again(&key, &record).starts_with(expected),
            "{}",
            measure_again(&key, &record)
        );
    }

    #[test]
    fn a_comparison_can_be_made_again() {
        let flags = ["--store", "my store", "--min-effect", "3%"].map(str::to_owned);
        assert_eq!(
            confirm("base", "runs/new", &flags),
            "bench compare base runs/new --confirm --store 'my store' --min-effect 3%"
        );
    }

    #[test]
    fn a_suite_is_measured_against_its_base() {
        let mut record = crate::charts::fixture::run();
        assert_eq!(against("old", &record, &[]), None);
        record.suite = Some(crate::record::SuitePart {
            name: "smoke".into(),
            hash: "h".into(),
            shard: None,
            points: 1,
            path: None,
        });
        let flags = ["--min-effect", "3%", "--store", "my store"].map(str::to_owned);
        let expected = "bench run smoke --against old --store 'my store'";
        assert_eq!(against("old", &record, &flags).as_deref(), Some(expected));
        let suite = record.suite.as_mut().expect("set");
        suite.path = Some("my suites/smoke.toml".into());
        let expected = "bench run 'my suites/smoke.toml' --against old --store 'my store'";
        assert_eq!(against("old", &record, &flags).as_deref(), Some(expected));
        let given =
            ["/bin/bench", "run", "smoke", "--out", "x", "--against=v1", "--out=y", "--quiet"];
        record.command = given.map(str::to_owned).to_vec();
        let expected = "bench run smoke --against=v1 --quiet";
        assert_eq!(against("old", &record, &flags).as_deref(), Some(expected));
    }
}
