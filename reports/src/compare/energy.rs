//! Energy of the points of two runs, judged as times are: by the windows of repeated runs in which it
//! was measured.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use statistics::{Interval, Series};
use text::Untrusted;

use super::downgrade::hold_back;
use super::judge::{Judgement, Thresholds, Why, judge};
use super::measured::{Measured, MeasuredPoint, PointEnergy, RunConditions};
use super::words::PointReport;
use super::{Key, Verdict};
use crate::rank::TOTAL;
use crate::record::Code;
use crate::units::{self, counted};

/// Energy of an item of one point, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnergyVerdict {
    /// The point.
    pub key: Key,
    /// Its energy in the base.
    pub base: EnergySide,
    /// Its energy in the new run.
    pub new: EnergySide,
    /// The new median over the base's; null if they can't be compared.
    #[serde(deserialize_with = "super::nan_for_null")]
    pub ratio: f64,
    /// The 95 % interval of the ratio; `None` for too few windows.
    #[cfg_attr(test, schemars(with = "Option<crate::schema::Interval>"))]
    pub interval: Option<Interval>,
    /// Two-sided p-value of the rank test.
    pub p_value: Option<f64>,
    /// The verdict.
    pub verdict: EnergyChange,
    /// Change of the machine code.
    pub code: Code,
    /// Reason of the verdict.
    pub reason: String,
}

/// Energy of a point in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnergySide {
    /// Number of windows.
    pub windows: usize,
    /// Median energy of an item in joules.
    pub j_per_item: f64,
    /// Meters of it.
    pub source: String,
}

/// Verdict on the energy of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum EnergyChange {
    /// More energy by more than the minimum effect.
    More,
    /// The windows allow no conclusion.
    Inconclusive,
    /// Less energy by more than the minimum effect.
    Less,
    /// No relevant change.
    Same,
}

impl EnergyChange {
    /// All verdicts, the most urgent first.
    pub const ALL: [EnergyChange; 4] =
        [EnergyChange::More, EnergyChange::Inconclusive, EnergyChange::Less, EnergyChange::Same];
}

impl fmt::Display for EnergyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            EnergyChange::More => "MORE",
            EnergyChange::Inconclusive => "INCONCLUSIVE",
            EnergyChange::Less => "LESS",
            EnergyChange::Same => "SAME",
        })
    }
}

impl From<Verdict> for EnergyChange {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Slower => EnergyChange::More,
            Verdict::Inconclusive => EnergyChange::Inconclusive,
            Verdict::Faster => EnergyChange::Less,
            Verdict::Same => EnergyChange::Same,
        }
    }
}

/// Energies of the points of two runs.
#[derive(Debug, Default)]
pub(super) struct EnergyComparison {
    /// Points that have an energy in both.
    pub verdicts: Vec<EnergyVerdict>,
    /// A note on points that have it in one of them only.
    pub note: Option<String>,
}

/// A point with an energy in both runs.
struct Pair<'a> {
    key: &'a Key,
    sides: [&'a PointEnergy; 2],
    code: Code,
    judgement: Judgement,
}

/// Judges the energies of all points that both runs have, except of those that `is_unlike`, which
/// ran on different hardware.
pub(super) fn compare_energy(
    base: &Measured,
    new: &Measured,
    thresholds: &Thresholds,
    is_unlike: impl Fn(&Key) -> bool,
) -> EnergyComparison {
    let conditions = RunConditions::new(base, new);
    let whole = |point: &&MeasuredPoint| point.key.stage == TOTAL && !is_unlike(&point.key);
    let in_base: HashMap<&Key, &MeasuredPoint> =
        base.points.iter().filter(whole).map(|point| (&point.key, point)).collect();
    let mut one_sided = [0; 2];
    let mut pairs = Vec::new();
    for point in new.points.iter().filter(whole) {
        let Some(partner) = in_base.get(&point.key) else { continue };
        match (&partner.energy, &point.energy) {
            (Some(a), Some(b)) => {
                let code = Code::from_fingerprints(&partner.fingerprint, &point.fingerprint);
                let judgement = judged([a, b], thresholds).under(conditions);
                pairs.push(Pair { key: &point.key, sides: [a, b], code, judgement });
            }
            (Some(_), None) => one_sided[0] += 1,
            (None, Some(_)) => one_sided[1] += 1,
            (None, None) => {}
        }
    }
    let mut judged: Vec<_> = pairs.iter_mut().map(|pair| (true, &mut pair.judgement)).collect();
    let family = hold_back(&mut judged, thresholds)(true);
    let verdicts = pairs.iter().map(|pair| {
        let report = PointReport {
            judgement: &pair.judgement,
            code: pair.code,
            family,
            counters: None,
            thresholds,
            quantity: "energy",
        };
        pair.verdict(report.reason())
    });
    EnergyComparison { verdicts: verdicts.collect(), note: note(one_sided) }
}

fn judged([base, new]: [&PointEnergy; 2], thresholds: &Thresholds) -> Judgement {
    let series = |energy: &PointEnergy| Series::new(&energy.windows, &[0]);
    judge(&series(base), &series(new), thresholds)
}

