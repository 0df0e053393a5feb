//! Figures and tables of publications, and what those about streams show.

use serde::Deserialize;

use crate::grouped::distinct;
use crate::record::{Params, Point};
use crate::stream::TimesliceRow;
use crate::units;

/// A figure with its values and claims.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Figure {
    /// `fig5.5`, `tab5.1`.
    pub id: String,
    /// The id of its group, such as `secB`; empty without a group.
    pub group: String,
    /// Title.
    pub title: String,
    /// Publication and page.
    pub source: String,
    /// Quantity that replaces times if machines differ, and the timed steps.
    pub normalised: String,
    /// Reason why it can't be reproduced here; empty if it can.
    pub reason: String,
    /// Contradictions between the publications; empty if there are none.
    pub contradiction: String,
    /// Its values; those with one label have one measured counterpart.
    #[serde(skip)]
    pub values: Vec<Value>,
    /// Conclusions from them.
    #[serde(skip)]
    pub claims: Vec<Claim>,
    /// Its measurement, if it is about streams rather than single inputs.
    #[serde(skip)]
    pub stream: Option<Stream>,
}

/// A value of a figure, or one that is measured in addition: the published number, and the measured
/// counterpart.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Value {
    /// The figure's id.
    pub figure: String,
    /// Label; it may have values of several machines.
    pub label: String,
    /// The published machine; empty for values that were not published.
    pub hardware: String,
    /// The printed number.
    pub published: Option<Printed>,
    /// Its unit.
    pub unit: Unit,
    /// Number of items of that time, if it is known.
    pub items: Option<f64>,
    /// The label of the value that this one is relative to.
    pub basis: Option<String>,
    /// The task, `stream` or `throughput`; empty for published values that can't be reproduced
    /// here.
    pub task: String,
    /// The variant.
    pub variant: String,
    /// The stages whose times are added, joined by `+`; a share of one: `0.5*total`.
    pub stage: String,
    /// `cpu`, `cuda`, `wgpu` or `wgpu+checked`.
    pub device: String,
    /// Number of threads.
    pub threads: Threads,
    /// CPU sets of the threads; empty for any.
    #[serde(rename = "places")]
    pub cpu_sets: String,
    /// Binding of threads, for nested teams of any size; empty for any.
    pub bind: String,
    /// Required parameters of the point.
    pub params: Params,
    /// A metric of the task to compare instead of the time: `us_per_page`, `clusters`.
    pub metric: Option<String>,
    /// The script that builds the plugin with the variant; empty for variants of the program.
    #[serde(default)]
    pub plugin: String,
}

/// A number as it was published.
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
    /// The number with all its digits, and no more: `276.6`, `5.9 M`, `20 M`.
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
    /// Speed-up over the basis.
    SpeedUp,
    /// Additional time over the basis in per cent.
    Longer,
    /// A rate in thousands of items per second, which is compared as the time of an item.
    Kilohertz,
    /// A share in per cent.
    Percent,
    /// A count instead of a time: `bytes`, `clusters`.
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
            "kHz" => Unit::Kilohertz,
            "%" => Unit::Percent,
            "" => Unit::Nothing,
            _ => Unit::Amount(text),
        }
    }
}

/// Numbers of threads of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Threads {
    /// All threads of the run.
    All,
    /// Each number between one and all: a value for each, whose label has it instead of `{}`.
    Between,
    /// This number.
    Exactly(usize),
    /// Any number.
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
    /// The conclusion as text.
    pub words: String,
}

impl Figure {
    /// The first value of a label, of a machine if one is specified.
    pub fn value(&self, label: &str, hardware: &str) -> Option<&Value> {
        let is_meant = |value: &&Value| {
            value.label == label && (hardware.is_empty() || value.hardware == hardware)
        };
        self.values.iter().find(is_meant)
    }

    /// The labels, without repeats, in the order of the figure.
    pub fn labels(&self) -> Vec<&str> {
        distinct(self.values.iter().map(|value| value.label.as_str()))
    }

    /// True if a point is a value of this figure; `max_threads` is the total number of threads.
    pub fn wants(&self, point: &Point, max_threads: usize) -> bool {
        self.values.iter().any(|value| value.is_point(point, max_threads))
    }

    /// Published speed-up of a value over its basis.
    pub fn published_speed_up(&self, value: &Value) -> Option<f64> {
        match value.unit {
            Unit::SpeedUp => return value.number(),
            Unit::Longer => return Some(100.0 / (100.0 + value.number()?)),
            _ => {}
        }
        let label = value.basis.as_ref()?;
        // A speed-up is relative to the basis on the same machine, else to the only one.
        let basis = self.value(label, &value.hardware);
        Some(basis.or_else(|| self.value(label, ""))?.seconds()? / value.seconds()?)
    }
}

