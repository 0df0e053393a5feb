//! Streams simulated as a farm: as they were measured, to see how well that predicts them, and with other
//! nodes, speeds and failures.
//!
//! | module | holds |
//! |---|---|
//! | `service` | times of workers, from the timeslices of a run |
//! | `table` | output for people and programs |

#[cfg(test)]
pub(crate) mod fixture;
mod service;
mod table;

use farm::{Arrivals, Farm, Outcome, Spills};
use serde::Serialize;

use crate::grouped::grouped;
use crate::record::YesNo;
use crate::row::row;
use crate::shape::Axes;
use crate::store::StreamRun;
use crate::stream::StreamRow;

pub use table::Simulated;

/// Largest deviation of a simulated median latency from the measured one.
pub const MAX_P50_DEVIATION: f64 = 0.15;
/// Largest deviation of a simulated 99th percentile from the measured one.
pub const MAX_P99_DEVIATION: f64 = 0.25;
/// Largest number of timeslices of a simulated plan.
const MAX_TIMESLICES_OF_PLAN: f64 = 1e6;
/// Simulations of a setting, by seeds that follow each other.
const REPEATS: u64 = 5;

row! {
    /// A stream that was simulated. The order of the fields is the order of the columns; times are in
    /// seconds. What was measured is empty for other nodes or speeds.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct SimulationRow {
        /// The task.
        pub algorithm: String,
        /// The variant's name.
        pub variant: String,
        /// The device.
        pub device: String,
        /// Nodes.
        pub nodes: usize,
        /// Workers of a node.
        pub workers: usize,
        /// Rate at which timeslices arrive at each node, over the detector's rate.
        pub speed: f64,
        /// Speed at which the times of the workers were measured.
        pub service_speed: f64,
        /// Mean time of a worker for a timeslice of a spill.
        pub service_s: f64,
        /// Timeslices that were due.
        pub due: u64,
        /// Timeslices without a result at the end.
        pub left: u64,
        /// Share of their time that workers were busy.
        pub utilisation: f64,
        /// `yes` if the simulated farm kept up.
        pub kept_up: YesNo,
        /// `yes` if the measured workers kept up.
        pub measured_kept_up: YesNo,
        /// The median latency.
        pub p50_s: Option<f64>,
        /// The measured one.
        pub measured_p50_s: Option<f64>,
        /// Their ratio, less 1.
        pub p50_deviation: Option<f64>,
        /// The 99th percentile of the latency.
        pub p99_s: Option<f64>,
        /// The measured one.
        pub measured_p99_s: Option<f64>,
        /// Their ratio, less 1.
        pub p99_deviation: Option<f64>,
    }
}

/// Changes of a stream that was measured, for a prediction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Nodes, each with the workers of the run, and a rate of its own.
    pub nodes: Option<usize>,
    /// Speeds; without any, the measured ones.
    pub speeds: Vec<f64>,
    /// Failures of nodes.
    pub failures: Option<farm::Failures>,
    /// Time for which timeslices come, in seconds.
    pub duration_s: Option<f64>,
}

/// Reason why a run can't be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// Nothing was measured.
    #[error("no stream of it has valid results with timeslices that are done")]
    NothingMeasured,
    /// The farm can't be simulated.
    #[error(transparent)]
    Farm(#[from] farm::Problem),
}

impl SimulationRow {
    /// True if the median and the 99th percentile are as near to the measured ones as they should be; `None` if
    /// nothing was measured, or workers did not keep up.
    pub fn is_near(&self) -> Option<bool> {
        if self.measured_kept_up == YesNo::No {
            return None;
        }
        let is_near = |deviation: f64, max: f64| deviation.abs() <= max;
        let [p50, p99] = [self.p50_deviation?, self.p99_deviation?];
        Some(is_near(p50, MAX_P50_DEVIATION) && is_near(p99, MAX_P99_DEVIATION))
    }
}

/// Simulates each stream of a run from the times that workers took at the nearest other speed, or at its
/// own if there is no other, and compares it with what was measured.
///
/// # Errors
/// If nothing was measured.
pub fn validated(run: &StreamRun, seed: u64) -> Result<Vec<SimulationRow>, SimulationError> {
    let measured = measured(run)?;
    let rows = measured.iter().map(|row| {
        let others = measured.iter().copied();
        let others =
            others.filter(|other| setting(other) == setting(row) && !std::ptr::eq(*other, *row));
        let source = nearest(others, |_| row.speed).unwrap_or(row);
        let simulated = simulated(run, row, source, &Changes::default(), row.speed, seed)?;
        Ok(compared(simulated, row))
    });
    rows.collect()
}

