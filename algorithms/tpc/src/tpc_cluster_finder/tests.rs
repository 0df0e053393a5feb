//! Clusters that can be calculated by hand.

use generators_tpc::PadId;
use generators_tpc::charges::Charge;

use super::*;

/// The pads of the row of all tests: those of the first row.
const PADS: u8 = 66;
const TIMES: usize = 120;

/// The clusters of samples `(pad, time, charge)`.
fn found(samples: &[(u8, u32, u16)]) -> RowClusters {
    found_with(samples, &[], &Settings::default())
}

fn found_with(samples: &[(u8, u32, u16)], noisy: &[u8], settings: &Settings) -> RowClusters {
    let sample = |&(pad, time, charge): &(u8, u32, u16)| {
        let pad = PadId::new(0, pad);
        Charge { time, pad, charge }
    };
    let samples: Vec<_> = samples.iter().map(sample).collect();
    let is_noisy: Vec<_> = (0..PADS).map(|pad| noisy.contains(&pad)).collect();
    clusters(&samples, &is_noisy, TIMES, settings)
}

/// The peaks that survive noise suppression.
fn peaks(found: &RowClusters) -> Vec<Cell> {
    found.peaks.iter().filter(|(_, is_kept)| *is_kept).map(|(cell, _)| *cell).collect()
}

#[test]
fn a_single_charge_is_a_cluster_once_it_is_rounded_above_the_cutoff() {
    assert!(found(&[]).clusters.is_empty());
    assert!(found(&[(30, 100, 87)]).clusters.is_empty());
    let time = 64 * 100;
    let pad = 64 * 30;
    let sigma_time = 0;
    let sigma_pad = 0;
    let expected = Cluster {
        time_and_flags: Cluster::with_flags(time, flags::SINGLE),
        pad,
        sigma_time,
        sigma_pad,
        qmax: 5,
        qtot: 6,
    };
    assert_eq!(found(&[(30, 100, 88)]).clusters, [expected]);
    // A peak needs at least 49 sixteenths.
    assert_eq!(peaks(&found(&[(30, 100, 48)])), []);
    assert_eq!(peaks(&found(&[(30, 100, 49)])), [(30, 100)]);
}

#[test]
fn of_equal_neighbours_the_last_is_the_peak() {
    assert_eq!(peaks(&found(&[(10, 5, 160), (10, 6, 160)])), [(10, 6)]);
    assert_eq!(peaks(&found(&[(10, 5, 160), (11, 5, 160)])), [(11, 5)]);
    assert_eq!(peaks(&found(&[(10, 6, 160), (11, 5, 160)])), [(11, 5)]);
}

#[test]
fn bump_without_a_valley_is_not_a_peak() {
    let with_middle = |middle| found(&[(10, 50, 400), (10, 51, middle), (10, 52, 300)]);
    let bump = with_middle(290);
    assert_eq!(bump.peaks, [((10, 50), true), ((10, 52), false)]);
    assert_eq!(peaks(&with_middle(0)), [(10, 50), (10, 52)]);
    // A valley of sufficient depth, and one unit less: 300 - 140 is 160.
    assert_eq!(peaks(&with_middle(140)), [(10, 50)]);
    assert_eq!(peaks(&with_middle(139)), [(10, 50), (10, 52)]);
}

#[test]
fn charges_are_divided_among_adjacent_peaks() {
    let found = found(&[(10, 50, 800), (10, 51, 101), (10, 52, 800)]);
    let half = Share { charge: 50, is_at_peak: true, is_divided: true };
    assert_eq!(found.shares[1], ((10, 51), half));
    // 50 of 850 are one time bin away: a mean of 0.0588 and a width of 0.2353.
    let cluster = |time| Cluster {
        time_and_flags: Cluster::with_flags(time, flags::SPLIT_TIME + flags::SINGLE),
        pad: 640,
        sigma_time: 8,
        sigma_pad: 0,
        qmax: 50,
        qtot: 53,
    };
    assert_eq!(found.clusters, [cluster(64 * 50 + 4), cluster(64 * 52 - 4)]);
}

#[test]
fn outer_cells_count_if_the_inner_cell_has_charge() {
    let charge = |samples: &[_]| found(samples).clusters[0].qtot;
    assert_eq!(charge(&[(10, 50, 320), (10, 51, 160), (10, 52, 80)]), 35);
    assert_eq!(charge(&[(10, 50, 320), (10, 52, 40)]), 20);
    let settings = Settings { inner_threshold: 10, ..Settings::default() };
    let samples = [(10, 50, 320), (10, 51, 160), (10, 52, 80)];
    let cut = found_with(&samples, &[], &settings);
    assert_eq!(cut.clusters[0].qtot, 30, "the neighbour is not above the threshold");
}

#[test]
fn means_at_the_edge_of_a_row_are_not_on_the_inner_side_of_the_peak() {
    let inner = found(&[(0, 50, 160), (1, 50, 80)]).clusters[0];
    assert_eq!((inner.pad, inner.sigma_pad), (0, 15));
    assert_eq!(inner.flags(), flags::EDGE + flags::SINGLE);
    let outer = found(&[(0, 50, 80), (1, 50, 160)]).clusters[0];
    assert_eq!(outer.pad, 43, "two thirds of a pad");
    let last = PADS - 1;
    let inner = found(&[(last, 50, 160), (last - 1, 50, 80)]).clusters[0];
    assert_eq!(inner.pad, 64 * u16::from(last));
    assert_eq!(found(&[(2, 50, 160)]).clusters[0].flags(), flags::SINGLE, "no edge");
}

#[test]
fn noisy_pads_have_no_peaks_but_their_charges_count() {
    let settings = Settings::default();
    let blocked = found_with(&[(10, 50, 800), (11, 50, 400)], &[10], &settings);
    assert!(blocked.peaks.is_empty());
    let added = found_with(&[(10, 50, 100), (11, 50, 400)], &[10], &settings);
    assert_eq!(added.clusters[0].qtot, 31);
}
