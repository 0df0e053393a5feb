//! A figure, or a table, of a publication.

use serde::Deserialize;

use super::streams::Stream;
use crate::grouped::distinct;
use crate::record::{Params, Point};
use crate::units;

/// A figure with all that is known of it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Figure {
    /// `fig5.5`, `tab5.1`.
    pub id: String,
    /// The id of the group that it belongs to, such as `secB`; none if empty.
    pub group: String,
    /// What it shows.
    pub title: String,
    /// Where it is.
    pub source: String,
    /// What takes the place of times where machines differ, and what is timed.
    pub normalised: String,
    /// Why it can't be had here; empty if it can.
    pub reason: String,
    /// Where the publications say different things; empty if they don't.
    pub contradiction: String,
    /// Its values; those of one label are the same here.
    #[serde(skip)]
    pub values: Vec<Value>,
    /// What was concluded from them.
    #[serde(skip)]
    pub claims: Vec<Claim>,
    /// What it is measured by, if it is about streams rather than single inputs.
    #[serde(skip)]
    pub stream: Option<Stream>,
}

/// A value of a figure, or one that is measured beside it: what was printed, and what it is
/// called here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Value {
    /// The figure's id.
    pub figure: String,
    /// What it is of; a label may have values of several machines.
    pub label: String,
    /// The machine that was published; empty for what was not.
    pub hardware: String,
    /// The printed number.
    pub published: Option<Printed>,
    /// Its unit.
    pub unit: Unit,
    /// How many items that time was for, where it is known.
    pub items: Option<f64>,
    /// The label of the value that this one is related to.
    pub basis: Option<String>,
    /// The task, `stream` or `throughput`; empty for what was published only, and can't be had
    /// here.
    pub task: String,
    /// The variant.
    pub variant: String,
    /// The stages whose times are added up, joined by `+`; a share of one: `0.5*total`.
    pub stage: String,
    /// `cpu`, `cuda`, `wgpu` or `wgpu+checked`.
    pub device: String,
    /// How many threads.
    pub threads: Threads,
    /// Where threads are placed; anywhere if empty.
    pub places: String,
    /// How they are bound there, of nested teams whatever their size is; anyhow if empty.
    pub bind: String,
    /// Values that the point has to have.
    pub params: Params,
    /// A figure of the task that is meant instead of the time: `us_per_page`, `clusters`.
    pub metric: Option<String>,
}

/// A number as it was printed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Printed {
    text: String,
    /// The number.
    pub number: f64,
}

impl TryFrom<String> for Printed {
    type Error = std::num::ParseFloatError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let number = text.parse()?;
        Ok(Printed { text, number })
    }
}

impl Printed {
    /// With all its digits, and no more: `276.6`, `5.9 M`, `20 M`.
    pub fn words(&self) -> String {
        if self.text.contains('e') {
            return units::count(self.number);
        }
        match self.text.strip_suffix("000000") {
            Some(millions) => format!("{millions} M"),
            None => self.text.clone(),
        }
    }
}

/// The unit of a printed number.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum Unit {
    /// A time.
    Seconds,
    /// A time.
    Milliseconds,
    /// A time.
    Microseconds,
    /// So many times faster than the basis.
    SpeedUp,
    /// So many per cent more time than the basis.
    Longer,
    /// No time, but so many of these: `bytes`, `clusters`.
    Amount(String),
    /// Nothing was printed.
    Nothing,
}

impl From<String> for Unit {
    fn from(text: String) -> Self {
        match text.as_str() {
            "s" => Unit::Seconds,
            "ms" => Unit::Milliseconds,
            "us" => Unit::Microseconds,
            "x" => Unit::SpeedUp,
            "% longer" => Unit::Longer,
            "" => Unit::Nothing,
            _ => Unit::Amount(text),
        }
    }
}

/// How many threads a value is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Threads {
    /// As many as there are.
    All,
    /// Each number between one and all that was measured: a value for each, in whose label it
    /// takes the place of `{}`.
    Between,
    /// So many.
    Exactly(usize),
    /// It does not matter.
    Any,
}

