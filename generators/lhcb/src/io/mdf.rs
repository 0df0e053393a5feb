//! MDF: events as the experiment stores them. All numbers are little-endian.
//!
//! Events follow each other. An event has three times its size, a checksum, a header, and banks, of
//! which those of the VELO, ODIN (run and event number) and those of the simulation are read:
//!
//! | module | content |
//! |---|---|
//! | `frame` | sizes, checksum and header around the banks |
//! | `bank` | headers of banks, and their types |
//! | `event` | the banks that are read, and the number of the event |
//! | `monte_carlo` | banks with the truth |
//! | `writer` | events into files |
//! | `problem` | reasons why an event is left out |
//!
//! Events that are invalid are left out, and become [`Events::defects`]. `docs/velo.md` has the format.

mod bank;
mod event;
mod frame;
mod monte_carlo;
mod problem;
mod writer;

use std::path::Path;

use generators_common::DataError;
use generators_common::io::file::open_pieces;
use generators_common::io::source::Source;

use crate::events::Events;
use crate::format::BankKind;
use crate::truth::Truth;

pub use problem::{EventDefect, MdfProblem, TruthProblem};
pub use writer::write;

use event::RawEvent;
use frame::Frames;

/// Reads the events of a file, `.mdf` or `.mdf.gz`: of each the banks of the preferred kind, or those of the
/// other kind if it has none of these. Files of simulated events may have both.
///
/// Events without number are named after their index in the file, `event-3`. The truth is known if all
/// events have it.
///
/// # Errors
/// If the file can't be read, has more content than the caller allows, or not one valid event.
pub fn read(path: &Path, preferred: BankKind) -> Result<Events, DataError> {
    let mut frames = Frames::new(Source::opened(path, open_pieces(path)?));
    let mut reader = Reader::default();
    while let Some(frame) = frames.next()? {
        let event = frame.event;
        let read = frame.content.and_then(|content| event::read(content, preferred));
        if let Err(problem) = read.and_then(|raw| reader.add(event, raw)) {
            reader.defect(event, problem);
        }
        frames.check_kept(reader.kept_bytes())?;
    }
    reader.finish(path)
}

/// The events as far as they were read.
#[derive(Default)]
struct Reader {
    events: Events,
    /// Truth of each event; empty once an event has none.
    truth: Vec<Truth>,
    truth_bytes: u64,
    lacks_truth: bool,
    first_problem: Option<EventDefect>,
}

impl Reader {
    fn add(&mut self, event: u64, raw: RawEvent<'_>) -> Result<(), MdfProblem> {
        let name = raw.number.map_or_else(|| format!("event-{event}"), |number| number.to_string());
        self.events.push(name, raw.format, &raw.bank_words(), None)?;
        if self.lacks_truth {
            return Ok(());
        }
        match raw.truth() {
            Some(Ok(truth)) => {
                self.truth_bytes += raw.truth_bytes();
                self.truth.push(truth);
            }
            Some(Err(problem)) => {
                self.defect(event, problem.into());
                self.drop_truth();
            }
            None if self.truth.is_empty() => self.drop_truth(),
            None => {
                self.defect(event, MdfProblem::NoTruth);
                self.drop_truth();
            }
        }
        Ok(())
    }

    fn defect(&mut self, event: u64, problem: MdfProblem) {
        let defect = EventDefect { event, problem };
        self.events.defects.push(defect.to_string());
        self.first_problem.get_or_insert(defect);
    }

    fn drop_truth(&mut self) {
        self.truth = Vec::new();
        self.truth_bytes = 0;
        self.lacks_truth = true;
    }

    fn kept_bytes(&self) -> u64 {
        self.events.bytes() + self.truth_bytes
    }

    fn finish(mut self, path: &Path) -> Result<Events, DataError> {
        if self.events.is_empty() {
            return Err(match self.first_problem {
                Some(EventDefect { event, problem }) => {
                    DataError::format(path, format!("event {event}"), problem.to_string())
                }
                None => DataError::format(path, "byte 0", "there are no events"),
            });
        }
        if !self.lacks_truth {
            self.events.set_truth(self.truth);
        }
        Ok(self.events)
    }
}
