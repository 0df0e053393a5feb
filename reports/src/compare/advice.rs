//! What to do next, as commands that can be copied.

use super::comparison::Key;
use super::measured::Measured;
use crate::record::RunRecord;

/// The axis of data that were read from a file.
const INPUT: &str = "input";

/// What is needed to measure again.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The command that measures doubtful points again.
    pub confirm: String,
    /// The command that measures both sides in turn, where the runs are of a suite.
    pub against: Option<String>,
    /// The seed of the new run's data.
    pub seed: u64,
}

impl Advice {
    /// For a comparison of these runs that was made with such flags.
    pub fn of(base: &str, new: &Measured, flags: &[String]) -> Self {
        Advice {
            confirm: confirm(base, &new.folder.to_string_lossy(), flags),
            against: against(base, &new.record, flags),
            seed: new.record.seed,
        }
    }

    /// The command that measures both in turn, if there is one; else the other.
    pub fn in_turn(&self) -> &str {
        self.against.as_deref().unwrap_or(&self.confirm)
    }
}

/// The command that compares two runs again, and measures what is doubtful.
pub fn confirm(base: &str, new: &str, flags: &[String]) -> String {
    let words = ["bench", "compare", base, new, "--confirm"].into_iter();
    let words = words.chain(flags.iter().map(String::as_str));
    shell_line(words)
}

/// The command that measures the run's suite and the base in turn: the one that was given, if
/// the run was made so, but for the folder that it went to.
fn against(base: &str, new: &RunRecord, flags: &[String]) -> Option<String> {
    let is_flag = |word: &str, flag: &str| word == flag || word.starts_with(&format!("{flag}="));
    if new.command.iter().any(|word| is_flag(word, "--against")) {
        let mut words = vec!["bench"];
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
    let suite = new.suite.as_ref()?;
    let mut words = vec!["bench", "run", suite.name.as_str(), "--against", base];
    if let Some(at) = flags.iter().position(|flag| flag == "--store") {
        words.extend(flags[at..].iter().take(2).map(String::as_str));
    }
    Some(shell_line(words))
}

fn shell_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words = words.into_iter().map(quoted);
    words.collect::<Vec<_>>().join(" ")
}

/// The command that measures a point again, with data of the same seed.
pub fn command(key: &Key, seed: u64) -> String {
    let mut command =
        format!("bench {} --variant {}", key.point.algorithm, quoted(&key.point.variant));
    let mut flag = |name: &str, value: &str| {
        command.push_str(&format!(" --{name} {}", quoted(value)));
    };
    match key.point.params.get(INPUT) {
        // What else is said of a file is found out by reading it.
        Some(file) => flag(INPUT, file),
        None => {
            for (name, value) in key.point.params.iter() {
                flag(name, &with_unit(name, value));
            }
            flag("seed", &seed.to_string());
        }
    }
    flag("device", &key.point.device);
    flag("threads", &key.point.threads.to_string());
    if !["", "none"].contains(&key.point.places.as_str()) {
        flag("places", &key.point.places);
        flag("bind", &key.point.bind);
    }
    flag("cache", &key.point.cache);
    command
}

/// A value as its flag takes it: `1000ns`.
fn with_unit(name: &str, value: &str) -> String {
    match crate::shape::unit(name) {
        Some(unit) if value.parse::<f64>().is_ok() => format!("{value}{unit}"),
        _ => value.to_owned(),
    }
}

/// A word as a shell takes it.
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
    use crate::record::Point;

    #[test]
    fn a_point_can_be_measured_again() {
        let point = row("rdst", "order=jitter:64;timeslice=1000", 1.0).point();
        let bound = Point { places: "{0:1},{1:1}".into(), bind: "close".into(), ..point };
        let mut key = Key::new(bound, "total");
        let expected = "bench sort --variant rdst --order jitter:64 --timeslice 1000ns --seed 7 \
             --device cpu --threads 2 --places '{0:1},{1:1}' --bind close --cache hot";
        assert_eq!(command(&key, 7), expected);
        key.point.params = "content=ab;digis=5;input=my digis.csv".parse().expect("well formed");
        let expected = "bench sort --variant rdst --input 'my digis.csv' --device cpu";
        assert!(command(&key, 7).starts_with(expected), "{}", command(&key, 7));
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
        });
        let flags = ["--min-effect", "3%", "--store", "my store"].map(str::to_owned);
        let expected = "bench run smoke --against old --store 'my store'";
        assert_eq!(against("old", &record, &flags).as_deref(), Some(expected));
        let given =
            ["/bin/bench", "run", "smoke", "--out", "x", "--against=v1", "--out=y", "--quiet"];
        record.command = given.map(str::to_owned).to_vec();
        let expected = "bench run smoke --against=v1 --quiet";
        assert_eq!(against("old", &record, &flags).as_deref(), Some(expected));
    }
}
