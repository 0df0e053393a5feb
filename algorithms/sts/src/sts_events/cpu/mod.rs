//! Building events on the host: recobench's variants; `published` has the experiment's.

mod published;

use std::borrow::Cow;
use std::ops::Range;

use generators_sts::Digi;
use parallel::{Grain, collect, for_each, map, split_mut};
use portable_gpu::DeviceError;

use super::chain::Chain;
use super::event::assign_copies;
use super::{DigiStream, Event, EventRules, Events, StsEvents};
use tasks::algorithm::{PrepareResult, Runner, Variant, VariantContext};
use tasks::device::{Arena, ArenaVec};

pub(super) const VARIANTS: &[Variant<StsEvents>] = &[
    Variant::cpu(
        "published",
        "published: a window that moves on digi by digi; events by binary search; one thread",
        published::prepare,
    ),
    Variant::cpu(
        "at-distance",
        "ours: a full window is found by two times, 64 windows at a time; one thread",
        |at| cut_by(at, cut_on_one_thread, copy_on_one_thread),
    ),
    Variant::cpu(
        "chunks",
        "ours: at-distance in chunks, each from the first trigger on that needs no history",
        |at| cut_by(at, cut_in_chunks, copy_in_chunks),
    ),
];

/// Builds the events of digis that are in order of time, with all threads of the current pool: for
/// callers that have a timeslice and need no variant. The numbers of digis and of copies have to
/// fit into 32 bits.
pub fn build_events(digis: &[Digi], rules: &EventRules) -> Events {
    let mut events = cut_in_chunks(digis, rules);
    let mut copies = vec![Digi::default(); assign_copies(&mut events)];
    copy_in_chunks(digis, &events, &mut copies);
    Events { events, digis: copies }
}

/// Finds all events of digis.
type Cut = fn(&[Digi], &EventRules) -> Vec<Event>;

/// Copies the digis of all events to a contiguous array.
type Copy = fn(&[Digi], &[Event], &mut [Digi]);

struct CutAndCopy<'a> {
    cut: Cut,
    copy: Copy,
    input: &'a DigiStream,
    arena: &'a Arena,
    /// Events of the previous run.
    events: Vec<Event>,
    copies: usize,
}

/// A variant that does both.
fn cut_by<'a>(
    at: &VariantContext<'a, '_, StsEvents>,
    cut: Cut,
    copy: Copy,
) -> PrepareResult<'a, StsEvents> {
    let input = at.input;
    let arena = at.arena;
    at.session(CutAndCopy { cut, copy, input, arena, events: Vec::new(), copies: 0 })
}

impl<'a> Runner<StsEvents> for CutAndCopy<'a> {
    type Buffers = ArenaVec<'a, Digi>;

    fn allocate(&self) -> Result<Self::Buffers, DeviceError> {
        // The number of copies of the previous run, or else the number of digis.
        let copies = if self.copies > 0 { self.copies } else { self.input.digis().len() };
        Ok(self.arena.vector(copies))
    }

    fn run(&mut self, digis: &mut Self::Buffers) -> Result<(), DeviceError> {
        self.events = (self.cut)(self.input.digis(), self.input.rules());
        self.copies = assign_copies(&mut self.events);
        if self.copies > digis.len() {
            // More than the first guess, or wrong, which the check finds.
            digis.resize(self.copies, Digi::default());
        }
        (self.copy)(self.input.digis(), &self.events, &mut digis[..self.copies]);
        Ok(())
    }

    fn output<'b>(&'b self, digis: &'b Self::Buffers) -> Cow<'b, Events> {
        let digis = digis[..self.copies].to_vec();
        Cow::Owned(Events { events: self.events.clone(), digis })
    }

    fn input_bytes(&self) -> u64 {
        size_of_val(self.input.digis()) as u64
    }
}

// On one thread: most digis are in no full window, which follows from two times: that of
// a digi, and that of the one that completes the threshold before it. No counters are needed.

fn cut_on_one_thread(digis: &[Digi], rules: &EventRules) -> Vec<Event> {
    let chain = Chain { digis, rules };
    let mut events = Vec::new();
    chain.follow(chain.beginning(), digis.len(), |trigger| events.push(chain.event(trigger)));
    events
}

fn copy_on_one_thread(digis: &[Digi], events: &[Event], mut copies: &mut [Digi]) {
    for event in events {
        let (event_copies, rest) = copies.split_at_mut(event.digis());
        event_copies.copy_from_slice(&digis[event.begin as usize..event.end as usize]);
        copies = rest;
    }
}

// On all threads: each finds the first sure trigger of its chunk, and all that follow
// from it. Triggers before that depend on the previous chunk, and are few; if no trigger is sure,
// as in a stream that is dense throughout, they are the whole chunk.

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

fn cut_in_chunks(digis: &[Digi], rules: &EventRules) -> Vec<Event> {
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

fn copy_in_chunks(digis: &[Digi], events: &[Event], copies: &mut [Digi]) {
    let copies_of_events = split_mut(copies, events.iter().map(Event::digis));
    for_each(events.iter().zip(copies_of_events), |(event, copies)| {
        copies.copy_from_slice(&digis[event.begin as usize..event.end as usize]);
    });
}