/// Simulates each setting of a run with some changes.
///
/// # Errors
/// If nothing was measured, or the changes make no sense.
pub fn predicted(
    run: &StreamRun,
    changes: &Changes,
    seed: u64,
) -> Result<Vec<SimulationRow>, SimulationError> {
    let measured = measured(run)?;
    let mut rows = Vec::new();
    for (_, own) in grouped(measured, |row| setting(row)) {
        let speeds = match changes.speeds.as_slice() {
            [] => own.iter().map(|row| row.speed).collect(),
            speeds => speeds.to_vec(),
        };
        for speed in speeds {
            let source = nearest(own.iter().copied(), |_| speed).unwrap_or(own[0]);
            rows.push(simulated(run, own[0], source, changes, speed, seed)?);
        }
    }
    Ok(rows)
}

/// Load of a planned farm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Nodes, each with the workers of the run.
    pub nodes: usize,
    /// Items per second that come to each node.
    pub items_per_s: f64,
}

/// Simulates a planned farm with the times of the stream, of those that are wanted, whose load is nearest.
///
/// # Errors
/// If nothing was measured, or the farm can't be simulated.
pub fn planned(
    run: &StreamRun,
    is_wanted: impl Fn(&StreamRow) -> bool,
    load: &Load,
    seed: u64,
) -> Result<SimulationRow, SimulationError> {
    let rows = measured(run)?.into_iter().filter(|row| is_wanted(row));
    // Speed at which this many items come to a node.
    let speed = |row: &StreamRow| load.items_per_s * row.timeslice_s / row.items;
    let row = nearest(rows, speed).ok_or(SimulationError::NothingMeasured)?;
    let speed = speed(row);
    let together_s = row.timeslice_s / (speed * load.nodes as f64);
    let changes = Changes {
        nodes: Some(load.nodes),
        duration_s: Some(row.duration_s.min(MAX_TIMESLICES_OF_PLAN * together_s)),
        ..Changes::default()
    };
    simulated(run, row, row, &changes, speed, seed)
}

/// Streams with results, of single nodes.
fn measured(run: &StreamRun) -> Result<Vec<&StreamRow>, SimulationError> {
    let is_usable =
        |row: &&StreamRow| row.is_measured() && row.done > 0 && row.nodes <= 1 && row.processes > 0;
    let rows: Vec<_> = run.rows.iter().filter(is_usable).collect();
    if rows.is_empty() { Err(SimulationError::NothingMeasured) } else { Ok(rows) }
}

/// All that streams of the same workers and data have in common but their speeds.
fn setting(row: &StreamRow) -> (String, String, String, Axes) {
    (row.algorithm.clone(), row.variant.clone(), row.device.clone(), row.setting())
}

/// The stream whose speed is nearest to the one that it should have, by ratio.
fn nearest<'r>(
    rows: impl Iterator<Item = &'r StreamRow>,
    speed: impl Fn(&StreamRow) -> f64,
) -> Option<&'r StreamRow> {
    let distance = |row: &StreamRow| (row.speed / speed(row)).ln().abs();
    rows.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn simulated(
    run: &StreamRun,
    row: &StreamRow,
    source: &StreamRow,
    changes: &Changes,
    speed: f64,
    seed: u64,
) -> Result<SimulationRow, SimulationError> {
    let service = service::service_of(source, &run.timeslices);
    let nodes = changes.nodes.unwrap_or(1);
    let farm = Farm {
        nodes,
        workers: row.processes,
        queue: row.queue,
        when_full: match row.when_full.as_str() {
            "drop" => farm::WhenFull::Drop,
            _ => farm::WhenFull::Wait,
        },
        failures: changes.failures,
    };
    let arrivals = Arrivals {
        period_s: row.timeslice_s / (speed * nodes as f64),
        spills: service::spills(row)
            .map(|Spills { on_s, off_s }| Spills { on_s: on_s / speed, off_s: off_s / speed }),
        // The run's own jitter is in the times of its timeslices.
        jitter: 0.0,
        duration_s: changes.duration_s.unwrap_or(row.duration_s),
    };
    let outcomes: Vec<Outcome> = (0..REPEATS)
        .map(|repeat| farm::simulate(&farm, &arrivals, &service, seed.wrapping_add(repeat)))
        .collect::<Result<_, _>>()?;
    let latencies: Vec<f64> =
        outcomes.iter().flat_map(|outcome| &outcome.latencies_s).copied().collect();
    let quantile =
        |probability| Some(statistics::quantile_with_interval(&latencies, probability)?.value);
    let mean = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).sum::<f64>() / REPEATS as f64;
    let kept_up = outcomes.iter().filter(|outcome| outcome.kept_up()).count() as u64;
    Ok(SimulationRow {
        algorithm: row.algorithm.clone(),
        variant: row.variant.clone(),
        device: row.device.clone(),
        nodes,
        workers: row.processes,
        speed,
        service_speed: source.speed,
        service_s: service.mean_busy_s(),
        due: outcomes[0].due,
        left: mean(|outcome| (outcome.due - outcome.done) as f64).round() as u64,
        utilisation: mean(|outcome| outcome.utilisation),
        kept_up: if 2 * kept_up > REPEATS { YesNo::Yes } else { YesNo::No },
        p50_s: quantile(0.5),
        p99_s: quantile(0.99),
        ..SimulationRow::default()
    })
}

