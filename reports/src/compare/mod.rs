//! Comparison of two runs, point by point: its result, and the steps to it.
//!
//! | module | does |
//! |---|---|
//! | `measured` | reads the data of a run that comparisons need, and detects load by other processes |
//! | `judge` | judges two series of samples by the limits for a change |
//! | `downgrade` | downgrades verdicts whose conditions are not clear, or that chance explains |
//! | `rounds` | reads and judges paired runs |
//! | `scatter` | scatter between runs of the same code, by a self-test or by history |
//! | `energy` | judges the energy of points |
//! | `quality` | judges the quality of outputs |
//! | `join` | finds the points that both runs have, judges them, and names those without a verdict |
//! | `words`, `notes`, `advice` | reasons, and next steps |
//! | `gate` | error rates of verdicts |
//! | `render` | output for terminals, pages, programs and CI servers |

mod advice;
mod downgrade;
mod energy;
pub(crate) mod gate;
mod join;
mod judge;
mod measured;
mod notes;
mod quality;
pub mod render;
mod rounds;
mod scatter;
mod words;

use std::cmp::Ordering;
use std::fmt;

pub use crate::record::Code;
pub use advice::{confirm as confirm_command, measure_again, quoted, words_to_measure};
pub use energy::{EnergyChange, EnergySide, EnergyVerdict};
pub use join::{Unjudged, compare};
pub use judge::{CompareOptions, Judgement, Thresholds, Why, judge, judge_paired};
pub(crate) use measured::MAX_DISTURBED;
pub use measured::{CompareError, Measured, MeasuredPoint, PointEnergy, Samples};
pub use quality::{QualityChange, QualitySide, QualityVerdict};
pub use rounds::{Quantity, Round, paired};
pub use scatter::{Origin, RunScatter, scatter_of};

use serde::{Deserialize, Deserializer, Serialize};
use statistics::Interval;

use crate::rank::TOTAL;
use crate::record::{Point, SelfTest};
use crate::shape;
use crate::units;

/// Comparison of two runs, point by point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The baseline run.
    pub base: RunName,
    /// The run that is judged.
    pub new: RunName,
    /// Limits for a change.
    pub thresholds: Thresholds,
    /// The points that both runs have, in the order of the new run.
    pub points: Vec<PointVerdict>,
    /// The points whose energy was measured in both runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub energy: Vec<EnergyVerdict>,
    /// Metrics of quality that are known in both runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quality: Vec<QualityVerdict>,
    /// Points and stages that only the base has, or that are valid there only.
    pub only_base: Vec<Unmatched>,
    /// Points and stages that only the new run has, or that are valid there only.
    pub only_new: Vec<Unmatched>,
    /// True if both runs were requested with the same points: points that only the base has are
    /// missing in the new run then.
    #[serde(default)]
    pub asked_alike: bool,
    /// True if addresses were randomised in the processes of a paired run; `None` for separate
    /// runs, and where it is not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aslr: Option<bool>,
    /// Notes on the comparison as a whole.
    pub notes: Vec<String>,
    /// Error rates of comparisons on this machine, if they were ever measured.
    pub gate: Option<SelfTest>,
}

/// Identification of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunName {
    /// The folder, as specified.
    pub folder: String,
    /// UTC, RFC 3339.
    pub started: String,
    /// The commit of the program.
    pub git_commit: Option<String>,
    /// The machine's key.
    pub machine_key: String,
    /// The machine's CPU.
    pub cpu_model: String,
}

/// Reason of a point without a partner, if the new run has no such row.
pub const NOT_MEASURED: &str = "not measured";
/// Why a point of the base has no partner, if the program no longer has its variant.
pub const RETIRED: &str = "the variant was retired";
/// Why a point of the new run has no partner, if the base has no such row.
pub const NEW: &str = "new";
/// Prefixes of the notes of rows whose variant was wrong, or failed.
const WRONG: [&str; 2] = ["wrong output", "failed: "];

/// A point and stage without a partner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unmatched {
    /// The point.
    pub key: Key,
    /// Reason: `not measured`, `new`, or the note of a row that is not valid.
    pub reason: String,
}

/// Key by which points are joined.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Key {
    /// The point.
    #[serde(flatten)]
    pub point: Point,
    /// `total`, or a stage that the variant reports.
    pub stage: String,
}

