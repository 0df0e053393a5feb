//! Truth of the digits of a sector.

use std::collections::BTreeSet;

use generators_tpc::simulate::{
    Load, Marks, Preset, SectorTruth, TimeFrameGenerator, TimeFrameShape, TrueCluster,
};
use generators_tpc::time::time_bins_of;
use generators_tpc::{Digit, PadId, PadMapping, ZsFormat};

/// Pads and time bins that a crossing can reach.
const REACH: f64 = 5.0;
const CELLS: f64 = 64.0;
/// In ADC units: the zero suppression cuts lower values off.
const THRESHOLD: f64 = 3.0;
const SATURATED: f32 = 1023.0;

/// A sector in which charges hardly ever overlap, and all come from particles.
fn quiet() -> TimeFrameGenerator {
    generator(&TimeFrameShape {
        noise: 0.0,
        load: Load::Occupancy(0.003),
        ..TimeFrameShape::for_preset(Preset::Pp, ZsFormat::DenseLink)
    })
}

fn generator(shape: &TimeFrameShape) -> TimeFrameGenerator {
    TimeFrameGenerator::new(shape, &PadMapping::regular(), 5).expect("a sensible shape")
}

fn is_around(cluster: &TrueCluster, digit: &Digit) -> bool {
    let time = f64::from(digit.time_bin()) - cluster.time;
    let pad = f64::from(digit.pad()) - f64::from(cluster.pad);
    digit.row() == cluster.row && time.abs() <= REACH && pad.abs() <= REACH
}

fn is_alone(cluster: &TrueCluster, others: &[TrueCluster]) -> bool {
    let is_near = |other: &&TrueCluster| {
        let pads = (other.pad - cluster.pad).abs();
        let times = (other.time - cluster.time).abs();
        other.row == cluster.row && f64::from(pads) <= 2.0 * REACH && times <= 2.0 * REACH
    };
    others.iter().filter(is_near).count() == 1
}

/// Charge in ADC units.
fn charge(digit: &Digit) -> f64 {
    f64::from(digit.adc()) / 4.0
}

#[test]
fn digits_are_the_same_with_truth_and_for_any_number_of_threads() {
    let shape =
        TimeFrameShape { orbits: 4, ..TimeFrameShape::for_preset(Preset::Pp, ZsFormat::DenseLink) };
    let generator = generator(&shape);
    let truth = generator.digits_with_truth(1, |_| 1.0, Marks::Wanted);
    assert!(truth.digits == generator.digits(1));
    assert!(truth.clusters.is_sorted_by_key(|cluster| (cluster.row, cluster.time as u32)));
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let again = pool
            .expect("threads")
            .install(|| generator.digits_with_truth(1, |_| 1.0, Marks::Wanted));
        assert!(again == truth, "{threads} threads");
    }
    let without = generator.digits_with_truth(1, |_| 1.0, Marks::Unused);
    assert!(without == SectorTruth { marks: Vec::new(), ..truth });
}

#[test]
fn pages_are_the_same_with_their_digits_and_marks() {
    let shape =
        TimeFrameShape { orbits: 3, ..TimeFrameShape::for_preset(Preset::Pp, ZsFormat::Row12) };
    let generator = generator(&shape);
    let (pages, digits, marks) = generator.sector_with_digits(1, Marks::Wanted);
    let truth = generator.digits_with_truth(1, |_| 1.0, Marks::Wanted);
    assert!(pages.pages() == generator.sector(1).pages());
    assert!(digits == truth.digits && marks == truth.marks && !marks.is_empty());
    assert!(generator.sector_with_digits(1, Marks::Unused).2.is_empty());
}

#[test]
fn digits_have_the_charge_of_true_clusters_except_for_cuts() {
    let SectorTruth { digits, clusters, .. } = quiet().digits_with_truth(0, |_| 1.0, Marks::Unused);
    let alone = clusters.iter().filter(|cluster| is_alone(cluster, &clusters));
    let measured = alone.filter(|cluster| cluster.peak < SATURATED);
    let mut count = 0;
    for cluster in measured {
        let around: Vec<_> = digits.iter().filter(|digit| is_around(cluster, digit)).collect();
        let seen: f64 = around.iter().copied().map(charge).sum();
        let missing = f64::from(cluster.charge) - seen;
        let max = THRESHOLD * (CELLS - around.len() as f64);
        assert!(!around.is_empty() && (-0.01..max).contains(&missing), "{cluster:?}: {seen}");
        let largest = around.iter().copied().map(charge).fold(0.0, f64::max);
        assert!((largest - f64::from(cluster.peak)).abs() < 0.01, "{cluster:?}: {largest}");
        count += 1;
    }
    assert!(count > 200, "{count} of {}", clusters.len());
}

#[test]
fn all_charge_is_of_true_clusters() {
    let SectorTruth { digits, clusters, .. } = quiet().digits_with_truth(0, |_| 1.0, Marks::Unused);
    let seen: f64 = digits.iter().map(charge).sum();
    let left: f64 = clusters.iter().map(|cluster| f64::from(cluster.charge)).sum();
    assert!((0.7..1.0).contains(&(seen / left)), "{seen} of {left}");
}

#[test]
fn means_lie_in_the_row_and_in_the_time_frame() {
    let generator = quiet();
    let clusters = generator.digits_with_truth(0, |_| 1.0, Marks::Unused).clusters;
    let last = time_bins_of(generator.shape().orbits - 1).end - 1;
    for cluster in &clusters {
        let pads = generators_tpc::geometry::pads_in_row(cluster.row.into());
        assert!((0.0..=(pads - 1) as f32).contains(&cluster.pad), "{cluster:?}");
        assert!((0.0..=f64::from(last)).contains(&cluster.time), "{cluster:?}");
    }
    let particles: BTreeSet<_> = clusters.iter().map(|cluster| cluster.particle).collect();
    assert!(particles.len() * 5 < clusters.len(), "particles cross many rows");
}

#[test]
fn true_clusters_are_of_corrected_charges() {
    let generator = quiet();
    let SectorTruth { digits, clusters, .. } =
        generator.digits_with_truth(0, |_| 1.0, Marks::Unused);
    let gain = |pad: PadId| if pad.pad().is_multiple_of(2) { 2.0 } else { 1.0 };
    let SectorTruth { digits: same_digits, clusters: corrected, .. } =
        generator.digits_with_truth(0, gain, Marks::Unused);
    assert!(same_digits == digits);
    assert_eq!(corrected.len(), clusters.len());
    let charge = |clusters: &[TrueCluster]| -> f32 { clusters.iter().map(|c| c.charge).sum() };
    let ratio = charge(&corrected) / charge(&clusters);
    assert!((1.4..1.6).contains(&ratio), "half of the pads: {ratio}");
}
