//! What follows a trigger, and which triggers need no history.
//!
//! A window is *full* at a digi if the one that completes the threshold, so many digis before, is no
//! further back than the window is long: two times tell, whatever happened before. A trigger is
//! where a window is full of digis that are *free*, which none before the end of a dead time are.
//! So each trigger leads to the next one: the first full window from its earliest place on.
//!
//! That place is the later, the later the trigger is. So if even a trigger at the full window before
//! would leave this one free, any history does: this one is a trigger for *sure*, and what follows
//! it can be found without all before. Again two times tell.

use generators::sts::Digi;

use super::event::Event;
use super::near::first_not;
use super::rules::EventRules;

/// Digis that are compared without a branch.
const STEP: usize = 64;

/// Digis in order of time, and the rules.
#[derive(Clone, Copy)]
pub(super) struct Chain<'d> {
    pub(super) digis: &'d [Digi],
    pub(super) rules: &'d EventRules,
}

impl Chain<'_> {
    /// Where the first trigger can be: its window has to have enough digis.
    pub(super) fn beginning(&self) -> usize {
        self.rules.reach()
    }

    /// The first digi from `from` on, and before `end`, at which a window is full.
    pub(super) fn next_full(&self, from: usize, end: usize) -> Option<usize> {
        let reach = self.rules.reach();
        if from >= end {
            return None;
        }
        let (lasts, firsts) = (&self.digis[from..end], &self.digis[from - reach..end - reach]);
        let window = self.rules.window_ns;
        let is_full = |(last, first): (&Digi, &Digi)| last.time_ns() - first.time_ns() <= window;
        let steps = lasts.chunks(STEP).zip(firsts.chunks(STEP));
        let any = |(lasts, firsts): (&[Digi], &[Digi])| {
            lasts.iter().zip(firsts).fold(false, |any, pair| any | is_full(pair))
        };
        let start = STEP * steps.map(any).position(|any| any)?;
        let found = lasts[start..].iter().zip(&firsts[start..]).position(is_full);
        found.map(|index| from + start + index)
    }

    /// Whether the window is full whose last digi it is; it is not before [`Chain::beginning`].
    fn is_full(&self, last: usize) -> bool {
        let first = last - self.rules.reach();
        self.digis[last].time_ns() - self.digis[first].time_ns() <= self.rules.window_ns
    }

    /// The earliest digi that can be the next trigger after one.
    pub(super) fn earliest_after(&self, trigger: usize) -> usize {
        let dead_until = self.digis[trigger].time_ns() + self.rules.dead_time_ns;
        first_not(self.digis, trigger + 1, |time| time <= dead_until) + self.rules.reach()
    }

    /// Calls `found` for each trigger from an earliest place on, and before `end`; returns the
    /// earliest place of the next one.
    pub(super) fn follow(
        &self,
        mut earliest: usize,
        end: usize,
        mut found: impl FnMut(usize),
    ) -> usize {
        while let Some(trigger) = self.next_full(earliest, end) {
            found(trigger);
            earliest = self.earliest_after(trigger);
        }
        earliest
    }

    /// Whether all digis of a full window are free if the last trigger was at `last` or before.
    fn is_free(&self, last: usize, full: usize) -> bool {
        let (reach, dead_time) = (self.rules.reach(), self.rules.dead_time_ns);
        let time = |at: usize| self.digis[at].time_ns();
        full > last + reach && time(full - reach) > time(last) + dead_time
    }

    /// The first trigger from `begin` on, and before `end`, that is one for sure. The first full
    /// window there is known.
    pub(super) fn first_sure(&self, begin: usize, mut full: usize, end: usize) -> Option<usize> {
        // Before the first digi there is no trigger; before any other one it was there, at the latest.
        let mut last = begin.checked_sub(1);
        loop {
            // Where a window is full, the next ones are mostly too.
            while full < end && self.is_full(full) {
                if last.is_none_or(|last| self.is_free(last, full)) {
                    return Some(full);
                }
                last = Some(full);
                full += 1;
            }
            full = self.next_full(full, end)?;
        }
    }

    /// The event of a trigger, whose window ends there.
    pub(super) fn event(&self, trigger: usize) -> Event {
        let time = |at: usize| self.digis[at].time_ns();
        let trigger_half_ns = time(trigger - self.rules.reach()) + time(trigger);
        let (first, last) = self.rules.span(trigger_half_ns);
        let begin = first_not(self.digis, trigger - self.rules.reach(), |time| time < first);
        let end = first_not(self.digis, trigger, |time| time <= last);
        Event { trigger_half_ns, begin: begin as u32, end: end as u32, first_copy: 0 }
    }
}
