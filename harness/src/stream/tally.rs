//! Conversion of a log to rows.

use reports::record::YesNo;
use reports::stream::{StreamRow, Times, TimesliceRow, TimesliceState, WRONG, shortfall};

use super::data::{Content, Size};
use super::dispatcher::Wrong;
use super::speed::SpeedResult;
use super::timeslice_record::{CheckRecord, Record, State};
use super::workers::Comparison;
use crate::energy::PeriodEnergy;

/// Maximum number of timeslices written per speed, evenly over its time.
const MAX_WRITTEN: usize = 100_000;
const NS: f64 = 1e-9;

/// Fills the figures of a speed into its row.
pub(super) fn fill(row: &mut StreamRow, ran: &SpeedResult, content: &Content<'_>) {
    let sizes = content.sizes;
    let records = ran.log.records();
    let counts = ran.log.counts();
    let seconds = ran.end_ns.saturating_sub(ran.begin_ns) as f64 * NS;
    row.duration_s = seconds;
    (row.due, row.emitted, row.done) = (counts.due, counts.emitted, counts.done);
    (row.lost, row.dropped, row.backlog) = (counts.lost, counts.dropped, counts.backlog);
    (row.repeated, row.checked) = (counts.repeated, counts.checked);
    row.workers_lost = ran.log.workers_lost();
    row.max_waiting = ran.log.max_waiting() as u64;
    let size = |record: &Record| sizes.get(record.data as usize).copied().unwrap_or_default();
    let mean = |of: fn(Size) -> u64| {
        records.iter().map(|record| of(size(record)) as f64).sum::<f64>()
            / records.len().max(1) as f64
    };
    row.items = mean(|size| size.items);
    row.bytes = mean(|size| size.bytes);
    let done = || records.iter().filter(|record| record.state == State::Done);
    row.done_items = done().map(|record| size(record).items).sum();
    if content.expected.iter().any(|found| found.stage.is_some()) {
        let stages = || done().filter_map(|record| record.stage);
        let sum = |kind: usize| Some(stages().map(|stage| u64::from(stage.counts[kind])).sum());
        row.set_events(sum(0), sum(1));
    }
    if seconds > 0.0 {
        let in_time =
            || records.iter().filter(|it| it.state == State::Done && it.ended_ns <= ran.end_ns);
        let rate = |of: fn(Size) -> u64| {
            Some(in_time().map(|record| of(size(record)) as f64).sum::<f64>() / seconds)
        };
        row.due_per_s = Some(counts.due as f64 / seconds);
        row.done_per_s = rate(|_| 1);
        row.items_per_s = rate(|size| size.items);
        row.bytes_per_s = rate(|size| size.bytes);
    }
    times(records).fill(row);
    fill_checks(row, records);
    row.cores_share = ran.busy.map(|busy| busy.own);
    row.others_share = ran.busy.and_then(|busy| busy.others);
    fill_energy(row, &ran.energy);
    row.valid = (!ran.is_wrong() && ran.log.is_balanced()).into();
    let shortfall = shortfall(row, counts.held);
    // Timeslices that waited at an early end may be started before all is counted.
    row.kept_up = (shortfall.is_none() && !ran.was_overrun).into();
    let mut notes = notes(ran, shortfall.map(reports::stream::Shortfall::words));
    notes.extend(ran.energy.problems.iter().cloned());
    row.note = notes.join("; ");
}

fn fill_energy(row: &mut StreamRow, energy: &PeriodEnergy) {
    row.cpu_j = energy.parts.cpu;
    row.gpu_j = energy.parts.gpu;
    row.command_j = energy.parts.command;
    row.j_per_item = energy.per_item(row.items_per_s);
    row.energy_source.clone_from(&energy.point.source);
}

