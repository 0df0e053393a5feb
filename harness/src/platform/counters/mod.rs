//! What the processor counts while a variant runs: cycles, instructions, misses.
//!
//! Counters belong to a thread and count its user code only, which needs no more
//! rights than distributions give by default (`kernel.perf_event_paranoid` of 2).
//!
//! | module | holds |
//! |---|---|
//! | `event` | what is counted, and counts of a run |
//! | `reading` | counters at one time, and what happened between two of them |
//! | `refusal` | why there are none, and what to do |
//! | `linux` | the counters of the kernel |

mod event;
mod linux;
mod reading;
mod refusal;

use algorithms::device::Team;

pub use event::{Counts, Event};
pub use refusal::Refusal;

pub(crate) use linux::open;
pub(crate) use reading::Reading;
#[cfg(test)]
pub(crate) use reading::fake;

/// Counters that can be read at any time.
pub(crate) trait Counting: Send + Sync {
    /// What they say now; `None` if they can't be read any more.
    fn read(&self) -> Option<Reading>;
}

/// Counters that are running, and what they can't count.
pub(crate) struct Opened {
    pub(crate) counting: Box<dyn Counting>,
    /// In the order of [`Event::ALL`].
    pub(crate) missing: Vec<Event>,
}

impl Opened {
    /// What a reader should know of the counts.
    pub(crate) fn note(&self) -> Option<String> {
        if self.missing.is_empty() {
            return None;
        }
        let names: Vec<_> = self.missing.iter().map(|event| event.words()).collect();
        let names = names.join(" and ");
        Some(format!("hardware counters: this machine has none for {names}"))
    }
}

/// Whether a thread of this process can have counters, in words.
pub fn availability() -> String {
    let opened = Team::new(1).map(|team| open(&team));
    match opened {
        Ok(Ok(opened)) => {
            let there = |event: &Event| !opened.missing.contains(event);
            let there = Event::ALL.into_iter().filter(there);
            there.map(Event::words).collect::<Vec<_>>().join(", ")
        }
        Ok(Err(refusal)) => format!("none; {refusal}"),
        Err(error) => format!("not known: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_in_one_note() {
        let opened = |missing: &[Event]| Opened {
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
            Err(refusal) => {
                eprintln!("skipped: {refusal}");
                assert_ne!(refusal.to_string(), "");
                return;
            }
        };
        let instructions = |turns: u64| {
            let before = opened.counting.read().expect("readable");
            team.run(|| (0..turns).map(std::hint::black_box).sum::<u64>());
            let after = opened.counting.read().expect("readable");
            Reading::between(&before, &after).get(Event::Instructions)
        };
        let (few, many) = (instructions(1000), instructions(10_000_000));
        assert!(many > few && many >= Some(1e7), "{few:?} {many:?}");
    }
}
