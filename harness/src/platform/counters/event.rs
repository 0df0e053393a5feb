//! Hardware counter events.

use reports::record::Params;
use reports::units;

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
}

impl Event {
    /// All events.
    pub const ALL: [Event; 5] = [
        Event::Cycles,
        Event::Instructions,
        Event::BranchMisses,
        Event::LastLevelMisses,
        Event::TlbMisses,
    ];

    /// Groups of events that are counted at the same time, so that their ratios are meaningful: few
    /// enough for the counters of any processor.
    pub(super) const GROUPS: [&[Event]; 2] = [
        &[Event::Cycles, Event::Instructions, Event::BranchMisses],
        &[Event::LastLevelMisses, Event::TlbMisses],
    ];

    /// Name in `samples.csv`; among the metrics of `summary.csv` it is followed by `_per_item`.
    pub const fn name(self) -> &'static str {
        match self {
            Event::Cycles => "cycles",
            Event::Instructions => "instructions",
            Event::BranchMisses => "branch_misses",
            Event::LastLevelMisses => "llc_misses",
            Event::TlbMisses => "tlb_misses",
        }
    }

    /// Name in messages.
    pub const fn words(self) -> &'static str {
        match self {
            Event::Cycles | Event::Instructions => self.name(),
            Event::BranchMisses => "branch misses",
            Event::LastLevelMisses => "last-level-cache misses",
            Event::TlbMisses => "data-TLB misses",
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
mod tests {
    use super::*;

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
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
    }
}
