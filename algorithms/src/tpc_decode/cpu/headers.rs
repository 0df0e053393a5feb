//! First pass over headers: numbers of samples, and their offsets.
//!
//! The headers are checked here, once. Decoding verifies that the payload agrees with their
//! statements.

use std::ops::Range;

use super::workers::DecodeWorkers;
use crate::all_cores::split_mut;
use crate::device::Poison;
use crate::tpc_decode::damage::Damage;
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;

/// Result of reading a page's headers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Slot {
    /// A page with only an RDH.
    #[default]
    Empty,
    /// A page with valid headers.
    Page(OpenPage),
    /// A page with damaged headers.
    Damaged(Damage),
}

/// An invalid page.
impl Poison for Slot {
    const POISON: Self = Slot::Empty;
}

impl Slot {
    /// The page, if its headers are valid.
    pub(super) fn page(&self) -> Option<&OpenPage> {
        match self {
            Slot::Page(page) => Some(page),
            _ => None,
        }
    }

    /// Number of samples that the header states.
    pub(super) fn samples(&self) -> usize {
        self.page().map_or(0, |page| page.samples.into())
    }
}

/// Reads the headers of all pages, the tasks in parallel.
pub(super) fn read(frame: &TimeFrame, workers: &DecodeWorkers, slots: &mut [Slot]) {
    let parts = split_mut(slots, workers.tasks.iter().map(Range::len));
    workers.map(parts, |pages, slots| {
        for (page, slot) in pages.clone().zip(slots) {
            *slot = match frame.open(page) {
                Ok(None) => Slot::Empty,
                Ok(Some(page)) => Slot::Page(page),
                Err(damage) => Slot::Damaged(damage),
            };
        }
    });
}

/// The slots of all pages, for callers that need the number of samples before decoding.
pub(super) fn slots(frame: &TimeFrame) -> Vec<Slot> {
    let mut slots = vec![Slot::default(); frame.pages.pages().len()];
    read(frame, &DecodeWorkers::for_one_team(frame, 1), &mut slots);
    slots
}
