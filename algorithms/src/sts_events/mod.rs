//! Building events: where many digis come at once something has happened, and what lies around is
//! cut out.
//!
//! Input: the digis of a timeslice in order of time. Output: triggers, and for each of them an
//! event, with a copy of its digis. `docs/event-building.md` has the rules.
//!
//! What is special: whether digis make a trigger depends on the trigger before them, and so on back
//! to the beginning of the timeslice. But that a window is full does not, and where there is a gap
//! nobody remembers.
//!
//! | module | holds |
//! |---|---|
//! | `axes` | where digis come from, and by which rules events are built |
//! | `input`, `rules`, `event` | digis and rules, and what is made of them |
//! | `reference` | what is right, digi by digi |
//! | `stage` | the same as the last stage of the STS chain |
//! | `digest` | events in short |
//! | `chain` | what follows a trigger, and which triggers need no history |
//! | `hard_inputs` | what is hard to get right |
//! | `cpu`, `cuda` | the variants |

mod axes;
mod chain;
mod cpu;
mod cuda;
mod digest;
mod event;
mod hard_inputs;
mod input;
mod near;
mod reference;
mod rules;
mod stage;
#[cfg(test)]
mod tests;

use std::path::Path;

use generators::DataError;
use generators::sts::Digi;

use crate::algorithm::metric::NS_PER_DIGI;
use crate::algorithm::{
    Algorithm, Metric, MetricInfo, Plan, Relation, Semantics, TaskInfo, Variant, Work,
};
use crate::axis::Params;

pub use axes::RULES;
pub use cpu::build_events;
pub use digest::{event_sums, events_digest};
pub use event::{Event, Events};
pub use input::DigiStream;
pub use rules::EventRules;
pub use stage::{EventStage, right_events};

static METRICS: &[MetricInfo] = &[NS_PER_DIGI, EVENTS];
const EVENTS: MetricInfo = MetricInfo::amount("events", "", "events", "events that were found");

/// The task `events`.
#[derive(Clone, Copy, Debug)]
pub struct StsEvents;

impl Algorithm for StsEvents {
    type Input = DigiStream;
    type Output = Events;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "events",
            summary: "find where many STS digis come at once, and cut events out",
            input: "events",
            file_endings: &["csv", "bin"],
            axes: axes::AXES,
            file_axes: axes::RULES,
            metrics: METRICS,
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS].concat()
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        axes::plan(params)
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<DigiStream, DataError> {
        axes::generate(params, seed)
    }

    fn read(&self, path: &Path, options: &Params) -> Result<(DigiStream, Params), DataError> {
        axes::read(path, options)
    }

    fn write(&self, input: &DigiStream, path: &Path) -> Result<(), DataError> {
        axes::write(input, path)
    }

    fn shrink<'i>(&self, input: &'i DigiStream) -> Box<dyn Iterator<Item = DigiStream> + 'i> {
        Box::new(input.shrink())
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, DigiStream)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &DigiStream) -> Work {
        let (digis, right) = (input.digis().len() as u64, input.expected());
        let written = size_of_val(&right.digis[..]) + size_of_val(&right.events[..]);
        let input_bytes = digis * size_of::<Digi>() as u64;
        Work {
            items: digis,
            item_unit: "digi",
            // The times of all digis are looked at, and those of events are written.
            bytes_min: input_bytes + written as u64,
            input_bytes,
            to_host_bytes: None,
            has_reference: true,
            metrics: vec![
                Metric::new(&NS_PER_DIGI, digis as f64 * 1e-9, Relation::SecondsEach),
                Metric::new(&EVENTS, right.events.len() as f64, Relation::Itself),
            ],
        }
    }

    /// How many events there are, and how much of all digis is in them.
    fn notes(&self, input: &DigiStream) -> Vec<String> {
        let (right, digis) = (input.expected(), input.digis().len());
        let (events, copies) = (right.events.len(), right.digis.len());
        vec![format!("{events} events with {copies} digis, of {digis}")]
    }

    fn reference(&self, input: &DigiStream, _: Semantics) -> Option<Events> {
        Some(input.expected().clone())
    }
}
