//! Counters of the Linux kernel, one set per thread.

use std::io;
use std::sync::{Mutex, PoisonError};

use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware};
use perf_event::{Builder, Counter, Group};
use tasks::device::Team;

use super::reading::{GroupReading, Reading};
use super::{CounterError, Counting, Event, OpenCounters};

/// Counters of all threads of a team.
struct TeamCounters(Mutex<Vec<OpenGroup>>);

/// Counters of a thread that count at the same time.
struct OpenGroup {
    group: Group,
    counters: Vec<(Event, Counter)>,
}

/// Opens and starts counters on each thread of a team.
pub(crate) fn open(team: &Team) -> Result<OpenCounters, CounterError> {
    let mut groups = Vec::new();
    for opened in team.run_on_each(|_| open_on_this_thread()) {
        groups.extend(opened.map_err(|error| CounterError::from_io_error(&error))?);
    }
    let is_missing = |event: &Event| {
        let mut counters = groups.iter().flat_map(|group| &group.counters);
        !counters.any(|(other, _)| other == event)
    };
    let missing: Vec<_> = Event::ALL.into_iter().filter(is_missing).collect();
    if missing.len() == Event::ALL.len() {
        return Err(CounterError::NoCounters);
    }
    Ok(OpenCounters { counting: Box::new(TeamCounters(Mutex::new(groups))), missing })
}

/// Opens counters of this thread. Events that this processor can't count are left out.
fn open_on_this_thread() -> io::Result<Vec<OpenGroup>> {
    let mut groups = Vec::new();
    for events in Event::GROUPS {
        let group = open_group(events, builder)?;
        groups.extend((!group.counters.is_empty()).then_some(group));
    }
    Ok(groups)
}

fn open_group(events: &[Event], builder: fn(Event) -> Builder<'static>) -> io::Result<OpenGroup> {
    let mut group = Group::new()?;
    let mut counters = Vec::new();
    for &event in events {
        match group.add(&builder(event)) {
            Ok(counter) => counters.push((event, counter)),
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    group.enable()?;
    Ok(OpenGroup { group, counters })
}

/// Builder of a counter of user code only, which is the default of builders.
fn builder(event: Event) -> Builder<'static> {
    let misses_of = |which| Cache { which, operation: CacheOp::READ, result: CacheResult::MISS };
    match event {
        Event::Cycles => Builder::new(Hardware::CPU_CYCLES),
        Event::Instructions => Builder::new(Hardware::INSTRUCTIONS),
        Event::BranchMisses => Builder::new(Hardware::BRANCH_MISSES),
        Event::LastLevelMisses => Builder::new(misses_of(CacheId::LL)),
        Event::TlbMisses => Builder::new(misses_of(CacheId::DTLB)),
    }
}

/// True if only this event can't be counted here. `EINVAL` means that it never fits into its group.
fn is_missing(error: &io::Error) -> bool {
    let codes = [libc::ENOENT, libc::EOPNOTSUPP, libc::ENODEV, libc::EINVAL];
    let code = error.raw_os_error();
    code.is_some_and(|code| codes.contains(&code))
}

impl Counting for TeamCounters {
    fn read(&self) -> Option<Reading> {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let readings = groups.iter_mut().map(OpenGroup::read);
        readings.collect::<Option<_>>().map(Reading)
    }
}

impl OpenGroup {
    fn read(&mut self) -> Option<GroupReading> {
        let data = self.group.read().ok()?;
        let nanoseconds = |time: std::time::Duration| time.as_nanos() as u64;
        let values = self.counters.iter().map(|(event, counter)| {
            let entry = data.get(counter)?;
            Some((*event, entry.value()))
        });
        Some(GroupReading {
            enabled_ns: nanoseconds(data.time_enabled()?),
            running_ns: nanoseconds(data.time_running()?),
            values: values.collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use perf_event::events::Software;

    use super::*;

    /// A counter without hardware: nanoseconds that the thread ran.
    fn clock(_: Event) -> Builder<'static> {
        Builder::new(Software::TASK_CLOCK)
    }

    #[test]
    fn groups_are_read_from_any_thread() {
        let team = Team::new(2).expect("threads");
        let opened = team.run_on_each(|_| open_group(&[Event::Cycles], clock));
        let groups = match opened.into_iter().collect::<io::Result<Vec<_>>>() {
            Ok(groups) => groups,
            Err(error) => {
                eprintln!("skipped: {}", CounterError::from_io_error(&error));
                return;
            }
        };
        let counters = TeamCounters(Mutex::new(groups));
        let before = counters.read().expect("readable");
        assert_eq!(before.0.len(), 2);
        team.run_on_each(|_| {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(20) {
                std::hint::spin_loop();
            }
        });
        let after = counters.read().expect("readable");
        let ran = Reading::between(&before, &after).get(Event::Cycles);
        assert!(ran > Some(1e6) && ran < Some(1e10), "{ran:?}");
    }

    #[test]
    fn missing_events_are_omitted() {
        let builder: fn(Event) -> Builder<'static> = |event| match event {
            Event::Cycles => clock(event),
            // A number that no software event has.
            _ => Builder::new(Software(1 << 40)),
        };
        match open_group(&[Event::Cycles, Event::TlbMisses], builder) {
            Ok(group) => assert_eq!(group.counters.len(), 1),
            Err(error) => eprintln!("skipped: {}", CounterError::from_io_error(&error)),
        }
    }
}