/// Fills in the cost of comparing results, and the share of results that was compared.
fn fill_checks(row: &mut StreamRow, records: &[Record]) {
    let done = || records.iter().filter(|record| record.state == State::Done);
    let checks = || done().filter_map(|record| record.check);
    let worked_ns: u64 = done().map(|it| it.ended_ns.saturating_sub(it.begun_ns)).sum();
    let checked_ns: u64 = checks().map(|check| check.took_ns).sum();
    row.check_share = (worked_ns > 0).then(|| checked_ns as f64 / worked_ns as f64);
    let share = |check: CheckRecord| match check.stride {
        0 => 0.0,
        stride => 1.0 / f64::from(stride),
    };
    let shares = checks().map(share);
    row.compared_share = (row.checked > 0).then(|| shares.sum::<f64>() / row.checked as f64);
}

/// Latency statistics of results and timeslices.
fn times(records: &[Record]) -> Times {
    let done = || records.iter().filter(|record| record.state == State::Done);
    let since = |from: u64, to: u64| to.saturating_sub(from) as f64 * NS;
    let on_time = records.iter().filter(|record| record.emitted_ns > 0 && !record.was_held);
    Times {
        latencies: done().map(|it| since(it.due_ns, it.ended_ns)).collect(),
        work: done().map(|it| since(it.begun_ns, it.ended_ns)).collect(),
        building: done().filter_map(|it| Some(it.stage?.took_ns as f64 * NS)).collect(),
        late: on_time.map(|it| since(it.due_ns, it.emitted_ns)).collect(),
    }
}

/// Notes for readers on a speed.
fn notes(ran: &SpeedResult, shortfall: Option<String>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(wrong) = &ran.wrong {
        let number = wrong.number;
        let worker = wrong.worker;
        notes.push(format!("{WRONG}: timeslice {number}, worker {worker}: {}", wrong.problem));
    }
    match &ran.comparison {
        Some(Comparison::Wrong(Wrong { worker, problem, .. })) => {
            notes.push(format!("{WRONG}: after the stream, worker {worker}: {problem}"));
        }
        Some(Comparison::Unknown(problem)) => {
            notes.push(format!("results were not compared as a whole: {problem}"));
        }
        Some(Comparison::Right) | None => {}
    }
    if !ran.log.is_balanced() {
        notes.push(format!("not all timeslices are accounted for: {:?}", ran.log.counts()));
    }
    notes
        .extend(ran.ends.iter().map(|(worker, end)| format!("worker {worker} was lost: it {end}")));
    if ran.log.has_no_workers() {
        notes.push("no worker was left, so nothing more was emitted".to_owned());
    }
    if shortfall.is_none() && ran.was_overrun {
        notes.push("it ended early, as the queue was full".to_owned());
    }
    notes.extend(shortfall);
    if ran.was_interrupted {
        notes.push("interrupted".to_owned());
    }
    notes
}

/// Rows of the timeslices of a speed.
pub(super) fn rows(point_id: &str, ran: &SpeedResult, content: &Content<'_>) -> Vec<TimesliceRow> {
    let records = ran.log.records();
    let step = records.len().div_ceil(MAX_WRITTEN).max(1);
    let row = |(number, record): (usize, &Record)| {
        let after = |ns: u64| (ns > 0).then_some((ns as f64 - ran.begin_ns as f64) * NS);
        let data = record.data as usize;
        let found = content.expected.get(data).copied().unwrap_or_default();
        let size = content.sizes.get(data).copied().unwrap_or_default();
        TimesliceRow {
            point_id: point_id.to_owned(),
            node: String::new(),
            timeslice: number as u64,
            data,
            due_s: (record.due_ns as f64 - ran.begin_ns as f64) * NS,
            emitted_s: after(record.emitted_ns),
            begun_s: after(record.begun_ns),
            ended_s: after(record.ended_ns),
            worker: record.worker.map(|worker| worker as usize),
            fate: fate(record.state),
            held: YesNo::from(record.was_held),
            checked: YesNo::from(record.check.is_some()),
            digis: size.items,
            clusters: found.counts[0],
            hits: found.counts[1],
            bytes: size.bytes,
            events: record.stage.map(|stage| stage.counts[0].into()),
            event_digis: record.stage.map(|stage| stage.counts[1].into()),
            building_s: record.stage.map(|stage| stage.took_ns as f64 * NS),
            check_s: record.check.map(|check| check.took_ns as f64 * NS),
        }
    };
    records.iter().enumerate().step_by(step).map(row).collect()
}

