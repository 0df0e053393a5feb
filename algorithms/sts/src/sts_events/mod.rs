//! Building events: finding times with many digis, and cutting out the digis around them.
//!
//! Input: the digis of a timeslice in order of time. Output: triggers, and for each of them an
//! event, with a copy of its digis. `docs/event-building.md` has the rules.
//!
//! The difficulty: whether digis make a trigger depends on the trigger before them, and so on back
//! to the beginning of the timeslice. But whether a window is full does not, and after a gap no
//! earlier trigger matters.
//!
//! | module | holds |
//! |---|---|
//! | `axes` | sources of digis |
//! | `input`, `rules`, `event` | digis, rules, and the output |
//! | `collisions` | simulated collisions that digis come from |
//! | `reference` | the right answer, digi by digi |
//! | `quality` | efficiency, fakes and splits by the simulated collisions |
//! | `stage` | event building as the last stage of the STS chain |
//! | `chain` | successors of triggers, and triggers that do not depend on earlier ones |
//! | `hard_inputs` | inputs that are hard to process correctly |
//! | `cpu`, `cuda` | the variants |

mod axes;
mod chain;
mod collisions;
mod cpu;
mod cuda;
mod event;
mod hard_inputs;
mod input;
mod quality;
mod reference;
mod rules;
mod stage;
#[cfg(test)]
mod tests;

use std::path::Path;

use generators_common::DataError;
use generators_common::io::write_table;
use generators_sts::Digi;

use crate::file_selection::source_files;
use tasks::algorithm::metric::NS_PER_DIGI;
use tasks::algorithm::{
    Algorithm, InputFiles, Metric, MetricInfo, OutputFiles, Plan, Quality, Relation, Semantics,
    SourceFile, TaskInfo, Variant, Work,
};
use tasks::axis::{Params, joined};

pub use cpu::build_events;
pub use event::{Event, Events, event_sums, events_digest};
pub use input::DigiStream;
pub use rules::{EventRules, RULES};
pub use stage::{EventStage, right_events};

static METRICS: &[MetricInfo] = &joined::<_, 5>(&[&[NS_PER_DIGI, EVENTS], &quality::FIGURES]);
const EVENTS: MetricInfo = MetricInfo::amount("events", "", "events", "events that were found");

const EXAMPLES: &str = "  bench events --preset mcbm-2024 --scale 1 --threads 1,2
  bench events --preset mcbm-2024 --min-digis 3,10,20 --window 10ns,20ns,50ns
  bench events --preset cbm-auau --scale 1 --device cuda:0
  bench events --dead-time 0 --before 100ns --after 200ns
  bench generate sts-physics --preset mcbm-2024 --scale 0.001 --out digis.csv
  bench events --input digis.csv --min-digis 5";

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
            file_endings: &["csv", "bin", "tsa"],
            axes: axes::AXES,
            file_axes: axes::READING,
            metrics: METRICS,
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS].concat()
    }

    fn examples(&self) -> &'static str {
        EXAMPLES
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        axes::plan(params)
    }

    fn memory_for_byte(&self) -> u64 {
        axes::MEMORY_FOR_BYTE
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<DigiStream, DataError> {
        axes::generate(params, seed)
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(DigiStream, Params), DataError> {
        axes::read(files, options)
    }

    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        source_files(files)
    }

    fn write(&self, input: &DigiStream, path: &Path) -> Result<(), DataError> {
        axes::write(input, path)
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(OutputFiles::new(&["event", "digi"], "published", "thread-per-digi"))
    }

    fn write_output(
        &self,
        _: &DigiStream,
        output: &Events,
        file: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        let table = if file == 0 { output.event_table() } else { output.digi_table() };
        write_table(path, &table)?;
        Ok(table.rows())
    }

    fn shrink<'i>(&self, input: &'i DigiStream) -> Box<dyn Iterator<Item = DigiStream> + 'i> {
        Box::new(input.shrink())
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, DigiStream)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &DigiStream) -> Work {
        let digis = input.digis().len() as u64;
        let right = input.expected();
        let written = size_of_val(&right.digis[..]) + size_of_val(&right.events[..]);
        let input_bytes = digis * size_of::<Digi>() as u64;
        Work {
            items: digis,
            item_unit: "digi",
            // The times of all digis are read, and those of events are written.
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

    /// Number of events, the share of all digis in them, and notes about the raw data.
    fn notes(&self, input: &DigiStream) -> Vec<String> {
        let right = input.expected();
        let digis = input.digis().len();
        let events = right.events.len();
        let copies = right.digis.len();
        let note = format!("{events} events with {copies} digis, of {digis}");
        [&[note], input.source_notes()].concat()
    }

    fn quality(&self, input: &DigiStream, output: &Events) -> Vec<Quality> {
        quality::figures(input, &output.events)
    }

    fn reference(&self, input: &DigiStream, _: Semantics) -> Option<Events> {
        Some(input.expected().clone())
    }
}
