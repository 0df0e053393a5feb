//! Tracks with slices and counters, in no particular format.

use serde_json::{Map, Value};

/// Times of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Devices, or programs on them.
    pub processes: Vec<Process>,
    /// Restrictions that a reader has to know.
    pub notes: Vec<String>,
    /// Description of the run.
    pub metadata: Map<String, Value>,
}

/// A group of tracks.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    pub name: String,
    pub tracks: Vec<Track>,
    pub counters: Vec<Counter>,
}

/// Slices of one kind, in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    pub name: String,
    pub slices: Vec<Slice>,
    pub kind: TrackKind,
}

/// Relation of the slices of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// A few of them overlap at most, and most are nested.
    Nested,
    /// Any number of them overlap, as what waits in a queue.
    Queue,
}

/// A period of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    pub name: String,
    /// Kind of the slice, such as `sample` or `stage`.
    pub category: &'static str,
    /// Start in seconds from the start of the run.
    pub start_s: f64,
    pub seconds: f64,
    pub arguments: Map<String, Value>,
    /// Arrow that starts, continues or ends at the start of the slice.
    pub flow: Option<Flow>,
}

/// Part of an arrow through several slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Equal for all parts of an arrow.
    pub id: u64,
    pub step: FlowStep,
}

/// Part of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowStep {
    Start,
    Continue,
    End,
}

/// A quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// Name with its unit.
    pub name: String,
    pub values: Vec<CounterValue>,
}

/// Value of a quantity from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterValue {
    /// Seconds from the start of the run.
    pub at_s: f64,
    pub value: f64,
}

impl Slice {
    /// End in seconds from the start of the run.
    pub fn end_s(&self) -> f64 {
        self.start_s + self.seconds
    }
}

impl Trace {
    /// The process of that name; a new one follows the others.
    pub fn process(&mut self, name: &str) -> &mut Process {
        let known = self.processes.iter().position(|process| process.name == name);
        let index = known.unwrap_or_else(|| {
            let process =
                Process { name: name.to_owned(), tracks: Vec::new(), counters: Vec::new() };
            self.processes.push(process);
            self.processes.len() - 1
        });
        &mut self.processes[index]
    }

    /// Adds a note once.
    pub fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Number of slices.
    pub fn slices(&self) -> usize {
        let tracks = self.processes.iter().flat_map(|process| &process.tracks);
        tracks.map(|track| track.slices.len()).sum()
    }
}

impl Process {
    /// Adds a slice to the track of that name; a new track follows the others.
    pub fn add(&mut self, track: &str, slice: Slice) {
        self.add_to(track, TrackKind::Nested, slice);
    }

    /// Adds a slice that may overlap any number of others.
    pub fn add_waiting(&mut self, track: &str, slice: Slice) {
        self.add_to(track, TrackKind::Queue, slice);
    }

    fn add_to(&mut self, track: &str, kind: TrackKind, slice: Slice) {
        match self.tracks.iter_mut().find(|known| known.name == track) {
            Some(known) => known.slices.push(slice),
            None => {
                self.tracks.push(Track { name: track.to_owned(), slices: vec![slice], kind });
            }
        }
    }

    /// Adds the mean power from a time on, by each meter that measured it, in watts.
    pub fn mean_power(&mut self, at_s: f64, meters: [(&str, Option<f64>); 3]) {
        for (meter, watts) in meters {
            if let Some(watts) = watts {
                self.count(&format!("mean power, {meter} (W)"), at_s, watts);
            }
        }
    }

    /// Adds a value to the counter of that name.
    pub fn count(&mut self, counter: &str, at_s: f64, value: f64) {
        let value = CounterValue { at_s, value };
        match self.counters.iter_mut().find(|known| known.name == counter) {
            Some(known) => known.values.push(value),
            None => {
                self.counters.push(Counter { name: counter.to_owned(), values: vec![value] });
            }
        }
    }
}

/// Arguments of a slice, without empty texts.
pub fn arguments<const N: usize>(pairs: [(&str, Value); N]) -> Map<String, Value> {
    let is_set = |(_, value): &(&str, Value)| *value != Value::Null && *value != "";
    let pairs = pairs.into_iter().filter(is_set);
    pairs.map(|(name, value)| (name.to_owned(), value)).collect()
}
