//! Open-loop runs: timeslices arrive at the detector's rate, and the latency of their results is
//! measured.
//!
//! | module | holds |
//! |---|---|
//! | `row` | the results of a speed and of its timeslices |
//! | `nodes` | combined results of several nodes |
//! | `rates` | latencies, rates over time, verdict on whether workers keep up |
//! | `table` | output for people and programs |

mod nodes;
mod rates;
mod row;
mod table;

pub use nodes::{NodePart, together};
pub use rates::{Rates, Shortfall, Times, highest_kept_up, shortfall};
pub use row::{StreamRow, TimesliceRow, TimesliceState, WRONG};
pub(crate) use table::limits;
pub use table::short;

/// Rows for tests.
#[cfg(test)]
pub(crate) mod fixture {
    use super::{StreamRow, TimesliceRow, TimesliceState};
    use crate::record::{Point, YesNo};

    /// A row of two workers that keep up with a speed for 20 s.
    pub fn row(speed: f64) -> StreamRow {
        let point = Point {
            algorithm: "sts".into(),
            variant: "time-sweep".into(),
            device: "cpu".into(),
            threads: 1,
            cpu_sets: "none".into(),
            bind: "false".into(),
            cache: "hot".into(),
            params: "preset=mcbm-2024;scale=0.02".parse().expect("well formed"),
        };
        let due = (400.0 * speed) as u64;
        let rate = due as f64 / 20.0;
        StreamRow {
            backend: "cpu".into(),
            timeslice_s: 0.05,
            queue: 64,
            when_full: "wait".into(),
            begin: "2026-01-31T12:00:00Z".into(),
            duration_s: 20.0,
            due,
            emitted: due,
            done: due,
            checked: due / 20,
            items: 9e5,
            item_unit: "digi".into(),
            bytes: 7.2e6,
            done_items: 900_000 * due,
            due_per_s: Some(rate),
            done_per_s: Some(rate),
            items_per_s: Some(9e5 * rate),
            bytes_per_s: Some(7.2e6 * rate),
            p50_s: Some(0.03 * speed),
            p99_s: Some(0.05 * speed),
            p999_s: Some(0.06 * speed),
            max_s: Some(0.07 * speed),
            work_p50_s: Some(0.03),
            late_p50_s: Some(2e-6),
            late_p99_s: Some(2e-5),
            late_max_s: Some(1e-4),
            kept_up: YesNo::Yes,
            valid: YesNo::Yes,
            ..StreamRow::new(&point, 2, speed)
        }
    }

    /// A timeslice of 50 ms with this latency.
    pub fn timeslice(index: u64, latency_s: f64) -> TimesliceRow {
        let due_s = 0.05 * index as f64;
        TimesliceRow {
            point_id: row(1.0).point_id,
            node: String::new(),
            timeslice: index,
            data: (index % 8) as usize,
            due_s,
            emitted_s: Some(due_s),
            begun_s: Some(due_s),
            ended_s: Some(due_s + latency_s),
            worker: Some((index % 2) as usize),
            fate: TimesliceState::Done,
            held: YesNo::No,
            checked: YesNo::No,
            digis: 900_000,
            clusters: 700_000,
            hits: 28_000,
            bytes: 7_200_000,
            ..TimesliceRow::default()
        }
    }
}
