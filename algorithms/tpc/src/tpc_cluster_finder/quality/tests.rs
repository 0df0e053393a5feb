//! Figures of hand-made examples, and of generated sectors.

use generators_tpc::charges::ChargeCase;
use generators_tpc::simulate::TrueCluster;

use super::super::cluster::{Cluster, RowCluster};
use super::super::input::Charges;
use super::super::{Settings, TpcClusterFinder, axes};
use super::{Truth, figures};
use tasks::algorithm::{Algorithm, Semantics};
use tasks::axis::Params;

/// A found cluster at a pad and time bin with a charge in ADC units.
fn found(row: u8, pad: f32, time: f32, qtot: u16) -> RowCluster {
    let cluster = Cluster {
        time_and_flags: Cluster::with_flags((time * 64.0) as u32, 0),
        pad: (pad * 64.0) as u16,
        qtot,
        ..Cluster::default()
    };
    RowCluster { case: 0, row, cluster }
}

/// A true cluster whose peak is a quarter of its charge.
fn left(row: u8, pad: f32, time: f64, charge: f32) -> TrueCluster {
    TrueCluster { particle: 0, time, pad, charge, peak: charge / 4.0, row }
}

/// The figures of a sector by their names.
fn figures_of(
    clusters: &[RowCluster],
    truth: &[TrueCluster],
    settings: Settings,
) -> impl Fn(&str) -> f64 + use<> {
    let case = ChargeCase { settings, ..ChargeCase::default() };
    let truth = Truth::new(truth.to_vec());
    let metrics = figures(&[(&truth, &case.settings)], clusters);
    move |name| {
        let figure = metrics.iter().find(|figure| figure.metric.info.name == name);
        figure.expect("a figure of that name").value()
    }
}

