//! Clusters and hits of simulated data: their counts, and quality metrics that distinguish good
//! hits from bad ones.

use std::collections::BTreeMap;

use algorithms_sts::sts::quality::{Crossings, figures};
use algorithms_sts::sts::reference::{clusters, hits};
use algorithms_sts::sts::rules::{Exact, Published, Rules};
use algorithms_sts::sts::{Hit, Partitioned};
use generators_sts::SegmentedDigis;
use generators_sts::physics::{Preset, Simulation};
use generators_sts::setup::Setup;

/// Published numbers of digis, clusters and hits in millions.
fn published(preset: Preset) -> [f64; 3] {
    match preset {
        Preset::CbmAuAu => [17.2, 5.9, 4.8],
        Preset::Mcbm2024 => [44.5, 34.7, 1.4],
    }
}

fn found<P: Rules>(digis: &SegmentedDigis, setup: &Setup) -> [usize; 3] {
    let clusters = clusters::<P>(digis, setup);
    let hits = hits::<P>(&clusters, setup);
    [digis.digis().len(), clusters.items().len(), hits.items().len()]
}

/// Numbers of digis, clusters and hits of a part of a preset: exact, and published.
fn counts(preset: Preset, scale: f64) -> [[usize; 3]; 2] {
    let scenario = preset.scenario().scaled(scale);
    let simulation = Simulation::new(&scenario, 1).expect("sensible");
    let setup = simulation.setup();
    let mut sums = [[0; 3]; 2];
    for number in 0..scenario.timeslices {
        let digis = simulation.timeslice(number).digis;
        let counts = [found::<Exact>(&digis, setup), found::<Published>(&digis, setup)];
        for (sum, count) in sums.iter_mut().flatten().zip(counts.as_flattened()) {
            *sum += count;
        }
    }
    sums
}

/// Checks digis and clusters within 2 %, hits within 5 %, plus the statistical error of a part.
fn check(preset: Preset, scale: f64, chance: f64) {
    for found in counts(preset, scale) {
        let wanted = published(preset).map(|millions| millions * 1e6 * scale);
        for ((found, wanted), tolerance) in found.iter().zip(wanted).zip([0.02, 0.02, 0.05]) {
            let off = *found as f64 / wanted - 1.0;
            assert!(off.abs() <= tolerance + chance, "{preset}: {found} for {wanted}");
        }
    }
}

#[test]
fn parts_of_presets_have_their_part_of_the_published_counts() {
    check(Preset::CbmAuAu, 0.05, 0.01);
    check(Preset::Mcbm2024, 0.005, 0.01);
}

#[test]
#[ignore = "takes minutes: for the night"]
fn whole_presets_have_the_published_counts() {
    for preset in Preset::ALL {
        check(preset, 1.0, 0.0);
    }
}

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
        let pairs = metrics.iter().map(|figure| (figure.metric.info.name, figure.value()));
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
