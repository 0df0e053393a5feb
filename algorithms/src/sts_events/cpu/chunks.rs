//! recobench on all threads. Each finds the first sure trigger of its chunk, and all that follow
//! from it. Triggers before that depend on the previous chunk, and are few; if no trigger is sure,
//! as in a stream that is dense throughout, they are the whole chunk.

use std::ops::Range;

use generators::sts::Digi;

use crate::all_cores::split_mut;
use crate::parallel::{Grain, collect, for_each, map};
use crate::sts_events::chain::Chain;
use crate::sts_events::{Event, EventRules};

/// Digis that a thread takes at a time.
const CHUNK: usize = 1 << 16;

/// Triggers of a chunk that do not depend on the previous one.
struct ChunkTriggers {
    range: Range<usize>,
    /// Its first full window, if it has any.
    first_full: Option<usize>,
    /// All triggers from the first one on that is one for sure, if there is any.
    triggers: Vec<usize>,
    /// Earliest index of the next trigger after them.
    earliest: usize,
}

pub(super) fn cut(digis: &[Digi], rules: &EventRules) -> Vec<Event> {
    let chain = Chain { digis, rules };
    let triggers = triggers(&chain);
    collect(triggers.len(), Grain::Adaptive, |range| {
        triggers[range].iter().map(|&trigger| chain.event(trigger))
    })
}

fn triggers(chain: &Chain<'_>) -> Vec<usize> {
    let count = chain.digis.len();
    let chunks = (0..count).step_by(CHUNK).map(|begin| begin..count.min(begin + CHUNK));
    let mut triggers = Vec::new();
    let mut earliest = chain.beginning();
    for chunk in map(chunks, |range| found_in(chain, range)) {
        let Some(first_full) = chunk.first_full else { continue };
        let sure = chunk.triggers.first().copied();
        let before = sure.unwrap_or(chunk.range.end);
        let from = earliest.max(first_full);
        earliest = chain.follow(from, before, |trigger| triggers.push(trigger));
        if sure.is_some() {
            triggers.extend(chunk.triggers);
            earliest = chunk.earliest;
        }
    }
    triggers
}

fn found_in(chain: &Chain<'_>, range: Range<usize>) -> ChunkTriggers {
    let begin = range.start;
    let end = range.end;
    let first_full = chain.next_full(begin.max(chain.beginning()), end);
    let sure = first_full.and_then(|full| chain.first_sure(begin, full, end));
    let mut triggers = Vec::new();
    let mut earliest = end;
    if let Some(sure) = sure {
        earliest = chain.follow(sure, end, |trigger| triggers.push(trigger));
    }
    ChunkTriggers { range, first_full, triggers, earliest }
}

pub(super) fn copy(digis: &[Digi], events: &[Event], copies: &mut [Digi]) {
    let copies_of_events = split_mut(copies, events.iter().map(Event::digis));
    for_each(events.iter().zip(copies_of_events), |(event, copies)| {
        copies.copy_from_slice(&digis[event.begin as usize..event.end as usize]);
    });
}