#[test]
fn exact_clusters_have_no_residuals() {
    let clusters = [found(3, 10.0, 50.0, 100), found(3, 20.0, 50.0, 100)];
    let truth = [left(3, 10.0, 50.0, 100.0), left(3, 20.0, 50.0, 100.0)];
    let figure = figures_of(&clusters, &truth, Settings::default());
    assert_eq!(["efficiency", "ghosts", "split", "merged"].map(&figure), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(["pad_residual", "time_residual", "charge_residual"].map(&figure), [0.0; 3]);
}

#[test]
fn rows_are_matched_independently() {
    let figure = figures_of(
        &[found(4, 10.0, 50.0, 100)],
        &[left(3, 10.0, 50.0, 100.0)],
        Settings::default(),
    );
    assert_eq!(["efficiency", "ghosts"].map(figure), [0.0, 1.0]);
}

#[test]
fn missed_split_and_merged_clusters_are_counted() {
    let clusters = [
        found(0, 10.0, 50.0, 100),
        // Two pieces of one particle.
        found(1, 10.0, 49.0, 60),
        found(1, 10.0, 50.5, 40),
        // Two particles in one.
        found(2, 10.0, 50.0, 200),
        // Noise.
        found(2, 60.0, 50.0, 10),
    ];
    let truth = [
        left(0, 10.0, 50.0, 100.0),
        left(0, 40.0, 50.0, 100.0),
        left(1, 10.0, 50.0, 100.0),
        left(2, 10.0, 49.0, 100.0),
        left(2, 10.5, 50.0, 100.0),
    ];
    let figure = figures_of(&clusters, &truth, Settings::default());
    let third = 1.0 / 3.0;
    assert_eq!(["efficiency", "ghosts", "split", "merged"].map(figure), [0.6, 0.2, third, third]);
}

#[test]
fn clusters_below_the_cutoff_are_optional() {
    let settings = Settings { qmax_cutoff: 10, ..Settings::default() };
    let small = left(0, 10.0, 50.0, 40.0);
    let unseen = figures_of(&[], &[small, left(0, 30.0, 50.0, 41.0)], settings);
    assert_eq!(unseen("efficiency"), 0.0, "of the larger one");
    let seen = figures_of(&[found(0, 10.0, 50.0, 40)], &[small], settings);
    assert!(seen("efficiency").is_nan(), "no true cluster counts");
    assert_eq!(seen("ghosts"), 0.0);
    // A small cluster that is hidden by a large one is not counted as missed.
    let adjacent = [left(0, 10.0, 50.0, 100.0), left(0, 11.0, 50.0, 40.0)];
    let hidden = figures_of(&[found(0, 10.0, 50.0, 140)], &adjacent, settings);
    assert_eq!(["efficiency", "merged"].map(hidden), [1.0, 0.0]);
}

#[test]
fn time_shift_is_not_a_residual() {
    let settings = Settings { time_shift: 2.0, ..Settings::default() };
    let times = [10.0, 30.0, 50.0];
    let clusters = times.map(|time| found(0, 10.0, time - 2.0, 100));
    let figure =
        figures_of(&clusters, &times.map(|time| left(0, 10.0, time.into(), 100.0)), settings);
    assert_eq!(["efficiency", "time_residual"].map(figure), [1.0, 0.0]);
}

#[test]
fn residuals_are_half_of_the_middle_two_thirds() {
    let times = (0..100).map(|n| 20.0 * f64::from(n) + 10.0);
    let truth: Vec<_> = times.clone().map(|time| left(0, 10.0, time, 100.0)).collect();
    // Evenly from 0 to 0.99 pads, from 0 to -0.495 time bins, from 100 to 298 ADC units.
    let clusters: Vec<_> = times
        .zip(0..100_u16)
        .map(|(time, n)| {
            let off = f32::from(n) / 100.0;
            found(0, 10.0 + off, time as f32 - off / 2.0, 100 + 2 * n)
        })
        .collect();
    let figure = figures_of(&clusters, &truth, Settings::default());
    for (name, expected) in
        [("pad_residual", 0.345), ("time_residual", 0.17), ("charge_residual", 0.69)]
    {
        let value = figure(name);
        assert!((value - expected).abs() < 0.02, "{name}: {value}");
    }
}

/// Generated charges of a sector with this occupancy.
fn sector(occupancy: &str, gain: &str) -> Charges {
    let given = [("sectors", "1"), ("orbits", "1"), ("occupancy", occupancy), ("gain", gain)];
    let params: Params = given.into_iter().collect();
    let plan = axes::plan(params).expect("sensible");
    axes::generate(&plan.params, 3).expect("sensible")
}

fn of_sector(occupancy: &str, gain: &str) -> impl Fn(&str) -> f64 + use<> {
    let charges = sector(occupancy, gain);
    let output = TpcClusterFinder.reference(&charges, Semantics::Exact).expect("a reference");
    let metrics = TpcClusterFinder.quality(&charges, &output);
    move |name| {
        let figure = metrics.iter().find(|figure| figure.metric.info.name == name);
        figure.expect("a figure of that name").value()
    }
}

#[test]
fn efficiency_decreases_with_occupancy() {
    let [few, many] = ["0.01", "0.07"].map(|occupancy| of_sector(occupancy, "unit"));
    assert!(few("efficiency") > 0.96 && few("ghosts") < 0.03, "{}", few("efficiency"));
    assert!(few("split") < 0.01 && few("merged") < 0.03);
    assert!(few("pad_residual") < 0.05 && few("time_residual") < 0.04);
    assert!(few("charge_residual") < 0.05);
    assert!(many("efficiency") > 0.85 && many("ghosts") < 0.01, "{}", many("efficiency"));
    assert!(many("efficiency") < few("efficiency") && many("merged") > few("merged"));
    for residual in ["pad_residual", "time_residual", "charge_residual"] {
        assert!(many(residual) > few(residual), "{residual}");
    }
}

#[test]
fn gains_cause_no_residuals() {
    let [unit, spread] = ["unit", "spread"].map(|gain| of_sector("0.01", gain));
    for name in ["efficiency", "pad_residual", "charge_residual"] {
        let off = unit(name) - spread(name);
        assert!(off.abs() < 0.01, "{name}: {off}");
    }
}

#[test]
fn charges_without_truth_have_no_figures() {
    let known = sector("0.01", "unit");
    let unknown = Charges::new(known.cases().to_vec());
    let output = unknown.right_clusters().clone();
    assert!(TpcClusterFinder.quality(&unknown, &output).is_empty());
}
