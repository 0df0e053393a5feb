//! Clusters and hits of simulated data, found by the references.

use algorithms::sts::reference::{clusters, hits};
use algorithms::sts::rules::{Exact, Published, Rules};
use generators::sts::SegmentedDigis;
use generators::sts::physics::{Preset, Simulation};
use generators::sts::setup::Setup;

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
