//! Hardware counter events, values of counters, and differences between two readings.
//!
//! If a processor has fewer counters than are requested, the kernel multiplexes groups of them:
//! counts are then scaled to the total time.

use reports::record::Params;
use reports::units;

/// Maximum share of the time of all threads that may pass uncounted.
const UNCOUNTED: f64 = 0.01;

/// Values of all groups of all threads, always in the same order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading(pub(super) Vec<GroupReading>);

/// Counters of a thread that count at the same time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroupReading {
    /// Nanoseconds that the thread ran since the counters were started.
    pub(super) enabled_ns: u64,
    /// Nanoseconds of them in which the counters were active.
    pub(super) running_ns: u64,
    pub(super) values: Vec<(Event, u64)>,
}

impl GroupReading {
    /// The reading of a thread whose counters are of several kinds of cores: it was on one of them
    /// at a time.
    pub(super) fn of_kinds(parts: Vec<GroupReading>) -> Self {
        let mut all = GroupReading { enabled_ns: 0, running_ns: 0, values: Vec::new() };
        for part in parts {
            all.enabled_ns = all.enabled_ns.max(part.enabled_ns);
            all.running_ns += part.running_ns;
            for (event, value) in part.values {
                match all.values.iter_mut().find(|(known, _)| *known == event) {
                    Some((_, sum)) => *sum += value,
                    None => all.values.push((event, value)),
                }
            }
        }
        all
    }
}

impl Reading {
    /// Counts between two readings, over all threads.
    pub(crate) fn between(before: &Reading, after: &Reading) -> Counts {
        let mut counts = Counts::default();
        for event in Event::ALL {
            let deltas = before.0.iter().zip(&after.0);
            let deltas = deltas.filter_map(|(before, after)| Delta::between(event, before, after));
            counts.set(event, sum(deltas));
        }
        counts
    }
}

/// Difference of a counter of one thread.
struct Delta {
    enabled_ns: f64,
    running_ns: f64,
    count: f64,
}

impl Delta {
    fn between(event: Event, before: &GroupReading, after: &GroupReading) -> Option<Self> {
        let value = |reading: &GroupReading| {
            let found = reading.values.iter().find(|(other, _)| *other == event);
            found.map(|(_, value)| *value)
        };
        let since = |after: u64, before: u64| after.saturating_sub(before) as f64;
        Some(Delta {
            enabled_ns: since(after.enabled_ns, before.enabled_ns),
            running_ns: since(after.running_ns, before.running_ns),
            count: since(value(after)?, value(before)?),
        })
    }
}

/// Sum over threads; `None` if no counter exists, or too little of the threads' time was counted.
fn sum(deltas: impl Iterator<Item = Delta>) -> Option<f64> {
    let mut total = 0.0;
    let mut enabled = 0.0;
    let mut uncounted = 0.0;
    let mut any = false;
    for delta in deltas {
        any = true;
        enabled += delta.enabled_ns;
        if delta.running_ns > 0.0 {
            total += delta.count * (delta.enabled_ns / delta.running_ns).max(1.0);
        } else {
            uncounted += delta.enabled_ns;
        }
    }
    (any && uncounted <= UNCOUNTED * enabled).then_some(total)
}

/// Significant figures of counts per item.
const FIGURES: usize = 4;

/// A hardware event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Clock cycles, at the actual clock.
    Cycles,
    /// Retired instructions.
    Instructions,
    /// Mispredicted branches.
    BranchMisses,
    /// Reads that missed the last-level cache.
    LastLevelMisses,
    /// Data reads that missed the TLB.
    TlbMisses,
    /// Clock cycles on the smaller cores of a CPU with cores of two kinds.
    EfficiencyCycles,
    /// Instructions retired by them.
    EfficiencyInstructions,
}

impl Event {
    /// All events.
    pub const ALL: [Event; 7] = [
        Event::Cycles,
        Event::Instructions,
        Event::BranchMisses,
        Event::LastLevelMisses,
        Event::TlbMisses,
        Event::EfficiencyCycles,
        Event::EfficiencyInstructions,
    ];

