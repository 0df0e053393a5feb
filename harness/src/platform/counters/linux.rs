//! Counters of the Linux kernel, one set per thread.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware};
use perf_event::{Builder, Counter, Group};
use tasks::device::Team;

use super::reading::{GroupReading, Reading};
use super::{CounterError, Counting, Event, OpenCounters};
use crate::platform::cores::{CountingUnit, counting_units};

/// Counters of all threads of a team.
struct TeamCounters(Mutex<Vec<OpenGroup>>);

/// Counters of a thread that count at the same time: a part for each kind of cores, of which only
/// that of the present core counts.
struct OpenGroup(Vec<OpenPart>);

/// Counters of a group on cores of one kind.
struct OpenPart {
    group: Group,
    counters: Vec<(Event, Counter)>,
    is_of_efficiency_cores: bool,
}

/// Opens and starts counters on each thread of a team.
pub(crate) fn open(team: &Team) -> Result<OpenCounters, CounterError> {
    let mut groups = Vec::new();
    let units = counting_units(Path::new("/sys"));
    for opened in team.run_on_each(|_| open_on_this_thread(&units)) {
        groups.extend(opened.map_err(|error| CounterError::from_io_error(&error))?);
    }
    let is_missing = |event: &Event| {
        let mut counters = groups.iter().flat_map(OpenGroup::events);
        !counters.any(|other| other == *event)
    };
    let all = Event::GROUPS.concat();
    let missing: Vec<_> = all.iter().copied().filter(is_missing).collect();
    if missing.len() == all.len() {
        return Err(CounterError::NoCounters);
    }
    Ok(OpenCounters { counting: Box::new(TeamCounters(Mutex::new(groups))), missing })
}

/// Opens counters of this thread. Events that this processor can't count are left out.
fn open_on_this_thread(units: &[CountingUnit]) -> io::Result<Vec<OpenGroup>> {
    let mut groups = Vec::new();
    for events in Event::GROUPS {
        let mut parts = Vec::new();
        if units.is_empty() {
            parts.push(open_part(events, builder)?);
        }
        for unit in units {
            let part = open_part(events, |event| builder_for_unit(event, *unit))?;
            let is_of_efficiency_cores = unit.is_of_efficiency_cores;
            parts.push(OpenPart { is_of_efficiency_cores, ..part });
        }
        let group = OpenGroup(parts);
        let has_counters = group.events().next().is_some();
        groups.extend(has_counters.then_some(group));
    }
    Ok(groups)
}

fn open_part(
    events: &[Event],
    builder: impl Fn(Event) -> Builder<'static>,
) -> io::Result<OpenPart> {
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
    Ok(OpenPart { group, counters, is_of_efficiency_cores: false })
}

/// Builder of a counter of user code only, which is the default of builders.
fn builder(event: Event) -> Builder<'static> {
    let misses_of = |which| Cache { which, operation: CacheOp::READ, result: CacheResult::MISS };
    match event {
        Event::Cycles | Event::EfficiencyCycles => Builder::new(Hardware::CPU_CYCLES),
        Event::Instructions | Event::EfficiencyInstructions => Builder::new(Hardware::INSTRUCTIONS),
        Event::BranchMisses => Builder::new(Hardware::BRANCH_MISSES),
        Event::LastLevelMisses => Builder::new(misses_of(CacheId::LL)),
        Event::TlbMisses => Builder::new(misses_of(CacheId::DTLB)),
    }
}

/// Builder of a counter of one kind of cores: the upper half of the configuration selects the unit.
fn builder_for_unit(event: Event, unit: CountingUnit) -> Builder<'static> {
    let mut builder = builder(event);
    builder.attrs_mut().config |= u64::from(unit.number) << 32;
    builder
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
    fn events(&self) -> impl Iterator<Item = Event> {
        self.0.iter().flat_map(|part| &part.counters).map(|(event, _)| *event)
    }

    fn read(&mut self) -> Option<GroupReading> {
        let parts = self.0.iter_mut().map(OpenPart::read);
        parts.collect::<Option<Vec<_>>>().map(GroupReading::of_kinds)
    }
}

impl OpenPart {
    fn read(&mut self) -> Option<GroupReading> {
        let data = self.group.read().ok()?;
        let nanoseconds = |time: std::time::Duration| time.as_nanos() as u64;
        let values = self.counters.iter().map(|(event, counter)| {
            let entry = data.get(counter)?;
            Some((*event, entry.value()))
        });
        let mut values = values.collect::<Option<Vec<_>>>()?;
        if self.is_of_efficiency_cores {
            let own = |&(event, value): &(Event, u64)| Some((event.on_efficiency_cores()?, value));
            values.extend(values.iter().filter_map(own).collect::<Vec<_>>());
        }
        Some(GroupReading {
            enabled_ns: nanoseconds(data.time_enabled()?),
            running_ns: nanoseconds(data.time_running()?),
            values,
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
        let opened = team.run_on_each(|_| open_part(&[Event::Cycles], clock));
        let groups: Vec<_> = match opened.into_iter().collect::<io::Result<Vec<_>>>() {
            Ok(parts) => parts.into_iter().map(|part| OpenGroup(vec![part])).collect(),
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
        match open_part(&[Event::Cycles, Event::TlbMisses], builder) {
            Ok(part) => assert_eq!(part.counters.len(), 1),
            Err(error) => eprintln!("skipped: {}", CounterError::from_io_error(&error)),
        }
    }
}
