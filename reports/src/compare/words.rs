//! Verdicts in words: why, and what to do next.

use super::Thresholds;
use super::comparison::{Code, Key, Verdict};
use super::judge::{Judgement, Why};
use crate::statistics::{Interval, MIN_ROUNDS, MIN_SAMPLES};
use crate::units;

/// The axis of data that were read from a file.
const INPUT: &str = "input";

/// Why a point was judged so.
pub fn reason(judgement: &Judgement, code: Code, thresholds: &Thresholds) -> String {
    let range = judgement.interval.map_or_else(String::new, range) + &in_turn(judgement);
    let minimum = units::percent(thresholds.min_effect);
    match judgement.why {
        Why::BeyondMinimum => format!("{range}{}", with_code(judgement.verdict, code)),
        Why::IdenticalSamples => "the samples are the same numbers".to_owned(),
        Why::BelowMinimum => format!("{range}: below the minimum effect of {minimum}"),
        Why::NoChangeSeen => format!("{range}: no change seen"),
        Why::AroundMinimum => format!("{range}: perhaps below the minimum effect of {minimum}"),
        Why::TooWide => {
            let resolution = units::percent(thresholds.resolution);
            format!("{range}: too noisy to exclude a change of {resolution}")
        }
        Why::RanksDisagree => {
            let p = judgement.p_value.map_or(1.0, |p| p);
            let what = match judgement.rounds {
                Some(_) => "the rounds do not agree on a side",
                None => "the ranks of the samples do not differ",
            };
            format!("{range}, but {what} (p = {p:.2})")
        }
        Why::Disturbed => format!("{range}, but others used the cores meanwhile"),
        Why::RunsDiffer => {
            let differ = judgement
                .runs_differ
                .map_or_else(String::new, units::percent);
            format!("{range}: runs of the same code differ by {differ} on this machine")
        }
        Why::TooFewRounds => format!("fewer than {MIN_ROUNDS} rounds have no interval"),
        Why::TooFewSamples => format!("fewer than {MIN_SAMPLES} samples have no interval"),
        Why::NoDuration => "samples of no duration have no ratio".to_owned(),
    }
}

/// ` in 40 rounds in turn`, for what was measured so.
fn in_turn(judgement: &Judgement) -> String {
    let rounds = judgement.rounds.filter(|rounds| *rounds > 0);
    rounds.map_or_else(String::new, |rounds| format!(" in {rounds} rounds in turn"))
}

fn with_code(verdict: Verdict, code: Code) -> &'static str {
    match (verdict, code) {
        (Verdict::Slower, Code::Same) => {
            "; the machine code is the same, so the environment has changed"
        }
        (Verdict::Faster, Code::Same) => "; the machine code is the same: the environment",
        (_, Code::Unknown) => "; whether the machine code is the same is not known",
        _ => "",
    }
}

/// What is needed to measure again.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The command that measures doubtful points again.
    pub confirm: String,
    /// The seed of the new run's data.
    pub seed: u64,
}

/// The command that compares two runs again, and measures what is doubtful.
pub fn confirm(base: &str, new: &str, flags: &[String]) -> String {
    let words = ["bench", "compare", base, new, "--confirm"].into_iter();
    let words = words.chain(flags.iter().map(String::as_str));
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

/// What to do about a point.
pub fn next(judgement: &Judgement, code: Code, key: &Key, advice: &Advice) -> Option<String> {
    let Advice { confirm, seed } = advice;
    match (judgement.verdict, judgement.why) {
        (_, Why::TooFewSamples) => Some(format!(
            "measure it with more samples: {} --samples 30..100 --max-time 30s",
            command(key, *seed)
        )),
        (Verdict::Slower, _) if code == Code::Same => Some(format!(
            "compare the environments in both run.json, then {confirm}"
        )),
        (Verdict::Slower, _) => Some(format!(
            "{confirm}, then profile it: {} --profile",
            command(key, *seed)
        )),
        (Verdict::Inconclusive, Why::NoDuration) => {
            Some("measure a larger point: this one takes no time".to_owned())
        }
        (Verdict::Inconclusive, _) => Some(confirm.clone()),
        _ => None,
    }
}

/// The command that measures a point again, with data of the same seed.
pub fn command(key: &Key, seed: u64) -> String {
    let mut command = format!(
        "bench {} --variant {}",
        key.point.algorithm,
        quoted(&key.point.variant)
    );
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
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// `1.2 to 3.4 % slower`, `1.2 % faster to 0.3 % slower`.
fn range(interval: Interval) -> String {
    let change = |ratio: f64| {
        let slower = ratio >= 1.0;
        let size = if slower {
            ratio - 1.0
        } else {
            1.0 / ratio - 1.0
        };
        (100.0 * size, if slower { "slower" } else { "faster" })
    };
    let digits = |percent: f64| units::significant(percent, 2);
    let ((low, low_way), (high, high_way)) = (change(interval.low), change(interval.high));
    match (low_way == high_way, low_way) {
        (true, "slower") => format!("{} to {} % slower", digits(low), digits(high)),
        (true, _) => format!("{} to {} % faster", digits(high), digits(low)),
        (false, _) => format!(
            "{} % {low_way} to {} % {high_way}",
            digits(low),
            digits(high)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Point;

    #[test]
    fn ranges_read_well() {
        let range = |low, high| range(Interval { low, high });
        assert_eq!(range(1.012, 1.034), "1.2 to 3.4 % slower");
        assert_eq!(range(0.5, 0.8), "25 to 100 % faster");
        assert_eq!(range(0.99, 1.02), "1.0 % faster to 2.0 % slower");
    }

    #[test]
    fn a_point_can_be_measured_again() {
        let point = Point {
            algorithm: "sort".into(),
            variant: "rdst".into(),
            device: "cpu".into(),
            threads: 2,
            places: "{0:1},{1:1}".into(),
            bind: "close".into(),
            cache: "hot".into(),
            params: "order=jitter:64;timeslice=1000"
                .parse()
                .expect("well formed"),
        };
        let key = Key::new(point, "total");
        let expected = "bench sort --variant rdst --order jitter:64 --timeslice 1000ns --seed 7 \
             --device cpu --threads 2 --places '{0:1},{1:1}' --bind close --cache hot";
        assert_eq!(command(&key, 7), expected);
        let mut key = key;
        key.point.params = "content=ab;digis=5;input=my digis.csv"
            .parse()
            .expect("well formed");
        let expected = "bench sort --variant rdst --input 'my digis.csv' --device cpu";
        assert!(
            command(&key, 7).starts_with(expected),
            "{}",
            command(&key, 7)
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
}