/// Final state of a timeslice. At the end none is waiting any more.
fn fate(state: State) -> TimesliceState {
    match state {
        State::Done => TimesliceState::Done,
        State::Lost => TimesliceState::Lost,
        State::Dropped => TimesliceState::Dropped,
        State::Backlog | State::Waiting | State::WithWorker => TimesliceState::Backlog,
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::{ResultDigest, StageDigest, StageResult};
    use super::super::timeslice_log::{TimesliceLog, TimesliceResult};
    use super::*;
    use crate::energy::PointEnergy;
    use crate::request::WhenFull;
    use reports::energy::EnergyParts;

    const MS: u64 = 1_000_000;

    /// Ten timeslices of 100 ms, all but the last two of which a worker processes in 80 ms each.
    fn ran() -> SpeedResult {
        let mut log = TimesliceLog::new(1, 10, 4, WhenFull::Wait);
        let begin_ns = 5 * MS;
        for number in 0..10 {
            let due_ns = begin_ns + 100 * MS * (number + 1);
            log.emit(0, due_ns, due_ns + 1000, false);
            if number < 8 {
                let order = log.hand_out().expect("idle");
                let begun_ns = due_ns + MS;
                let ended_ns = due_ns + 81 * MS;
                let check = (number == 3).then_some(CheckRecord { stride: 4, took_ns: 16 * MS });
                let stage = Some(StageResult { counts: [3, 250], took_ns: 20 * MS });
                let outcome =
                    TimesliceResult { number: order.number, begun_ns, ended_ns, check, stage };
                log.record_result(0, outcome).expect("its own");
            }
        }
        log.close(std::iter::empty());
        SpeedResult {
            log,
            begin_ns,
            end_ns: begin_ns + 1000 * MS,
            is_on_time: true,
            wrong: None,
            comparison: Some(Comparison::Right),
            busy: None,
            energy: PeriodEnergy {
                parts: EnergyParts { cpu: Some(4.0), ..EnergyParts::default() },
                seconds: 1.0,
                problems: vec!["energy is not available: no sensor".into()],
                point: PointEnergy { joules: Some(4.0), source: "cpu".into() },
            },
            ends: Vec::new(),
            was_interrupted: false,
            was_overrun: false,
        }
    }

    const SIZES: [Size; 1] = [Size { items: 1000, bytes: 8000 }];
    const EVENTS: StageDigest = StageDigest { counts: [3, 250], sum: 1 };
    const FOUND: [ResultDigest; 1] = [ResultDigest { counts: [7, 3], sum: 1, stage: Some(EVENTS) }];

    fn row(ran: &SpeedResult) -> StreamRow {
        row_of(1, ran)
    }

    fn row_of(processes: usize, ran: &SpeedResult) -> StreamRow {
        let mut row = StreamRow { processes, speed: 1.0, timeslice_s: 0.1, ..StreamRow::default() };
        fill(&mut row, ran, &Content { sizes: &SIZES, expected: &FOUND });
        row
    }

    fn close(value: Option<f64>, expected: f64) {
        let value = value.expect("known");
        assert!((value / expected - 1.0).abs() < 1e-9, "{value} {expected}");
    }

    #[test]
    fn a_speed_that_ended_early_is_not_sustained() {
        let whole = row_of(2, &ran());
        let note = "energy is not available: no sensor";
        assert_eq!((whole.kept_up, whole.note.as_str()), (YesNo::Yes, note));
        let overrun = row_of(2, &SpeedResult { was_overrun: true, ..ran() });
        assert_eq!(overrun.kept_up, YesNo::No);
        assert!(overrun.note.contains("the queue was full"), "{}", overrun.note);
    }

    #[test]
    fn figures_follow_from_the_log() {
        let row = row(&ran());
        assert_eq!((row.due, row.done, row.backlog, row.checked), (10, 8, 2, 1));
        assert!(row.lost + row.dropped == 0 && row.valid == YesNo::Yes);
        assert_eq!(row.kept_up, YesNo::No, "two are more than one worker may have left");
        assert!(row.note.contains("2 timeslices were not begun at the end"), "{}", row.note);
        close(row.items_per_s, 8000.0);
        close(row.p50_s, 0.081);
        close(row.max_s, 0.081);
        close(row.work_p50_s, 0.08);
        close(row.late_p99_s, 1e-6);
        assert_eq!((row.done_items, row.events, row.event_items), (8000, Some(24), Some(2000)));
        close(row.kept_share, 0.25);
        close(row.building_p50_s, 0.02);
        close(row.check_share, 16.0 / 640.0);
        close(row.compared_share, 0.25);
        close(row.done_per_j(), 2.0);
        close(row.j_per_item, 4.0 / 8000.0);
        assert_eq!((row.energy_source.as_str(), row.command_j), ("cpu", None));
        assert!(row.note.contains("energy is not available: no sensor"), "{}", row.note);
        close(row.speed_done(), 0.8);
    }

    #[test]
    fn without_event_building_there_are_no_event_counts() {
        let mut row = StreamRow::default();
        let found = [ResultDigest { stage: None, ..FOUND[0] }];
        fill(&mut row, &ran(), &Content { sizes: &SIZES, expected: &found });
        assert_eq!((row.events, row.event_items, row.kept_share), (None, None, None));
    }

    #[test]
    fn wrong_and_lost_timeslices_are_noted() {
        let mut ran = ran();
        ran.wrong = Some(Wrong { worker: 0, number: 3, problem: "5 clusters".into() });
        ran.ends = vec![(0, "ended with signal: 9".into())];
        let row = row(&ran);
        assert_eq!(row.valid, YesNo::No);
        for words in ["wrong output: timeslice 3", "worker 0 was lost: it ended with signal: 9"] {
            assert!(row.note.contains(words), "{words}: {}", row.note);
        }
    }

    #[test]
    fn a_comparison_after_the_stream_makes_a_row_wrong() {
        let wrong = Wrong { worker: 1, number: 2, problem: "timeslice 2: 3 hits".into() };
        let row = row(&SpeedResult { comparison: Some(Comparison::Wrong(wrong)), ..ran() });
        assert!(
            row.is_wrong() && row.note.contains("worker 1: timeslice 2: 3 hits"),
            "{}",
            row.note
        );
        let unknown = Comparison::Unknown("worker 0 ended".into());
        let row = row_of(1, &SpeedResult { comparison: Some(unknown), ..ran() });
        assert_eq!(row.valid, YesNo::Yes);
        assert!(row.note.contains("not compared as a whole: worker 0 ended"), "{}", row.note);
    }

    #[test]
    fn rows_are_in_time_of_the_stream() {
        let content = Content { sizes: &SIZES, expected: &FOUND };
        let rows = rows("id", &ran(), &content);
        assert_eq!(rows.len(), 10);
        let TimesliceRow { due_s, digis, clusters, hits, fate, .. } = rows[0].clone();
        assert_eq!((due_s, digis, clusters, hits, fate), (0.1, 1000, 7, 3, TimesliceState::Done));
        assert!((rows[0].latency_s().expect("done") - 0.081).abs() < 1e-9);
        assert_eq!((rows[9].fate, rows[9].latency_s()), (TimesliceState::Backlog, None));
        assert_eq!((rows[0].events, rows[0].event_digis), (Some(3), Some(250)));
        assert_eq!((rows[0].building_s, rows[9].events), (Some(0.02), None));
    }
}
