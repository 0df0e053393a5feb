//! Tests that quality metrics distinguish good hits from bad ones.

use std::collections::BTreeMap;

use algorithms::sts::quality::{Crossings, figures};
use algorithms::sts::reference::{clusters, hits};
use algorithms::sts::rules::Exact;
use algorithms::sts::{Hit, Partitioned};
use generators::sts::physics::{Preset, Simulation};
use generators::sts::setup::Setup;

/// A part of a preset with about ten thousand hits.
const SCALE: f64 = 0.003;

struct Data {
    setup: Setup,
    crossings: Crossings,
    hits: Partitioned<Hit>,
}

fn data() -> Data {
    let scenario = Preset::CbmAuAu.scenario().scaled(SCALE);
    let simulation = Simulation::new(&scenario, 1).expect("sensible");
    let simulated = simulation.timeslice(0);
    let setup = simulation.setup().clone();
    let found = clusters::<Exact>(&simulated.digis, &setup);
    Data {
        crossings: Crossings::new(&simulated.truth, simulated.digis.partition()),
        hits: hits::<Exact>(&found, &setup),
        setup,
    }
}

impl Data {
    /// Metrics after a change of the hits; hits changed to `None` are removed.
    fn figures(&self, change: impl Fn(usize, Hit) -> Option<Hit>) -> BTreeMap<&'static str, f64> {
        let module = |module: usize| {
            let hits = self.hits.segment(module).iter().enumerate();
            hits.filter_map(|(number, &hit)| change(number, hit)).collect()
        };
        let hits: Vec<Vec<Hit>> = (0..self.hits.segments()).map(module).collect();
        let hits = Partitioned::of_modules(&hits);
        let metrics = figures([(&self.setup, &self.crossings, &hits)]);
        let pairs = metrics.iter().map(|metric| (metric.info.name, metric.value(1.0)));
        pairs.collect()
    }
}

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} for {expected}");
}

#[test]
fn good_hits_have_good_figures() {
    let good = data().figures(|_, hit| Some(hit));
    assert!(good["efficiency"] > 0.9, "{good:?}");
    assert!(good["ghosts"] < 0.6, "{good:?}");
    assert!(good["x_residual_um"] < 30.0, "{good:?}");
    assert!(good["y_residual_um"] < 300.0, "{good:?}");
    assert!(good["time_residual_ns"] < 5.0, "{good:?}");
    // Errors do not include knock-on electrons and particles that share a cluster.
    for pull in ["x_pull", "y_pull"] {
        assert!((0.7..2.0).contains(&good[pull]), "{good:?}");
    }
}

#[test]
fn missing_wrong_and_displaced_hits_change_the_metrics() {
    let data = data();
    let good = data.figures(|_, hit| Some(hit));
    let half = data.figures(|number, hit| (number % 2 == 0).then_some(hit));
    near(half["efficiency"], good["efficiency"] / 2.0, 0.05);
    near(half["ghosts"], good["ghosts"], 0.05);
    let elsewhere = data.figures(|_, hit| Some(Hit { x: hit.x + 0.5, ..hit }));
    assert!(elsewhere["ghosts"] > 0.9, "{elsewhere:?}");
    assert!(elsewhere["efficiency"] < 0.2, "{elsewhere:?}");
    let too_late = data.figures(|_, hit| {
        let time = hit.time + 10;
        Some(Hit { time, ..hit })
    });
    assert!(too_late["time_residual_ns"] > 9.0, "{too_late:?}");
    let modest = data.figures(|_, hit| {
        let dx = 2.0 * hit.dx;
        Some(Hit { dx, ..hit })
    });
    near(modest["x_pull"], good["x_pull"] / 2.0, 1e-3);
    assert_eq!(modest["y_pull"], good["y_pull"]);
}

#[test]
fn without_hits_there_is_only_an_efficiency() {
    let none = data().figures(|_, _| None);
    assert_eq!(none["efficiency"], 0.0);
    assert!(none["ghosts"].is_nan() && none["x_pull"].is_nan());
}