    /// Groups of events of all processors that are counted at the same time, so that their ratios are meaningful: few
    /// enough for the counters of any processor.
    pub(super) const GROUPS: [&[Event]; 2] = [
        &[Event::Cycles, Event::Instructions, Event::BranchMisses],
        &[Event::LastLevelMisses, Event::TlbMisses],
    ];

    /// The part of an event on the smaller cores, if it is counted by itself.
    pub(super) const fn on_efficiency_cores(self) -> Option<Event> {
        match self {
            Event::Cycles => Some(Event::EfficiencyCycles),
            Event::Instructions => Some(Event::EfficiencyInstructions),
            _ => None,
        }
    }

    /// Name in `samples.csv`; among the metrics of `summary.csv` it is followed by `_per_item`.
    pub const fn name(self) -> &'static str {
        match self {
            Event::Cycles => "cycles",
            Event::Instructions => "instructions",
            Event::BranchMisses => "branch_misses",
            Event::LastLevelMisses => "llc_misses",
            Event::TlbMisses => "tlb_misses",
            Event::EfficiencyCycles => "efficiency_cycles",
            Event::EfficiencyInstructions => "efficiency_instructions",
        }
    }

    /// Name in messages.
    pub const fn words(self) -> &'static str {
        match self {
            Event::Cycles | Event::Instructions => self.name(),
            Event::BranchMisses => "branch misses",
            Event::LastLevelMisses => "last-level-cache misses",
            Event::TlbMisses => "data-TLB misses",
            Event::EfficiencyCycles => "cycles on efficiency cores",
            Event::EfficiencyInstructions => "instructions on efficiency cores",
        }
    }
}

/// Counts over all threads; `None` for events that could not be counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts([Option<f64>; Event::ALL.len()]);

impl Counts {
    /// Count of an event.
    pub fn get(&self, event: Event) -> Option<f64> {
        self.0[event as usize]
    }

    pub(super) fn set(&mut self, event: Event, count: Option<f64>) {
        self.0[event as usize] = count;
    }

    /// Formats as `cycles=…;instructions=…`, in integers.
    pub fn params(&self) -> Params {
        let mut params = Params::default();
        for event in Event::ALL {
            if let Some(count) = self.get(event) {
                params.set(event.name(), format!("{count:.0}"));
            }
        }
        params
    }

    /// Medians over samples of the counts per item, with their names.
    pub fn medians_per_item(
        samples: &[Counts],
        items: u64,
    ) -> impl Iterator<Item = (String, String)> {
        Event::ALL.into_iter().filter_map(move |event| {
            let counts: Vec<_> = samples.iter().filter_map(|counts| counts.get(event)).collect();
            let per_item = statistics::median(&counts) / items.max(1) as f64;
            let name = format!("{}_per_item", event.name());
            (!counts.is_empty()).then(|| (name, units::significant(per_item, FIGURES)))
        })
    }
}

#[cfg(test)]
pub(crate) mod fake {
    //! Simulated counters for tests.

    use std::sync::Mutex;

    use super::super::Counting;
    use super::*;

    /// Scripted readings in sequence; after the last one it can't be read any more.
    #[derive(Default)]
    pub(crate) struct Script(pub(crate) Mutex<Vec<Reading>>);

    impl Script {
        /// One thread that always runs, with cycles at each reading.
        pub(crate) fn from_cycles(cycles: &[u64]) -> Self {
            let reading = |(number, &cycles): (usize, &u64)| {
                let ns = 1000 * number as u64;
                Reading(vec![group(ns, ns, &[(Event::Cycles, cycles)])])
            };
            let readings = cycles.iter().enumerate().map(reading);
            Script(Mutex::new(readings.collect()))
        }
    }

    impl Counting for Script {
        fn read(&self) -> Option<Reading> {
            let mut left = self.0.lock().expect("no panic");
            (!left.is_empty()).then(|| left.remove(0))
        }
    }

