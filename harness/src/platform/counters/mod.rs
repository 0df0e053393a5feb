//! Hardware counters during runs: cycles, instructions, misses.
//!
//! Counters belong to a thread and count only its user code, which needs no more permissions than
//! distributions grant by default (`kernel.perf_event_paranoid` of 2).
//!
//! | module | holds |
//! |---|---|
//! | `reading` | events, counts of a run, values of counters, and differences between two readings |
//! | `linux` | counters of the kernel |

mod linux;
mod reading;

use std::io;

use tasks::device::Team;

pub(crate) use linux::open;
pub(crate) use reading::Reading;
pub use reading::{Counts, Event};

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
            let events = Event::GROUPS.concat().into_iter().filter(there);
            events.map(Event::words).collect::<Vec<_>>().join(", ")
        }
        Ok(Err(error)) => format!("none; {error}"),
        Err(error) => format!("not known: {error}"),
    }
}

/// Maximum setting at which the kernel lets a process count its own user code.
const PARANOID_ENOUGH: i64 = 2;

/// Reason for missing counters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CounterError {
    /// The kernel is configured to permit no counters.
    #[error(
        "the kernel forbids them (kernel.perf_event_paranoid is {0}); as root: sysctl \
         kernel.perf_event_paranoid=2"
    )]
    Paranoid(i64),
    /// The call is forbidden for another reason.
    #[error(
        "perf_event_open is forbidden, as the seccomp profile of a container does; allow it, such \
         as with --cap-add=PERFMON"
    )]
    Forbidden,
    /// The hardware has no usable counters.
    #[error(
        "this machine has no performance counters, as most virtual machines; run on the host, or \
         give it a virtual PMU"
    )]
    NoCounters,
    /// The kernel has no support for counters.
    #[error("this kernel has no perf_event_open")]
    NoCall,
    /// Too many open files.
    #[error("too many open files: there are 7 for each thread; raise the limit: ulimit -n")]
    TooManyFiles,
    /// Another error.
    #[error("perf_event_open failed: {0}")]
    Other(String),
}

impl CounterError {
    /// Interprets an error of the call.
    fn from_io_error(error: &io::Error) -> Self {
        let text = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
        let paranoid = text.ok().and_then(|text| text.trim().parse().ok());
        Self::with_paranoid(error, paranoid)
    }

    /// Interprets an error, given the value of `kernel.perf_event_paranoid`.
    fn with_paranoid(error: &io::Error, paranoid: Option<i64>) -> Self {
        match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => paranoid
                .filter(|level| *level > PARANOID_ENOUGH)
                .map_or(CounterError::Forbidden, CounterError::Paranoid),
            Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV | libc::ENXIO) => {
                CounterError::NoCounters
            }
            Some(libc::ENOSYS) => CounterError::NoCall,
            Some(libc::EMFILE | libc::ENFILE) => CounterError::TooManyFiles,
            _ => CounterError::Other(error.to_string()),
        }
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

    #[test]
    fn each_error_has_advice() {
        let words = |code, paranoid| {
            let error = io::Error::from_raw_os_error(code);
            CounterError::with_paranoid(&error, paranoid).to_string()
        };
        let cases = [
            (libc::EACCES, Some(4), "perf_event_paranoid is 4"),
            (libc::EPERM, Some(3), "sysctl kernel.perf_event_paranoid=2"),
            (libc::EPERM, Some(2), "--cap-add=PERFMON"),
            (libc::EACCES, None, "seccomp"),
            (libc::ENOENT, Some(2), "virtual PMU"),
            (libc::EOPNOTSUPP, Some(2), "no performance counters"),
            (libc::ENODEV, Some(2), "no performance counters"),
            (libc::ENOSYS, None, "no perf_event_open"),
            (libc::EMFILE, Some(2), "ulimit -n"),
            (libc::EINVAL, Some(2), "Invalid argument"),
        ];
        for (code, paranoid, expected) in cases {
            let text = words(code, paranoid);
            assert!(text.contains(expected), "{code}: {text}");
        }
    }
}
