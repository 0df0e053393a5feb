//! Reasons of verdicts as text. Hardware counters distinguish more work from the same work with
//! more waiting.

use statistics::{MIN_RESTARTS, MIN_SAMPLES};

use super::advice::{Advice, Steps};
use super::downgrade::Family;
use super::judge::{Judgement, Why};
use super::rounds::Quantity;
use super::{Key, Thresholds, Verdict};
use crate::record::{Code, Params};
use crate::units;

/// Tenfold time, as a change.
const TENFOLD: f64 = 9.0;

const MORE_SAMPLES: &str = "a point has too few samples: measure it with more";
const ENVIRONMENTS: &str =
    "a point is slower with the same machine code: compare the environments in both run.json";
const PROFILE: &str = "confirm that a point is slower before profiling it";
const LARGER: &str = "a point takes no measurable time: measure a larger input";

/// Result for a point, to be described.
pub struct PointReport<'a> {
    pub judgement: &'a Judgement,
    pub code: Code,
    pub family: Family,
    /// Change of hardware counters, if both runs have them.
    pub counters: Option<String>,
    pub thresholds: &'a Thresholds,
    /// Name of what was compared: `time`.
    pub quantity: &'static str,
}

impl PointReport<'_> {
    /// The smallest change, as a fraction, that would have been detected with a power of 80 %.
    pub fn detectable(&self) -> Option<f64> {
        let thresholds = self.thresholds;
        // If runs scatter, a change has to be as significant as the rank test requires.
        let needed = match self.judgement.runs_differ {
            Some(_) => self.family.needed.min(thresholds.significance),
            None => self.family.needed,
        };
        let evidence = self.judgement.evidence()?;
        let smallest = evidence.detectable(thresholds.min_effect.ln_1p(), needed);
        smallest.is_finite().then_some(smallest)
    }

    /// Reason of the verdict, with the detectable change.
    pub fn reason(&self) -> String {
        let why = self.why();
        match self.judgement.verdict {
            Verdict::Slower | Verdict::Faster => {
                let counters = self.counters.iter().map(|counters| format!("; {counters}"));
                why + &counters.collect::<String>()
            }
            Verdict::Inconclusive => match self.detectable() {
                // Detecting a tenfold time would mean nothing.
                Some(smallest) if smallest < TENFOLD => {
                    let smallest = units::percent(smallest);
                    format!("{why}; a change of {smallest} would have been detected")
                }
                _ => why,
            },
            Verdict::Same => why,
        }
    }

    fn why(&self) -> String {
        let judgement = self.judgement;
        let thresholds = self.thresholds;
        let range = |interval| units::change_range_of(interval, self.quantity);
        let range =
            judgement.estimate.interval.map_or_else(String::new, range) + &paired_rounds(judgement);
        let minimum = units::percent(thresholds.min_effect);
        match judgement.why {
            Why::BeyondMinimum => format!("{range}{}", with_code(judgement.verdict, self.code)),
            Why::IdenticalSamples => "the samples are identical".to_owned(),
            Why::BelowMinimum => format!("{range}: below the minimum effect of {minimum}"),
            Why::NoChangeSeen => format!("{range}: no change seen"),
            Why::AroundMinimum => format!("{range}: may be below the minimum effect of {minimum}"),
            Why::TooWide => {
                let resolution = units::percent(thresholds.resolution);
                format!("{range}: too noisy to exclude a change of {resolution}")
            }
            Why::RanksDisagree => {
                let p = judgement.p_value.unwrap_or(1.0);
                let what = match judgement.rounds {
                    Some(_) => "the rounds disagree on the direction",
                    None => "the ranks of the samples do not differ",
                };
                format!("{range}, but {what} (p = {p:.2})")
            }
            Why::Disturbed => format!("{range}, but other processes used the cores"),
            Why::RunsDiffer => {
                let differ = judgement.runs_differ.map_or_else(String::new, units::percent);
                format!("{range}: runs of the same code differ by {differ} on this machine")
            }
            Why::ByChance => {
                let points = units::counted(self.family.points, "point");
                format!("{range}, but among {points} such a difference is expected by chance")
            }
            Why::Busy => format!(
                "{range}, but the machine was busy, and its scatter between runs is unknown"
            ),
            Why::UnlikeLoads => {
                format!("{range}, but the machine was busy, and differently in both runs")
            }
            Why::SameCode => {
                format!("{range}, but the machine code is the same; only its address differs")
            }
            Why::TooFewRounds => {
                format!("rounds by fewer than {MIN_RESTARTS} processes on each side: no interval")
            }
            Why::TooFewSamples => format!("fewer than {MIN_SAMPLES} samples: no interval"),
            Why::NoDuration => "samples without duration: no ratio".to_owned(),
        }
    }

    /// Next steps for the point.
    pub fn next(&self, key: &Key, advice: &Advice<'_>) -> Steps {
        let judgement = self.judgement;
        let again = match judgement.why {
            _ if judgement.rounds.is_some() => advice.paired(),
            Why::Busy | Why::UnlikeLoads => advice.paired(),
            _ => &advice.confirm,
        };
        let again = || again.to_owned();
        match (judgement.verdict, judgement.why) {
            (_, Why::TooFewSamples) => Steps {
                hint: Some(MORE_SAMPLES),
                commands: vec![advice.measure(key, &["--samples", "30..100", "--max-time", "30s"])],
            },
            (Verdict::Slower, _) if self.code == Code::Same => {
                Steps { hint: Some(ENVIRONMENTS), commands: vec![again()] }
            }
            (Verdict::Slower, _) => Steps {
                hint: Some(PROFILE),
                commands: vec![again(), advice.measure(key, &["--profile"])],
            },
            (Verdict::Inconclusive, Why::NoDuration) => {
                Steps { hint: Some(LARGER), commands: Vec::new() }
            }
            // A repetition would give the same result.
            (_, Why::SameCode) => Steps::default(),
            (Verdict::Inconclusive, _) => Steps { hint: None, commands: vec![again()] },
            _ => Steps::default(),
        }
    }
}

