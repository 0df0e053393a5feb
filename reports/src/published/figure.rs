//! A figure, or a table, of a publication.

use crate::record::{Params, Point};

/// A figure with all that is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// `fig5.5`, `tab5.1`.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Where it is.
    pub source: String,
    /// What takes the place of times where machines differ.
    pub normalised: String,
    /// Its values; those of one label are the same here.
    pub values: Vec<Value>,
    /// What was concluded from them.
    pub claims: Vec<Claim>,
}

/// A value of a figure, or one that is measured beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// What it is of; a label may have values of several machines.
    pub label: String,
    /// The machine that was published; empty for what was not.
    pub hardware: String,
    /// What was printed.
    pub published: Option<Published>,
    /// The label of the value that this one is related to.
    pub basis: Option<String>,
    /// What it is here.
    pub counterpart: Counterpart,
}

/// A printed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The number.
    pub number: f64,
    /// Its unit.
    pub unit: Unit,
    /// How many items that time was for, where it is known.
    pub items: Option<f64>,
}

/// The unit of a printed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A time, in units of so many nanoseconds.
    Nanoseconds(u64),
    /// So many times faster than the basis.
    SpeedUp,
}

/// What a published value is called here.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterpart {
    /// The task.
    pub task: String,
    /// The variant.
    pub variant: String,
    /// The stages whose times are added up.
    pub stages: Vec<String>,
    /// `cpu` or `cuda`.
    pub device: String,
    /// How many threads.
    pub threads: Threads,
    /// Where threads are placed; anywhere if empty.
    pub places: String,
    /// Values that the point has to have.
    pub params: Params,
    /// A figure of the task that is meant instead of the time: `us_per_page`.
    pub metric: Option<String>,
}

/// How many threads a value is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One.
    One,
    /// As many as there are.
    All,
    /// Each number in between that was measured: a value for each, in whose label it takes
    /// the place of `{}`.
    Between,
    /// So many.
    Exactly(usize),
    /// It does not matter.
    Any,
}

/// A conclusion: one value is smaller than another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The label of the faster one, and the machine where it was published.
    pub faster: (String, String),
    /// The label of the slower one, and the machine where it was published.
    pub slower: (String, String),
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
        let mut labels: Vec<&str> = Vec::new();
        for value in &self.values {
            if !labels.contains(&value.label.as_str()) {
                labels.push(&value.label);
            }
        }
        labels
    }

    /// Whether a point is a value of this figure; `most` is how many threads there are.
    pub fn wants(&self, point: &Point, most: usize) -> bool {
        let mut values = self.values.iter();
        values.any(|value| value.counterpart.is_point(point, most))
    }

    /// How many times as fast as its basis a value was published to be.
    pub fn published_speed_up(&self, value: &Value) -> Option<f64> {
        let published = value.published?;
        let Unit::Nanoseconds(_) = published.unit else {
            return Some(published.number);
        };
        let label = value.basis.as_ref()?;
        // A speed-up is over the basis on the same machine, else over the only one.
        let basis = self.value(label, &value.hardware);
        let basis = basis.or_else(|| self.value(label, ""))?.published?;
        Some(basis.seconds()? / published.seconds()?)
    }
}

impl Published {
    /// The time, if it is one.
    pub fn seconds(&self) -> Option<f64> {
        match self.unit {
            Unit::Nanoseconds(unit) => Some(self.number * unit as f64 * 1e-9),
            Unit::SpeedUp => None,
        }
    }

    /// The time for one item, where it is known of how many.
    pub fn seconds_an_item(&self) -> Option<f64> {
        Some(self.seconds()? / self.items?)
    }
}

impl Counterpart {
    /// Whether a point is this value; `most` is how many threads there are.
    pub fn is_point(&self, point: &Point, most: usize) -> bool {
        let mut params = self.params.iter();
        point.algorithm == self.task
            && point.variant == self.variant
            && point.device.split(':').next() == Some(&self.device)
            && self.threads.are(point.threads, most)
            && (self.places.is_empty() || self.places == point.places)
            && params.all(|(name, value)| point.params.get(name) == Some(value))
    }
}

impl Threads {
    fn are(self, threads: usize, most: usize) -> bool {
        match self {
            Threads::One => threads == 1,
            Threads::All => threads == most,
            Threads::Between => threads != 1 && threads != most,
            Threads::Exactly(number) => threads == number,
            Threads::Any => true,
        }
    }
}