fn compared(simulated: SimulationRow, measured: &StreamRow) -> SimulationRow {
    let deviation =
        |simulated: Option<f64>, measured: Option<f64>| Some(simulated? / measured? - 1.0);
    SimulationRow {
        measured_kept_up: measured.kept_up,
        measured_p50_s: measured.p50_s,
        measured_p99_s: measured.p99_s,
        p50_deviation: deviation(simulated.p50_s, measured.p50_s),
        p99_deviation: deviation(simulated.p99_s, measured.p99_s),
        ..simulated
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::{WORK_S, row, run};
    use super::*;

    fn close(value: Option<f64>, expected: f64) {
        assert!(value.is_some_and(|value| (value - expected).abs() < 1e-6), "{value:?}");
    }

    #[test]
    fn a_stream_is_predicted_from_its_other_speed() {
        let rows = validated(&run(vec![row(1.0), row(2.0)]), 1).expect("simulated");
        let speeds: Vec<_> = rows.iter().map(|row| (row.speed, row.service_speed)).collect();
        assert_eq!(speeds, [(1.0, 2.0), (2.0, 1.0)]);
        for (row, busy) in rows.iter().zip([0.4, 0.8]) {
            close(row.p50_s, WORK_S);
            close(row.p99_deviation, 0.0);
            close(Some(row.utilisation), busy);
            assert_eq!((row.is_near(), row.kept_up, row.left), (Some(true), YesNo::Yes, 0));
        }
    }

    #[test]
    fn a_prediction_that_is_far_off_is_not_near() {
        let late = StreamRow { p99_s: Some(2.0 * WORK_S), ..row(2.0) };
        let rows = validated(&run(vec![row(1.0), late]), 1).expect("simulated");
        close(rows[1].p99_deviation, -0.5);
        assert_eq!([rows[0].is_near(), rows[1].is_near()], [Some(true), Some(false)]);
        let behind = StreamRow { kept_up: YesNo::No, ..row(2.0) };
        let rows = validated(&run(vec![row(1.0), behind]), 1).expect("simulated");
        assert_eq!(rows[1].is_near(), None);
    }

    #[test]
    fn other_speeds_and_nodes_are_predicted() {
        let changes = Changes { nodes: Some(4), speeds: vec![5.0], ..Changes::default() };
        let rows = predicted(&run(vec![row(1.0), row(2.0)]), &changes, 1).expect("simulated");
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.nodes, row.service_speed, row.measured_p50_s), (4, 2.0, None));
        // One is due every 10 ms on each node and takes 20 ms.
        assert_eq!(row.kept_up, YesNo::No);
        assert!(row.left * 2 >= row.due - 8, "{} of {}", row.left, row.due);
    }

    #[test]
    fn a_planned_farm_has_the_load_of_its_items() {
        let run = run(vec![row(1.0), row(3.0)]);
        // 1000 items per 25 ms are twice the detector's rate.
        let load = Load { nodes: 10, items_per_s: 40_000.0 };
        let row = planned(&run, |_| true, &load, 1).expect("simulated");
        close(Some(row.speed), 2.0);
        assert!((row.utilisation - 0.8).abs() < 1e-3, "{}", row.utilisation);
        assert_eq!((row.nodes, row.service_speed, row.kept_up), (10, 3.0, YesNo::Yes));
        let none = planned(&run, |row| row.algorithm == "tpc", &load, 1).expect_err("nothing");
        assert!(matches!(none, SimulationError::NothingMeasured));
    }

    #[test]
    fn nothing_measured_is_refused() {
        let wrong = StreamRow { valid: YesNo::No, ..row(1.0) };
        let error = validated(&run(vec![wrong]), 1).expect_err("nothing");
        assert!(error.to_string().contains("no stream of it"), "{error}");
    }
}