/// ` in 40 paired rounds`, for paired runs.
fn paired_rounds(judgement: &Judgement) -> String {
    let of = match judgement.quantity {
        Quantity::Wall => "",
        // Other processes had the core for a part of the time.
        Quantity::Undelayed => ", without waiting for a core",
        Quantity::Cpu => ", by CPU time of the thread",
    };
    match judgement.rounds {
        None | Some(0) => String::new(),
        Some(rounds) => format!(" in {}{of}", units::counted(rounds, "paired round")),
    }
}

fn with_code(verdict: Verdict, code: Code) -> &'static str {
    match (verdict, code) {
        (Verdict::Slower, Code::Same) => {
            "; the machine code is the same, so the environment has changed"
        }
        (Verdict::Faster, Code::Same) => {
            "; the machine code is the same, so the environment has \
            changed"
        }
        (_, Code::Unknown) => "; the machine code can't be compared",
        _ => "",
    }
}

/// Relative difference below which numbers of instructions count as equal.
const SAME: f64 = 0.005;
/// Minimum relative difference of other counts, which scatter more.
const WORTH_A_WORD: f64 = 0.02;

/// The metrics of the instructions, on CPUs and of kernels.
const INSTRUCTIONS: [&str; 2] = ["instructions_per_item", "warp_instructions"];
/// The other metrics with their names.
const OTHERS: [(&str, &str); 5] = [
    ("dram_bytes", "DRAM bytes"),
    ("llc_misses_per_item", "last-level cache misses"),
    ("tlb_misses_per_item", "TLB misses"),
    ("branch_misses_per_item", "branch misses"),
    ("cycles_per_item", "cycles"),
];

/// `same instructions, 12 % more last-level cache misses`, if both rows have counts.
pub fn counter_changes(base: &Params, new: &Params) -> Option<String> {
    let instructions = INSTRUCTIONS.into_iter().find_map(|metric| ratio(base, new, metric))?;
    if (instructions - 1.0).abs() >= SAME {
        return Some(more(instructions, "instructions"));
    }
    let changed = OTHERS.iter().filter_map(|(metric, name)| {
        let ratio = ratio(base, new, metric)?;
        ((ratio - 1.0).abs() >= WORTH_A_WORD).then(|| more(ratio, name))
    });
    let phrases: Vec<_> = std::iter::once("same instructions".to_owned()).chain(changed).collect();
    Some(phrases.join(", "))
}

