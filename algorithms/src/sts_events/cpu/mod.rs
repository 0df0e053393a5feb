//! Building events on the host.
//!
//! | module | holds |
//! |---|---|
//! | `published` | the experiment's algorithm |
//! | `at_distance` | recobench on one thread: full windows from two times |
//! | `chunks` | recobench on all threads |
//! | `runner` | buffers of recobench's variants |

mod at_distance;
mod chunks;
mod published;
mod runner;

use generators::sts::Digi;

use super::event::{Events, assign_copies};
use super::{EventRules, StsEvents};
use crate::algorithm::Variant;
use runner::cut_by;

pub(super) const VARIANTS: &[Variant<StsEvents>] = &[
    Variant::cpu(
        "published",
        "published: a window that moves on digi by digi; events by binary search; one thread",
        published::prepare,
    ),
    Variant::cpu(
        "at-distance",
        "ours: a full window is found by two times, 64 windows at a time; one thread",
        |at| cut_by(at, at_distance::cut, at_distance::copy),
    ),
    Variant::cpu(
        "chunks",
        "ours: at-distance in chunks, each from the first trigger on that needs no history",
        |at| cut_by(at, chunks::cut, chunks::copy),
    ),
];

/// Builds the events of digis that are in order of time, with all threads of the current pool: for
/// callers that have a timeslice and need no variant. The numbers of digis and of copies have to
/// fit into 32 bits.
pub fn build_events(digis: &[Digi], rules: &EventRules) -> Events {
    let mut events = chunks::cut(digis, rules);
    let mut copies = vec![Digi::default(); assign_copies(&mut events)];
    chunks::copy(digis, &events, &mut copies);
    Events { events, digis: copies }
}