impl TryFrom<String> for Threads {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Ok(match text.as_str() {
            "all" => Threads::All,
            "between" => Threads::Between,
            "" => Threads::Any,
            number => Threads::Exactly(number.parse()?),
        })
    }
}

/// A conclusion: one value is smaller than another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Claim {
    /// The figure's id.
    pub figure: String,
    /// The label of the faster one.
    pub faster: String,
    /// The label of the slower one.
    pub slower: String,
    /// The machine where the faster one was published.
    pub hardware_of_faster: String,
    /// The machine where the slower one was published.
    pub hardware_of_slower: String,
    /// The conclusion in words.
    pub words: String,
}

impl Figure {
    /// The first value of a label, of a machine if that is given.
    pub fn value(&self, label: &str, hardware: &str) -> Option<&Value> {
        let is_meant = |value: &&Value| {
            value.label == label && (hardware.is_empty() || value.hardware == hardware)
        };
        self.values.iter().find(is_meant)
    }

    /// The labels, each once, in the order of the figure.
    pub fn labels(&self) -> Vec<&str> {
        distinct(self.values.iter().map(|value| value.label.as_str()))
    }

    /// Whether a point is a value of this figure; `most` is how many threads there are.
    pub fn wants(&self, point: &Point, most: usize) -> bool {
        self.values.iter().any(|value| value.is_point(point, most))
    }

    /// How many times as fast as its basis a value was published to be.
    pub fn published_speed_up(&self, value: &Value) -> Option<f64> {
        match value.unit {
            Unit::SpeedUp => return value.number(),
            Unit::Longer => return Some(100.0 / (100.0 + value.number()?)),
            _ => {}
        }
        let label = value.basis.as_ref()?;
        // A speed-up is over the basis on the same machine, else over the only one.
        let basis = self.value(label, &value.hardware);
        Some(basis.or_else(|| self.value(label, ""))?.seconds()? / value.seconds()?)
    }
}

impl Value {
    /// The printed number.
    pub fn number(&self) -> Option<f64> {
        self.published.as_ref().map(|printed| printed.number)
    }

    /// The printed time, if it is one.
    pub fn seconds(&self) -> Option<f64> {
        let unit = match self.unit {
            Unit::Seconds => 1_000_000_000.0,
            Unit::Milliseconds => 1_000_000.0,
            Unit::Microseconds => 1_000.0,
            Unit::SpeedUp | Unit::Longer | Unit::Nothing | Unit::Amount(_) => return None,
        };
        Some(self.number()? * unit * 1e-9)
    }

    /// What it counts, if it is no time.
    pub fn counts(&self) -> Option<&str> {
        match &self.unit {
            Unit::Amount(what) => Some(what),
            _ => None,
        }
    }

    /// The printed time, in seconds, or amount.
    pub fn amount(&self) -> Option<f64> {
        let counted = || self.counts().and(self.number());
        self.seconds().or_else(counted)
    }

    /// That for one item, where it is known of how many.
    pub fn amount_an_item(&self) -> Option<f64> {
        Some(self.amount()? / self.items?)
    }

    /// Whether a point is this value; `most` is how many threads there are.
    pub fn is_point(&self, point: &Point, most: usize) -> bool {
        let mut params = self.params.iter();
        point.algorithm == self.task
            && point.variant == self.variant
            && kind(&point.device) == self.device
            && self.threads.are(point.threads, most)
            && (self.places.is_empty() || self.places == point.places)
            && (self.bind.is_empty() || point.bind.split('(').next() == Some(&self.bind))
            && params.all(|(name, value)| point.params.get(name) == Some(value))
    }
}

/// A device without its number: `cuda` of `cuda:0`, `wgpu+checked` of `wgpu:1+checked`.
pub(super) fn kind(device: &str) -> String {
    let (kind, number) = device.split_once(':').unwrap_or((device, ""));
    format!("{kind}{}", number.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

impl Threads {
    fn are(self, threads: usize, most: usize) -> bool {
        match self {
            Threads::All => threads == most,
            Threads::Between => threads != 1 && threads != most,
            Threads::Exactly(number) => threads == number,
            Threads::Any => true,
        }
    }
}
