//! Simulation of a planned farm, with the times of a stream that was measured on one node.

use text::Untrusted;

use super::rates::preset_of;
use super::{KeptStream, Need, Refusal};
use crate::record::YesNo;
use crate::simulation::{self, SimulationRow};
use crate::stream::StreamRow;
use crate::throughput::ThroughputRow;
use crate::units;

/// Seed of simulations of plans.
const SEED: u64 = 1;

/// Planned farm that was simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// Folder of the stream.
    pub folder: String,
    /// Latencies, and what is left, of all nodes.
    pub row: SimulationRow,
}

impl Simulated {
    /// Simulates nodes that share the load of a need.
    ///
    /// # Errors
    /// If the stream is one of another task or preset, or was not measured.
    pub(super) fn new(need: &Need, stream: &KeptStream, nodes: u64) -> Result<Self, Refusal> {
        let KeptStream { folder, run } = stream;
        let refused = |problem: String| Refusal::Stream { folder: folder.clone(), problem };
        let [task] = &need.tasks[..] else {
            return Err(refused("a need with several tasks can't be simulated".to_owned()));
        };
        let is_wanted = |row: &StreamRow| {
            let preset = preset_of(&row.params);
            row.algorithm == task.name && need.preset.as_ref().is_none_or(|own| own == preset)
        };
        if !run.rows.iter().any(is_wanted) {
            let preset = need
                .preset
                .as_ref()
                .map_or(String::new(), |preset| format!(" with the preset {}", preset.escaped()));
            return Err(refused(format!("it has no stream of {}{preset}", task.name.escaped())));
        }
        let load = simulation::Load {
            nodes: nodes as usize,
            items_per_s: need.items_per_s() / nodes.max(1) as f64,
        };
        let row = simulation::planned(run, is_wanted, &load, SEED);
        let row = row.map_err(|error| refused(error.to_string()))?;
        Ok(Simulated { folder: folder.clone(), row })
    }

    /// Warning that the stream used less of the node's CPUs than the run with the rate.
    pub(super) fn fewer_workers(&self, rate: &ThroughputRow) -> Option<String> {
        let workers = self.row.workers;
        let is_fewer = rate.device == "cpu" && workers < rate.streams;
        is_fewer.then(|| {
            format!(
                "{} has {}, but the rate is that of {}: the simulated nodes get less done than the \
                 planned ones; measure the stream with --processes {}",
                self.folder.escaped(),
                units::counted(workers, "worker"),
                units::counted(rate.streams, "stream"),
                rate.streams
            )
        })
    }

    /// Reasons to distrust the plan.
    pub(super) fn warnings(&self, need: &Need) -> Vec<String> {
        let SimulationRow { kept_up, p99_s, left, due, .. } = &self.row;
        let behind = (*kept_up == YesNo::No).then(|| {
            format!(
                "the simulated farm does not keep up, {left} of {due} timeslices are left: the rate of \
                 a closed loop is not reached by timeslices that come when they are due; plan more \
                 headroom"
            )
        });
        let bound = need.latency_p99_s.zip(*p99_s).filter(|(bound, p99)| p99 > bound);
        let late = bound.map(|(bound, p99)| {
            format!(
                "99 % of the simulated timeslices take up to {}, more than latency_p99_s of {}; plan \
                 more headroom",
                units::seconds(p99, 3),
                units::seconds(bound, 3)
            )
        });
        behind.into_iter().chain(late).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{machine, need};
    use super::super::{Farm, Machine, TaskShare};
    use super::*;
    use crate::simulation::fixture::{ITEMS, TIMESLICE_S, row, run};

    /// The planned node, whose 0.5 M items per second are 25 times the rate of the stream's detector.
    fn streamed(rows: Vec<StreamRow>) -> Machine {
        let stream = KeptStream { folder: "runs/stream".into(), run: run(rows) };
        Machine { stream: Some(stream), ..machine("node") }
    }

    #[test]
    fn farms_that_do_not_keep_up_are_marked() {
        let farm = Farm::new(&need(), streamed(vec![row(1.0)])).expect("a farm");
        let simulated = farm.simulated.as_ref().expect("simulated");
        assert!((simulated.row.speed - 0.5e6 * TIMESLICE_S / ITEMS).abs() < 1e-9);
        assert_eq!(simulated.row.nodes, 20);
        let [warning] = &farm.warnings(&need())[..] else { panic!("no warning") };
        assert!(warning.contains("does not keep up"), "{warning}");
    }

    #[test]
    fn streams_with_fewer_workers_than_the_rate_are_marked() {
        let farm = Farm::new(&need(), streamed(vec![row(1.0)])).expect("a farm");
        let simulated = farm.simulated.as_ref().expect("simulated");
        let workers = simulated.row.workers;
        let mut rate = farm.rate.tasks[0].row.clone();
        rate.device = "cpu".to_owned();
        let warning = |rate: &ThroughputRow| simulated.fewer_workers(rate);
        rate.streams = workers;
        assert_eq!(warning(&rate), None);
        rate.streams = workers + 1;
        assert!(warning(&rate).is_some_and(|words| words.contains("measure the stream with")));
        rate.device = "cuda:0".to_owned();
        assert_eq!(warning(&rate), None, "streams of a GPU share it");
    }

    #[test]
    fn latencies_are_those_of_the_stream_and_have_a_bound() {
        // Timeslices of 100 000 items: one in 0.2 s to each node, and 0.02 s of work.
        let large = StreamRow { items: 1e5, ..row(1.0) };
        let farm = Farm::new(&need(), streamed(vec![large.clone()])).expect("a farm");
        let p99_s = farm.simulated.as_ref().and_then(|simulated| simulated.row.p99_s);
        assert!(p99_s.is_some_and(|p99| (p99 - 0.02).abs() < 1e-6), "{p99_s:?}");
        assert_eq!(farm.warnings(&need()), Vec::<String>::new());
        let quick = Need { latency_p99_s: Some(0.015), ..need() };
        let farm = Farm::new(&quick, streamed(vec![large])).expect("a farm");
        let [warning] = &farm.warnings(&quick)[..] else { panic!("no warning") };
        assert!(warning.contains("20.0 ms, more than latency_p99_s of 15.0 ms"), "{warning}");
    }

    #[test]
    fn streams_of_other_data_are_refused() {
        let refused = |need: &Need| {
            let machine = streamed(vec![row(1.0)]);
            let stream = machine.stream.as_ref().expect("a stream");
            Simulated::new(need, stream, 20).expect_err("refused").to_string()
        };
        let preset = Need { preset: Some("mcbm-2024".into()), ..need() };
        let words = refused(&preset);
        assert!(words.contains("no stream of sts with the preset mcbm-2024"), "{words}");
        let share = |name: &str| TaskShare { name: name.into(), share: 0.5 };
        let several = Need { tasks: vec![share("sts"), share("velo")], ..need() };
        assert!(refused(&several).contains("several tasks"));
        let other = Need { tasks: vec![TaskShare { name: "tpc".into(), share: 1.0 }], ..need() };
        assert!(
            refused(&other)
                .contains("runs/stream: the farm can't be simulated: it has no stream of tpc")
        );
    }
}