impl Value {
    /// The printed number.
    pub fn number(&self) -> Option<f64> {
        self.published.as_ref().map(|printed| printed.number)
    }

    /// The published time, if it is one.
    pub fn seconds(&self) -> Option<f64> {
        let unit = match self.unit {
            Unit::Seconds => 1_000_000_000.0,
            Unit::Milliseconds => 1_000_000.0,
            Unit::Microseconds => 1_000.0,
            Unit::Kilohertz => return Some(1e-3 / self.number()?),
            Unit::SpeedUp | Unit::Longer | Unit::Percent | Unit::Nothing | Unit::Amount(_) => {
                return None;
            }
        };
        Some(self.number()? * unit * 1e-9)
    }

    /// The counted quantity, if it is not a time.
    pub fn counts(&self) -> Option<&str> {
        match &self.unit {
            Unit::Amount(what) => Some(what),
            Unit::Percent => Some("%"),
            _ => None,
        }
    }

    /// The published time, in seconds, or amount; shares as fractions.
    pub fn amount(&self) -> Option<f64> {
        match &self.unit {
            Unit::Amount(_) => self.number(),
            Unit::Percent => Some(self.number()? / 100.0),
            _ => self.seconds(),
        }
    }

    /// The amount per item, if the number of items is known.
    pub fn amount_an_item(&self) -> Option<f64> {
        Some(self.amount()? / self.items?)
    }

    /// True if a point is this value; `max_threads` is the total number of threads.
    pub fn is_point(&self, point: &Point, max_threads: usize) -> bool {
        let mut params = self.params.iter();
        point.algorithm == self.task
            && point.variant == self.variant
            && kind(&point.device) == self.device
            && self.threads.are(point.threads, max_threads)
            && (self.cpu_sets.is_empty() || self.cpu_sets == point.cpu_sets)
            && (self.bind.is_empty() || point.bind.split('(').next() == Some(&self.bind))
            && params.all(|(name, value)| point.params.get(name) == Some(value))
    }
}

/// A device without its index: `cuda` of `cuda:0`, `wgpu+checked` of `wgpu:1+checked`.
pub(super) fn kind(device: &str) -> String {
    let (kind, number) = device.split_once(':').unwrap_or((device, ""));
    format!("{kind}{}", number.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

impl Threads {
    fn are(self, threads: usize, max_threads: usize) -> bool {
        match self {
            Threads::All => threads == max_threads,
            Threads::Between => threads != 1 && threads != max_threads,
            Threads::Exactly(number) => threads == number,
            Threads::Any => true,
        }
    }
}

/// Measurement of a figure about streams.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Stream {
    /// The figure's id.
    pub figure: String,
    /// The name of the streams, which several figures may share: `beam-time`.
    pub runs: String,
    /// Quantities to draw.
    pub shows: Shows,
    /// Task whose events are measured in concurrent streams; empty for streams of timeslices.
    pub task: String,
    /// Flags of that measurement on a CPU: variant and data.
    pub cpu_flags: String,
    /// Flags of that measurement on a GPU.
    pub gpu_flags: String,
}

/// Quantities that are drawn for streams.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Shows {
    /// Content of each timeslice, over time.
    Contents(Vec<Quantity>),
    /// Bytes per second over time, with published values.
    Bytes,
    /// Events per second over streams, with published values.
    Events,
}

/// Content of a timeslice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Digis.
    Digis,
    /// Clusters.
    Clusters,
    /// Hits.
    Hits,
}

impl TryFrom<String> for Shows {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let quantity = |name: &str| match name {
            "digis" => Ok(Quantity::Digis),
            "clusters" => Ok(Quantity::Clusters),
            "hits" => Ok(Quantity::Hits),
            _ => Err(format!("{name} is not a metric of streams")),
        };
        match text.as_str() {
            "bytes" => Ok(Shows::Bytes),
            "events" => Ok(Shows::Events),
            names => Ok(Shows::Contents(names.split('+').map(quantity).collect::<Result<_, _>>()?)),
        }
    }
}

impl Quantity {
    /// `digis`.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Digis => "digis",
            Quantity::Clusters => "clusters",
            Quantity::Hits => "hits",
        }
    }

    /// Number in a timeslice.
    pub fn count_in(self, timeslice: &TimesliceRow) -> f64 {
        (match self {
            Quantity::Digis => timeslice.digis,
            Quantity::Clusters => timeslice.clusters,
            Quantity::Hits => timeslice.hits,
        }) as f64
    }
}