impl Pair<'_> {
    fn verdict(&self, reason: String) -> EnergyVerdict {
        let [base, new] = self.sides;
        let side = |energy: &PointEnergy| EnergySide {
            windows: energy.windows.len(),
            j_per_item: energy.j_per_item,
            source: energy.source.clone(),
        };
        let verdict = EnergyVerdict {
            key: self.key.clone(),
            base: side(base),
            new: side(new),
            ratio: new.j_per_item / base.j_per_item,
            interval: self.judgement.estimate.interval,
            p_value: self.judgement.p_value,
            verdict: self.judgement.verdict.into(),
            code: self.code,
            reason: match self.judgement.why {
                Why::TooFewSamples => {
                    format!(
                        "{}: no interval; measure with a longer --max-time",
                        reason_few(base, new)
                    )
                }
                _ => reason,
            },
        };
        if base.source == new.source {
            return verdict;
        }
        EnergyVerdict {
            ratio: f64::NAN,
            interval: None,
            p_value: None,
            verdict: EnergyChange::Inconclusive,
            reason: format!(
                "measured by {} in the base, and by {} in the new run",
                base.source.quoted(),
                new.source.quoted()
            ),
            ..verdict
        }
    }
}

/// `2 windows in the base, 10 in the new run`.
fn reason_few(base: &PointEnergy, new: &PointEnergy) -> String {
    let windows = counted(base.windows.len(), "window");
    format!("{windows} in the base, {} in the new run", new.windows.len())
}

fn note([base, new]: [usize; 2]) -> Option<String> {
    let side = |count: usize, run: &str| {
        let words = format!("of {} is known in the {run} only", counted(count, "point"));
        (count > 0).then_some(words)
    };
    let sides = [side(base, "base"), side(new, "new run")];
    let sides: Vec<String> = sides.into_iter().flatten().collect();
    (!sides.is_empty()).then(|| format!("the energy {}", sides.join(", and that ")))
}

impl EnergyVerdict {
    /// The energies of both runs and their ratio, with the interval.
    pub fn values(&self) -> [String; 4] {
        let interval = self.interval.map_or(units::UNKNOWN.to_owned(), units::ratio_interval);
        [
            units::joules(self.base.j_per_item),
            units::joules(self.new.j_per_item),
            units::ratio(self.ratio),
            interval,
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::charts::fixture::{row, run};
    use crate::record::Params;

    /// A run with a point whose windows scatter evenly around an energy.
    fn measured(started: &str, joules: f64, windows: usize, source: &str) -> Measured {
        let step = |i: usize| 1.0 + 0.01 * ((i * 7919 % 10) as f64 / 10.0 - 0.5);
        let windows: Vec<f64> = (0..windows).map(|i| joules * step(i)).collect();
        let point = MeasuredPoint {
            key: Key::new(row("a", "n=1", 1.0).point(), TOTAL),
            fingerprint: "code:1".into(),
            metrics: Params::default(),
            samples: Err("not needed".into()),
            energy: Some(PointEnergy { j_per_item: joules, windows, source: source.into() }),
            items: 1,
            quality: Vec::new(),
        };
        Measured {
            folder: started.into(),
            record: crate::record::RunRecord { started: started.into(), ..run() },
            points: vec![point],
            clock_mhz: BTreeMap::new(),
        }
    }

    fn found(base: &Measured, new: &Measured) -> EnergyComparison {
        compare_energy(base, new, &Thresholds::default(), |_| false)
    }

    #[test]
    fn windows_are_judged_as_samples_are() {
        let base = measured("1", 1e-8, 10, "cpu");
        for (factor, expected) in [
            (1.2, EnergyChange::More),
            (0.8, EnergyChange::Less),
            (1.0001, EnergyChange::Same),
            (1.011, EnergyChange::Inconclusive),
        ] {
            let new = measured("2", factor * 1e-8, 10, "cpu");
            let verdict = found(&base, &new).verdicts.remove(0);
            assert_eq!(verdict.verdict, expected, "{verdict:?}");
            assert!(verdict.interval.is_some() && (verdict.ratio - factor).abs() < 1e-9);
            assert!(verdict.reason.contains("energy") && !verdict.reason.contains("time"));
        }
    }

    #[test]
    fn few_windows_and_different_meters_allow_no_conclusion() {
        let base = measured("1", 1e-8, 10, "cpu");
        let few = found(&base, &measured("2", 2e-8, 5, "cpu")).verdicts.remove(0);
        assert_eq!((few.verdict, few.interval), (EnergyChange::Inconclusive, None));
        assert!(few.reason.starts_with("10 windows in the base, 5 in the new run: no interval"));
        let other = found(&base, &measured("2", 2e-8, 10, "cpu minus idle")).verdicts.remove(0);
        assert_eq!(other.verdict, EnergyChange::Inconclusive);
        assert_eq!(
            other.reason,
            "measured by \"cpu\" in the base, and by \"cpu minus idle\" in the new run"
        );
        let text = serde_json::to_string(&other).expect("JSON");
        let read: EnergyVerdict = serde_json::from_str(&text).expect("as written");
        assert!(read.ratio.is_nan());
    }

    #[test]
    fn energies_of_one_run_only_are_noted() {
        let base = measured("1", 1e-8, 10, "cpu");
        let mut without = measured("2", 1e-8, 10, "cpu");
        without.points[0].energy = None;
        let expected = "the energy of 1 point is known in the base only";
        assert_eq!(found(&base, &without).note.as_deref(), Some(expected));
        let expected = "the energy of 1 point is known in the new run only";
        assert_eq!(found(&without, &base).note.as_deref(), Some(expected));
        assert_eq!(found(&without, &without).note, None);
        let unlike = compare_energy(&base, &base, &Thresholds::default(), |_| true);
        assert!(unlike.verdicts.is_empty());
    }
}