fn ratio(base: &Params, new: &Params, metric: &str) -> Option<f64> {
    let ratio = new.number(metric)? / base.number(metric)?;
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

/// `12 % more cycles`.
fn more(ratio: f64, what: &str) -> String {
    let (size, way) = if ratio >= 1.0 { (ratio - 1.0, "more") } else { (1.0 - ratio, "fewer") };
    format!("{} {way} {what}", units::percent(size))
}

#[cfg(test)]
mod tests {
    use statistics::{Interval, RatioEstimate};

    use super::*;
    use crate::record::RunRecord;

    fn judgement(why: Why, verdict: Verdict) -> Judgement {
        let interval = Some(Interval { low: 1.02, high: 1.06 });
        Judgement {
            df: Some(20.0),
            p_value: Some(1e-4),
            p_change: Some(0.03),
            verdict,
            ..Judgement::unclear(RatioEstimate { ratio: 1.04, interval }, why)
        }
    }

    fn found<'a>(judgement: &'a Judgement, thresholds: &'a Thresholds) -> PointReport<'a> {
        PointReport {
            judgement,
            code: Code::Changed,
            family: Family { points: 64, needed: 0.02 / 64.0 },
            counters: Some("same instructions".to_owned()),
            thresholds,
            quantity: "time",
        }
    }

    #[test]
    fn inconclusive_points_have_the_detectable_change() {
        let thresholds = Thresholds::default();
        let by_chance = judgement(Why::ByChance, Verdict::Inconclusive);
        let found = found(&by_chance, &thresholds);
        let smallest = found.detectable().expect("an interval");
        // 1 % and (4.3 + 0.9) times the error, which is 3.9 % over 2 · 2.086.
        assert!((0.055..0.065).contains(&smallest), "{smallest}");
        let expected = "+2.0 % to +6.0 % time, but among 64 points such a difference is expected \
            by chance; a change of 6.";
        assert!(found.reason().starts_with(expected), "{}", found.reason());
        assert!(found.reason().ends_with(" % would have been detected"), "{}", found.reason());
        // If runs scatter, a smaller family does not help.
        let of_runs = Judgement { runs_differ: Some(0.01), ..by_chance };
        let alone = PointReport {
            family: Family { points: 1, needed: 0.05 },
            ..self::found(&of_runs, &thresholds)
        };
        assert!(alone.detectable() < Some(smallest) && alone.detectable() > Some(0.045));
    }

    #[test]
    fn counters_are_mentioned_for_changes_only() {
        let thresholds = Thresholds::default();
        let slower = judgement(Why::BeyondMinimum, Verdict::Slower);
        assert_eq!(
            found(&slower, &thresholds).reason(),
            "+2.0 % to +6.0 % time; same instructions"
        );
        let same = judgement(Why::BelowMinimum, Verdict::Same);
        assert!(!found(&same, &thresholds).reason().contains("instructions"));
    }

    #[test]
    fn paired_runs_are_repeated_as_paired_runs() {
        let record = RunRecord::default();
        let advice =
            Advice { confirm: "confirm".into(), against: Some("against".into()), record: &record };
        let thresholds = Thresholds::default();
        let key = Key::new(crate::charts::fixture::row("a", "n=1", 1.0).point(), "total");
        let next =
            |judgement: Judgement| found(&judgement, &thresholds).next(&key, &advice).commands;
        let wide = judgement(Why::TooWide, Verdict::Inconclusive);
        assert_eq!(next(wide), ["confirm"]);
        let busy = judgement(Why::Busy, Verdict::Inconclusive);
        assert_eq!(next(busy), ["against"]);
        let rounds = Judgement { rounds: Some(40), ..wide };
        assert_eq!(next(rounds), ["against"]);
    }

    #[test]
    fn advice_is_a_command_and_nothing_else() {
        let record = RunRecord::default();
        let advice = Advice { confirm: "bench compare a b".into(), against: None, record: &record };
        let thresholds = Thresholds::default();
        let key = Key::new(crate::charts::fixture::row("a", "n=1", 1.0).point(), "total");
        for (why, verdict, commands) in [
            (Why::TooFewSamples, Verdict::Inconclusive, 1),
            (Why::BeyondMinimum, Verdict::Slower, 2),
            (Why::NoDuration, Verdict::Inconclusive, 0),
            (Why::TooWide, Verdict::Inconclusive, 1),
            (Why::BelowMinimum, Verdict::Same, 0),
        ] {
            let steps = found(&judgement(why, verdict), &thresholds).next(&key, &advice);
            assert_eq!(steps.commands.len(), commands, "{steps:?}");
            let is_command = |line: &String| line.starts_with("bench ") && !line.contains(": ");
            assert!(steps.commands.iter().all(is_command), "{steps:?}");
        }
    }

    fn phrases(base: &str, new: &str) -> Option<String> {
        let params = |text: &str| text.parse::<Params>().expect("well formed");
        counter_changes(&params(base), &params(new))
    }

    #[test]
    fn longer_waiting_is_distinguished_from_more_work() {
        let base = "cycles_per_item=10;instructions_per_item=20;llc_misses_per_item=0.1";
        let waits = "cycles_per_item=11;instructions_per_item=20.05;llc_misses_per_item=0.112";
        assert_eq!(
            phrases(base, waits).as_deref(),
            Some("same instructions, 12 % more last-level cache misses, 10 % more cycles")
        );
        let works = "cycles_per_item=11;instructions_per_item=21.8;llc_misses_per_item=0.1";
        assert_eq!(phrases(base, works).as_deref(), Some("9.0 % more instructions"));
        assert_eq!(phrases(works, base).as_deref(), Some("8.3 % fewer instructions"));
    }

    #[test]
    fn missing_counters_explain_nothing() {
        assert_eq!(phrases("", "instructions_per_item=1"), None);
        assert_eq!(phrases("instructions_per_item=0", "instructions_per_item=1"), None);
        assert_eq!(phrases("instructions_per_item=x", "instructions_per_item=1"), None);
        let alone = "instructions_per_item=5";
        assert_eq!(phrases(alone, alone).as_deref(), Some("same instructions"));
        let odd = "instructions_per_item=5;llc_misses_per_item=0";
        assert_eq!(phrases(odd, odd).as_deref(), Some("same instructions"));
    }
}
