//! Successors of triggers, and triggers that do not depend on earlier ones.
//!
//! A window is *full* at a digi if the digi that completes the threshold, a fixed number of digis
//! before, is no further back than the length of the window: this takes two times, and no history.
//! A trigger is a full window of *free* digis; digis before the end of a dead time are not free. So
//! each trigger determines the next one: the first full window from its earliest index on.
//!
//! The earliest index grows with the trigger. So if even a trigger at the previous full window
//! would leave this one free, any history does: this one is *surely* a trigger, and those after it
//! can be found without the earlier ones. Again this takes two times.

use std::ops::Range;

use generators_sts::Digi;

use super::event::Event;
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
    /// First index at which a trigger is possible: its window has to have enough digis.
    pub(super) fn beginning(&self) -> usize {
        self.rules.reach()
    }

    /// The first digi from `from` on, and before `end`, at which a window is full.
    pub(super) fn next_full(&self, from: usize, end: usize) -> Option<usize> {
        let reach = self.rules.reach();
        if from >= end {
            return None;
        }
        let lasts = &self.digis[from..end];
        let firsts = &self.digis[from - reach..end - reach];
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

    /// True if the window that ends with digi `last` is full; `last` is not before
    /// [`Chain::beginning`].
    fn is_full(&self, last: usize) -> bool {
        let first = last - self.rules.reach();
        self.digis[last].time_ns() - self.digis[first].time_ns() <= self.rules.window_ns
    }

    /// The earliest digi that can be the next trigger after one.
    pub(super) fn earliest_after(&self, trigger: usize) -> usize {
        let dead_until = self.digis[trigger].time_ns() + self.rules.dead_time_ns;
        lower_bound(self.digis, trigger + 1, |time| time <= dead_until) + self.rules.reach()
    }

    /// Calls `found` for each trigger from an earliest index on, and before `end`; returns the
    /// earliest index of the next one.
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

    /// True if all digis of a full window are free if the previous trigger was at `last` or before.
    fn is_free(&self, last: usize, full: usize) -> bool {
        let reach = self.rules.reach();
        let dead_time = self.rules.dead_time_ns;
        let time = |at: usize| self.digis[at].time_ns();
        full > last + reach && time(full - reach) > time(last) + dead_time
    }

    /// The first sure trigger from `begin` on, and before `end`. The first full window there is
    /// known.
    pub(super) fn first_sure(&self, begin: usize, mut full: usize, end: usize) -> Option<usize> {
        // Before the first digi there is no trigger; before any other one it was there, at the
        // latest.
        let mut last = begin.checked_sub(1);
        loop {
            // After a full window, the next ones are mostly full too.
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

    /// The event of a trigger, given the last digi of its window.
    pub(super) fn event(&self, trigger: usize) -> Event {
        let time = |at: usize| self.digis[at].time_ns();
        let trigger_half_ns = time(trigger - self.rules.reach()) + time(trigger);
        let (first, last) = self.rules.span(trigger_half_ns);
        let begin = lower_bound(self.digis, trigger - self.rules.reach(), |time| time < first);
        let end = lower_bound(self.digis, trigger, |time| time <= last);
        Event { trigger_half_ns, begin: begin as u32, end: end as u32, first_copy: 0 }
    }
}

/// Lower bound: the index of the first digi whose time is not `before`, by exponential search from
/// `start` on. Times ascend, so `before` holds for all digis before it.
pub(super) fn lower_bound(digis: &[Digi], start: usize, before: impl Fn(u32) -> bool) -> usize {
    let is_before = |at: usize| before(digis[at].time_ns());
    let within = if start < digis.len() && is_before(start) {
        ahead(start, digis.len(), is_before)
    } else {
        behind(start.min(digis.len()), is_before)
    };
    within.start + digis[within].partition_point(|digi| before(digi.time_ns()))
}

/// Range that contains the result if that is after `start`, for which `is_before` holds.
fn ahead(start: usize, end: usize, is_before: impl Fn(usize) -> bool) -> Range<usize> {
    let mut low = start + 1;
    let mut leap = 1;
    while low + leap <= end && is_before(low + leap - 1) {
        low += leap;
        leap *= 2;
    }
    low..end.min(low + leap)
}

/// Range that contains the result if that is at or before `start`.
fn behind(start: usize, is_before: impl Fn(usize) -> bool) -> Range<usize> {
    let mut high = start;
    let mut leap = 1;
    while high > 0 && !is_before(high.saturating_sub(leap)) {
        high = high.saturating_sub(leap);
        leap *= 2;
    }
    high.saturating_sub(leap)..high
}

#[cfg(test)]
mod tests {
    use generators_sts::Address;

    use super::*;

    #[test]
    fn the_result_does_not_depend_on_the_start_of_the_search() {
        let digi = |time| Digi::new(Address::of_module(0), 0, time, 1);
        let digis: Vec<_> = (0..40).map(|i| digi(i / 3)).collect();
        for time in 0..15 {
            let right = digis.partition_point(|digi| digi.time_ns() < time);
            for start in 0..=digis.len() + 1 {
                assert_eq!(lower_bound(&digis, start, |t| t < time), right, "{time} from {start}");
            }
        }
        assert_eq!(lower_bound(&[], 0, |_| true), 0);
    }
}