/// One point and stage, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PointVerdict {
    /// The point.
    pub key: Key,
    /// Its samples in the base.
    pub base: Side,
    /// Its samples in the new run.
    pub new: Side,
    /// The new median over the base's; NaN if there is none.
    #[serde(deserialize_with = "nan_for_null")]
    pub ratio: f64,
    /// The 95 % interval of the ratio; `None` for too few samples.
    #[cfg_attr(test, schemars(with = "Option<crate::schema::Interval>"))]
    pub interval: Option<Interval>,
    /// Two-sided p-value of the rank test: of Mann and Whitney, or the sign test for paired runs.
    pub p_value: Option<f64>,
    /// Two-sided p-value of "the change is within the minimum effect": points are ranked by it if
    /// many are judged.
    #[serde(default)]
    pub p_change: Option<f64>,
    /// Distance of the farther end of its interval from the ratio: 0.008 for ± 0.8 %.
    #[serde(default)]
    pub resolution: Option<f64>,
    /// The smallest change, as a fraction, that would have been detected with a power of 80 %.
    #[serde(default)]
    pub detectable: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Change of the machine code.
    pub code: Code,
    /// Reason of the verdict.
    pub reason: String,
    /// The command to run next, for a shell.
    pub next: Option<String>,
    /// The command to run after that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// Reason, or a step that is no command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl PointVerdict {
    /// The commands to run next, in their order.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.next.iter().chain(&self.then).map(String::as_str)
    }
}

/// The samples of one point in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Side {
    /// Number of samples that count.
    pub samples: usize,
    /// Their median in seconds.
    pub median_s: f64,
    /// The machine code that ran.
    pub fingerprint: String,
}

/// Verdict on a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// Slower by more than the minimum effect.
    Slower,
    /// The samples allow no conclusion.
    Inconclusive,
    /// Faster by more than the minimum effect.
    Faster,
    /// No relevant change.
    Same,
}

/// Reads null as NaN, which JSON lacks.
fn nan_for_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl Verdict {
    /// All verdicts, the most urgent first.
    pub const ALL: [Verdict; 4] =
        [Verdict::Slower, Verdict::Inconclusive, Verdict::Faster, Verdict::Same];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Slower => "SLOWER",
            Verdict::Inconclusive => "INCONCLUSIVE",
            Verdict::Faster => "FASTER",
            Verdict::Same => "SAME",
        })
    }
}

impl Comparison {
    /// Number of points with a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.with_verdict(verdict).count()
    }

    /// The points with a verdict.
    pub fn with_verdict(&self, verdict: Verdict) -> impl Iterator<Item = &PointVerdict> {
        self.points.iter().filter(move |point| point.verdict == verdict)
    }

    /// Number of points with a verdict on their energy.
    pub fn count_energy(&self, verdict: EnergyChange) -> usize {
        self.energy.iter().filter(|point| point.verdict == verdict).count()
    }

    /// Number of metrics of quality with a verdict.
    pub fn count_quality(&self, verdict: QualityChange) -> usize {
        self.quality.iter().filter(|metric| metric.verdict == verdict).count()
    }

    /// The points of the base whose variants gave a wrong output in the new run, or failed.
    pub fn wrong(&self) -> impl Iterator<Item = &Unmatched> {
        self.only_base.iter().filter(|point| point.is_wrong())
    }
}

/// True if the note of a row states that its output was wrong, or that it failed.
pub(crate) fn is_wrong(note: &str) -> bool {
    WRONG.iter().any(|begin| note.starts_with(begin))
}

impl Unmatched {
    /// True if the other run has the point, but with a wrong output or none.
    pub fn is_wrong(&self) -> bool {
        is_wrong(&self.reason)
    }
}

impl PointVerdict {
    /// The verdict; if it is no change, with the resolution: `SAME (± 0.8 %)`.
    pub fn label(&self) -> String {
        match (self.verdict, self.resolution) {
            (Verdict::Same, Some(resolution)) => {
                format!("{} (± {})", self.verdict, units::percent(resolution))
            }
            (verdict, _) => verdict.to_string(),
        }
    }

    /// The most urgent verdict first, and of these the largest change first.
    pub fn by_urgency(&self, other: &Self) -> Ordering {
        let change = |point: &Self| point.ratio.ln().abs();
        let by_verdict = self.verdict.cmp(&other.verdict);
        by_verdict.then_with(|| change(other).total_cmp(&change(self)))
    }
}

impl Key {
    /// The key of a point's stage.
    pub fn new(point: Point, stage: &str) -> Self {
        let stage = stage.to_owned();
        Key { point, stage }
    }

    /// `block-merge`, `block-merge kernel`, `block-merge on cuda:0`.
    pub fn name(&self) -> String {
        let stage = match self.stage.as_str() {
            TOTAL => String::new(),
            stage => format!(" {stage}"),
        };
        shape::on_device(format!("{}{stage}", self.point.variant), &self.point.device)
    }
}
