//! A stream whose simulation is known by hand.

use crate::record::{Params, RunRecord, YesNo};
use crate::store::StreamRun;
use crate::stream::{StreamRow, TimesliceRow, TimesliceState};

/// Length of a timeslice in the detector's time.
pub const TIMESLICE_S: f64 = 0.05;
/// Items of a timeslice.
pub const ITEMS: f64 = 1000.0;
/// Time of a worker for a timeslice.
pub const WORK_S: f64 = 0.02;
const TIMESLICES: u64 = 200;

/// One worker at one speed, that takes the same time for each timeslice.
pub fn row(speed: f64) -> StreamRow {
    let work = Some(WORK_S);
    StreamRow {
        point_id: format!("at {speed}"),
        algorithm: "sts".into(),
        variant: "time-sweep".into(),
        device: "cpu".into(),
        params: "preset=cbm-auau".parse::<Params>().expect("well formed"),
        nodes: 1,
        processes: 1,
        queue: 64,
        when_full: "wait".into(),
        speed,
        timeslice_s: TIMESLICE_S,
        duration_s: TIMESLICES as f64 * TIMESLICE_S / speed,
        items: ITEMS,
        due: TIMESLICES,
        done: TIMESLICES,
        p50_s: work,
        p99_s: work,
        kept_up: YesNo::Yes,
        valid: YesNo::Yes,
        ..StreamRow::default()
    }
}

/// Timeslices of a row, begun and emitted when they were due.
pub fn timeslices(row: &StreamRow) -> Vec<TimesliceRow> {
    let timeslice = |number: u64| {
        let due_s = (number + 1) as f64 * TIMESLICE_S / row.speed;
        TimesliceRow {
            point_id: row.point_id.clone(),
            timeslice: number,
            due_s,
            emitted_s: Some(due_s),
            begun_s: Some(due_s),
            ended_s: Some(due_s + WORK_S),
            fate: TimesliceState::Done,
            ..TimesliceRow::default()
        }
    };
    (0..TIMESLICES).map(timeslice).collect()
}

/// A run of these rows.
pub fn run(rows: Vec<StreamRow>) -> StreamRun {
    StreamRun {
        folder: "runs/stream".into(),
        record: RunRecord::default(),
        timeslices: rows.iter().flat_map(timeslices).collect(),
        rows,
    }
}
