//! One window of a configuration.

use std::time::Duration;

use reports::mixed::{LoadWindowRow, configuration};
use reports::throughput::ThroughputRow;

use super::file::Pace;
use super::participants::Participant;
use crate::energy::EnergyMeters;
use crate::platform::Interrupt;
use crate::throughput::{
    Ceilings, Clock, Event, PointFailure, Schedule, ScheduledStream, Tally, Window, WindowStats,
    after_window, check_each, run_each, watch,
};

/// Context shared by all windows.
pub(super) struct WindowSetup<'s> {
    pub(super) ceilings: &'s Ceilings,
    pub(super) meters: &'s EnergyMeters,
    pub(super) interrupt: &'s Interrupt,
    /// Length of a window, unless events are long.
    pub(super) duration: Duration,
}

/// Reason for a window to have no rows.
pub(super) enum NoRows {
    Interrupted,
    /// The load with this index has failed.
    Failed(usize, PointFailure),
}

/// A load in a window.
struct Measured<'w> {
    index: usize,
    events: Vec<Vec<Event>>,
    schedule: Option<&'w Schedule>,
}

/// Runs the streams of some loads concurrently in one window, and checks them once more; returns a
/// row of each load.
pub(super) fn measure(
    setup: &WindowSetup<'_>,
    participants: &mut [Participant<'_>],
    members: &[usize],
) -> Result<Vec<LoadWindowRow>, NoRows> {
    let schedule = |&index: &usize| match participants[index].pace {
        Pace::Closed { .. } => None,
        Pace::Open { rate } => Some(Schedule::new(rate, participants[index].streams.len())),
    };
    let schedules: Vec<Option<Schedule>> = members.iter().map(schedule).collect();
    let mut devices: Vec<_> = members.iter().map(|&index| participants[index].device).collect();
    crate::request::values::each_once(&mut devices);
    let streams = members.iter().map(|&index| participants[index].streams.len()).sum();
    let clock = Clock::new(streams, setup.duration, Duration::MAX);
    let mut scheduled = Vec::new();
    // Index of the load of each stream, and of the stream in it.
    let mut owners = Vec::new();
    for (index, participant) in members_of(participants, members) {
        let position = members.iter().position(|&member| member == index);
        let schedule = position.and_then(|position| schedules[position].as_ref());
        for (number, stream) in participant.streams.iter_mut().enumerate() {
            scheduled.push(ScheduledStream { stream, schedule });
            owners.push((index, number));
        }
    }
    let (ended, stats) = run_each(scheduled, &clock, setup.interrupt, || {
        watch(&clock, setup.meters, &devices, setup.interrupt).unwrap_or_default()
    });
    let mut events: Vec<(usize, Vec<Event>)> = Vec::new();
    for (ended, &(index, _)) in ended.into_iter().zip(&owners) {
        events.push((index, ended.map_err(|failure| NoRows::Failed(index, failure))?));
    }
    let window = clock.window().filter(|_| !setup.interrupt.asked()).ok_or(NoRows::Interrupted)?;
    check(participants, members, &owners)?;
    let measured = members.iter().zip(&schedules).map(|(&index, schedule)| Measured {
        index,
        events: events.iter().filter(|(it, _)| *it == index).map(|(_, it)| it.clone()).collect(),
        schedule: schedule.as_ref(),
    });
    let name = configuration(members.iter().map(|&index| participants[index].row.load.as_str()));
    let rows = measured.map(|measured| LoadWindowRow {
        configuration: name.clone(),
        ..row(setup, &participants[measured.index], &measured, window, &stats)
    });
    Ok(rows.collect())
}

/// The loads of a configuration with their indices.
fn members_of<'p, 'a>(
    participants: &'p mut [Participant<'a>],
    members: &'p [usize],
) -> impl Iterator<Item = (usize, &'p mut Participant<'a>)> {
    participants.iter_mut().enumerate().filter(|(index, _)| members.contains(index))
}

/// Checks all streams of a configuration side by side.
fn check(
    participants: &mut [Participant<'_>],
    members: &[usize],
    owners: &[(usize, usize)],
) -> Result<(), NoRows> {
    let members = members_of(participants, members);
    let streams = members.flat_map(|(_, participant)| &mut participant.streams).collect();
    for (checked, &(index, stream)) in check_each(streams).into_iter().zip(owners) {
        checked.map_err(|failure| NoRows::Failed(index, after_window(failure, stream)))?;
    }
    Ok(())
}

/// Row of a load in a window.
fn row(
    setup: &WindowSetup<'_>,
    participant: &Participant<'_>,
    measured: &Measured<'_>,
    window: Window,
    stats: &WindowStats,
) -> LoadWindowRow {
    let mut figures =
        ThroughputRow { bytes_min: participant.row.bytes_min, ..ThroughputRow::default() };
    let tally = Tally { window, events: &measured.events, items: &participant.items };
    tally.fill(&mut figures);
    setup.ceilings.fill(&mut figures, &participant.device.into(), participant.gpu_metrics);
    let due = measured.schedule.map(|schedule| schedule.due_within(window));
    let ended = measured.events.iter().flatten().filter(|event| event.end <= window.end).count();
    let watts = stats.energy.watts();
    LoadWindowRow {
        load: participant.row.load.clone(),
        window_s: figures.window_s,
        events: figures.events,
        items_per_s: figures.items_per_s,
        events_per_s: figures.events_per_s,
        p50_s: figures.p50_s,
        p99_s: figures.p99_s,
        due: due.map(|due| due as u64),
        backlog_growth: due.map(|due| due as f64 - ended as f64),
        cores_share: stats.busy.map(|busy| busy.own),
        others_share: stats.busy.and_then(|busy| busy.others),
        copy_share: figures.copy_share,
        link_share: figures.link_share,
        kernels_share: figures.kernels_share,
        cpu_w: watts.cpu,
        gpu_w: watts.gpu,
        command_w: watts.command,
        ..LoadWindowRow::default()
    }
}
