//! What a run found, for whoever started it.

use reports::charts;
use reports::table::{self, Format};

use crate::failure::Failure;
use crate::measure::Outcome;

/// How results are presented.
#[derive(Clone, Copy)]
pub(super) struct Presentation {
    pub(super) format: Format,
    pub(super) charts: bool,
    pub(super) quiet: bool,
}

impl Presentation {
    /// Draws the charts and prints the table.
    pub(super) fn show(self, outcome: &Outcome) -> Result<(), Failure> {
        // Charts first: they are kept even if nobody takes the table.
        if self.charts
            && let Some(record) = &outcome.record
        {
            charts::draw(&outcome.folder, record, &outcome.summary, &outcome.samples)?;
        }
        super::print(&table::render(self.format, &outcome.summary)?)?;
        let folder = outcome.folder.display();
        if outcome.interrupted {
            super::say(&format!(
                "bench: interrupted; what was measured is kept in {folder}"
            ));
        }
        if !self.quiet {
            for note in outcome.record.iter().flat_map(|record| &record.notes) {
                super::say(&format!("note: {note}"));
            }
            super::say(&format!("results: {folder}"));
        }
        Ok(())
    }
}
