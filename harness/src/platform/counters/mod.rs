//! Hardware counters during runs: cycles, instructions, misses.
//!
//! Counters belong to a thread and count only its user code, which needs no more permissions than
//! distributions grant by default (`kernel.perf_event_paranoid` of 2).
//!
//! | module | holds |
//! |---|---|
//! | `event` | events, and counts of a run |
//! | `reading` | values of counters, and differences between two readings |
//! | `error` | errors of counters, with advice |
//! | `linux` | counters of the kernel |

mod error;
mod event;
mod linux;
mod reading;

use algorithms::device::Team;

pub use error::CounterError;
pub use event::{Counts, Event};

pub(crate) use linux::open;
pub(crate) use reading::Reading;
#[cfg(test)]
pub(crate) use reading::fake;

/// Counters that can be read at any time.
pub(crate) trait Counting: Send + Sync {
    /// Current values; `None` if they can't be read any more.
    fn read(&self) -> Option<Reading>;
}

/// Running counters, and events that they can't count.
pub(crate) struct OpenCounters {
    pub(crate) counting: Box<dyn Counting>,
    /// Missing events in the order of [`Event::ALL`].
    pub(crate) missing: Vec<Event>,
}

impl OpenCounters {
    /// Note for readers on missing counts.
    pub(crate) fn note(&self) -> Option<String> {
        if self.missing.is_empty() {
            return None;
        }
        let names: Vec<_> = self.missing.iter().map(|event| event.words()).collect();
        let names = names.join(" and ");
        Some(format!("hardware counters: this machine has none for {names}"))
    }
}

/// Describes the counters available to a thread of this process.
pub fn availability() -> String {
    let opened = Team::new(1).map(|team| open(&team));
    match opened {
        Ok(Ok(opened)) => {
            let there = |event: &Event| !opened.missing.contains(event);
            let there = Event::ALL.into_iter().filter(there);
            there.map(Event::words).collect::<Vec<_>>().join(", ")
        }
        Ok(Err(error)) => format!("none; {error}"),
        Err(error) => format!("not known: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_counters_yield_one_note() {
        let opened = |missing: &[Event]| OpenCounters {
            counting: Box::new(fake::Script::default()),
            missing: missing.to_vec(),
        };
        assert_eq!(opened(&[]).note(), None);
        let note = opened(&[Event::LastLevelMisses, Event::TlbMisses]).note();
        let expected = "hardware counters: this machine has none for last-level-cache misses and \
                        data-TLB misses";
        assert_eq!(note.as_deref(), Some(expected));
    }

    #[test]
    fn a_team_counts_more_for_more_work() {
        let team = Team::new(2).expect("threads");
        let opened = match open(&team) {
            Ok(opened) => opened,
            Err(error) => {
                eprintln!("skipped: {error}");
                assert_ne!(error.to_string(), "");
                return;
            }
        };
        let instructions = |turns: u64| {
            let before = opened.counting.read().expect("readable");
            team.run(|| (0..turns).map(std::hint::black_box).sum::<u64>());
            let after = opened.counting.read().expect("readable");
            Reading::between(&before, &after).get(Event::Instructions)
        };
        let few = instructions(1000);
        let many = instructions(10_000_000);
        assert!(many > few && many >= Some(1e7), "{few:?} {many:?}");
    }
}