    pub(in super::super) fn group(
        enabled_ns: u64,
        running_ns: u64,
        values: &[(Event, u64)],
    ) -> GroupReading {
        GroupReading { enabled_ns, running_ns, values: values.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::fake::group;
    use super::*;

    const CYCLES: Event = Event::Cycles;
    const MISSES: Event = Event::TlbMisses;

    fn counted(before: &[GroupReading], after: &[GroupReading]) -> Counts {
        Reading::between(&Reading(before.to_vec()), &Reading(after.to_vec()))
    }

    #[test]
    fn differences_are_summed_over_threads() {
        let cycles = |ns, cycles| group(ns, ns, &[(CYCLES, cycles)]);
        let before = [cycles(100, 50), cycles(7, 5)];
        let after = [cycles(300, 850), cycles(107, 205)];
        let counts = counted(&before, &after);
        assert_eq!(counts.get(CYCLES), Some(1000.0));
        assert_eq!(counts.get(MISSES), None, "they are not counted");
    }

    #[test]
    fn multiplexed_groups_are_scaled() {
        let before = [group(0, 0, &[(CYCLES, 0)]), group(0, 0, &[(MISSES, 0)])];
        let after = [group(1000, 250, &[(CYCLES, 100)]), group(1000, 750, &[(MISSES, 30)])];
        let counts = counted(&before, &after);
        assert_eq!(counts.get(CYCLES), Some(400.0));
        assert_eq!(counts.get(MISSES), Some(40.0));
    }

    #[test]
    fn groups_that_never_ran_are_unknown() {
        let busy = |cycles| group(1000 * cycles, 1000 * cycles, &[(CYCLES, cycles)]);
        let never = |ns| group(ns, 0, &[(CYCLES, 0)]);
        // Counts are still known if the uncounted thread hardly ran, or did not run at all.
        for (from, to, known) in [(0, 5000, None), (0, 50, Some(9.0)), (70, 70, Some(9.0))] {
            let counts = counted(&[busy(0), never(from)], &[busy(9), never(to)]);
            assert_eq!(counts.get(CYCLES), known);
        }
    }

    #[test]
    fn a_thread_on_cores_of_two_kinds_is_counted_once() {
        const OWN: Event = Event::EfficiencyCycles;
        let at = |large: (u64, u64), small: (u64, u64), ns| {
            GroupReading::of_kinds(vec![
                group(ns, large.0, &[(CYCLES, large.1)]),
                group(ns, small.0, &[(CYCLES, small.1), (OWN, small.1)]),
            ])
        };
        let [before, after] = [at((0, 0), (0, 0), 0), at((700, 2100), (300, 300), 1000)];
        let counts = counted(&[before], std::slice::from_ref(&after));
        assert_eq!([CYCLES, OWN].map(|event| counts.get(event)), [Some(2400.0), Some(300.0)]);
        let later = at((700, 2100), (1300, 1300), 2000);
        let counts = counted(&[after], &[later]);
        assert_eq!([CYCLES, OWN].map(|event| counts.get(event)), [Some(1000.0); 2]);
    }

    #[test]
    fn decreasing_counters_count_zero() {
        let before = [group(10, 10, &[(CYCLES, 500)])];
        let counts = counted(&before, &[group(20, 20, &[(CYCLES, 400)])]);
        assert_eq!(counts.get(CYCLES), Some(0.0));
    }

    fn counts(cycles: f64, misses: Option<f64>) -> Counts {
        let mut counts = Counts::default();
        counts.set(Event::Cycles, Some(cycles));
        counts.set(Event::TlbMisses, misses);
        counts
    }

    #[test]
    fn columns_contain_the_counts() {
        for (counts, columns) in [
            (Counts::default(), ""),
            (counts(1234.6, None), "cycles=1235"),
            (counts(2e12, Some(0.0)), "cycles=2000000000000;tlb_misses=0"),
        ] {
            assert_eq!(counts.params().to_string(), columns);
        }
    }

    #[test]
    fn metrics_are_medians_per_item() {
        let samples = [(2000.0, None), (9000.0, Some(10.0)), (4000.0, None)];
        let samples = samples.map(|(cycles, misses)| counts(cycles, misses));
        for (samples, expected) in [
            (&samples[..], "cycles_per_item=4.000 tlb_misses_per_item=0.01000"),
            (&samples[..1], "cycles_per_item=2.000"),
            (&[], ""),
        ] {
            let metrics = Counts::medians_per_item(samples, 1000);
            let metrics: Vec<_> = metrics.map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(metrics.join(" "), expected);
        }
    }

    #[test]
    fn events_are_in_their_order() {
        let numbers = Event::ALL.map(|event| event as usize);
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6]);
    }
}
