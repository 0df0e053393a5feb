use std::collections::BTreeMap;

use statistics::Part;
use statistics::synthetic::Noise;

use super::*;
use crate::charts::fixture::{row, run};
use crate::rank::TOTAL;
use crate::record::{About, FigureKind, Params, Parts, RunRecord};

fn metric(better: Better, unit: &str, ideal: Option<f64>) -> MetricRecord {
    let label = "figure".to_owned();
    let unit = unit.to_owned();
    MetricRecord { label, unit, better, ideal, about: About::Quality, ..MetricRecord::default() }
}

/// A run with a point of one metric.
fn measured(started: &str, figure: QualityRow, metric: &MetricRecord) -> Measured {
    let point = MeasuredPoint {
        key: Key::new(row("a", "n=1", 1.0).point(), TOTAL),
        fingerprint: "code:1".into(),
        metrics: Params::default(),
        samples: Err("not needed".into()),
        energy: None,
        items: 10,
        quality: vec![figure],
    };
    Measured {
        folder: started.into(),
        record: RunRecord {
            started: started.into(),
            metrics: BTreeMap::from([("figure".into(), metric.clone())]),
            ..run()
        },
        points: vec![point],
        clock_mhz: BTreeMap::new(),
    }
}

fn figure(kind: FigureKind, value: f64, parts: Vec<Part>) -> QualityRow {
    let point = row("a", "n=1", 1.0).point();
    QualityRow::new(&point, "figure", kind, value, Parts(parts))
}

fn share(passed: &[f64]) -> QualityRow {
    let parts: Vec<Part> = passed.iter().map(|&sum| Part { sum, count: 1000.0 }).collect();
    let value = passed.iter().sum::<f64>() / (1000.0 * passed.len() as f64);
    figure(FigureKind::Share, value, parts)
}

fn judged(base: &Measured, new: &Measured, quality_drop: f64) -> QualityVerdict {
    let thresholds = Thresholds { quality_drop, ..Thresholds::default() };
    compare_quality(base, new, &thresholds).verdicts.remove(0)
}

#[test]
fn a_loss_of_half_a_per_cent_is_worse_and_its_opposite_better() {
    let higher = metric(Better::Higher, "", None);
    let full = measured("1", share(&[900.0; 40]), &higher);
    let less: Vec<f64> = (0..40).map(|n| 894.0 + f64::from(n % 3)).collect();
    let less = measured("2", share(&less), &higher);
    let lost = judged(&full, &less, 0.001);
    assert_eq!(lost.verdict, QualityChange::Worse, "{lost:?}");
    assert!(lost.paired && (lost.worsening - 0.005).abs() < 2e-4, "{lost:?}");
    assert!(lost.reason.starts_with("worse by 0.50 % points, the limit is 0.10 %"), "{lost:?}");
    assert_eq!(lost.values()[..3], ["0.9000", "0.8950", "-0.50 %"]);
    assert_eq!(judged(&less, &full, 0.001).verdict, QualityChange::Better);
    assert_eq!(judged(&full, &less, 0.02).verdict, QualityChange::Unchanged);
    let lower = metric(Better::Lower, "", None);
    let [full, less] = [full, less].map(|mut run| {
        run.record.metrics.insert("figure".into(), lower.clone());
        run
    });
    assert_eq!(judged(&less, &full, 0.001).verdict, QualityChange::Worse);
}

#[test]
fn equal_counts_are_unchanged_for_any_limit() {
    let higher = metric(Better::Higher, "", None);
    let mut noise = Noise::new(1);
    for _ in 0..20 {
        let passed: Vec<f64> = (0..30).map(|_| (900.0 * noise.uniform()).floor()).collect();
        let [base, new] = ["1", "2"].map(|run| measured(run, share(&passed), &higher));
        for limit in [0.0, 0.001] {
            assert_eq!(judged(&base, &new, limit).verdict, QualityChange::Unchanged);
        }
    }
}

#[test]
fn other_data_are_compared_without_pairs_and_a_note_says_so() {
    let higher = metric(Better::Higher, "", None);
    let base = measured("1", share(&[900.0; 40]), &higher);
    let mut new = measured("2", share(&[895.0; 40]), &higher);
    new.record.seed += 1;
    let found = compare_quality(&base, &new, &Thresholds::default());
    assert_eq!(found.verdicts[0].verdict, QualityChange::Undecided);
    assert!(!found.verdicts[0].paired);
    assert!(found.notes[0].starts_with("1 metric of quality compared without pairs"));
    let much_less = measured("3", share(&[800.0; 40]), &higher);
    let other = Measured { record: new.record.clone(), ..much_less };
    assert_eq!(judged(&base, &other, 0.001).verdict, QualityChange::Worse);
    new.points[0].items = 11;
    new.record.seed = base.record.seed;
    assert!(!judged(&base, &new, 0.001).paired, "another number of items");
}

#[test]
fn widths_are_compared_relative_to_the_base_and_pulls_by_their_distance_from_one() {
    let width = |value: f64| {
        let parts = (0..20).map(|n| {
            let count = f64::from(100 + n);
            Part { sum: value * count, count }
        });
        figure(FigureKind::Width, value, parts.collect())
    };
    let of = |better, unit, ideal, base: f64, new: f64| {
        let metric = metric(better, unit, ideal);
        judged(&measured("1", width(base), &metric), &measured("2", width(new), &metric), 0.01)
    };
    let wider = of(Better::Lower, "µm", None, 20.0, 21.0);
    assert_eq!(wider.verdict, QualityChange::Worse);
    assert!((wider.worsening - 0.05).abs() < 1e-9, "{wider:?}");
    assert_eq!(wider.label, "figure [µm]");
    assert!(wider.reason.contains("of the base"));
    let pull = |base, new| of(Better::Near, "", Some(1.0), base, new);
    assert_eq!(pull(1.2, 1.3).verdict, QualityChange::Worse);
    assert_eq!(pull(0.8, 0.7).verdict, QualityChange::Worse);
    assert_eq!(pull(0.8, 0.9).verdict, QualityChange::Better);
    let across = pull(0.9, 1.3);
    assert!((across.worsening - 0.2).abs() < 1e-9, "{across:?}");
    let back = pull(1.3, 0.9);
    assert!((back.worsening + 0.2).abs() < 1e-9, "{back:?}");
    assert_eq!(of(Better::Lower, "µm", None, 0.0, 1.0).verdict, QualityChange::Undecided);
}

#[test]
fn qualities_of_one_run_only_are_noted() {
    let higher = metric(Better::Higher, "", None);
    let base = measured("1", share(&[900.0]), &higher);
    let mut without = base.clone();
    without.points[0].quality.clear();
    let found = compare_quality(&without, &base, &Thresholds::default());
    assert!(found.verdicts.is_empty());
    assert_eq!(
        found.notes,
        ["the quality of 1 point is known in the new run only: earlier versions kept no counts \
          of it"]
    );
}

#[test]
fn a_weak_change_among_many_metrics_is_withdrawn() {
    let higher = metric(Better::Higher, "", None);
    let verdict = |p: f64, verdict| QualityVerdict {
        p_value: Some(p),
        verdict,
        ..judged(
            &measured("1", share(&[1.0]), &higher),
            &measured("2", share(&[1.0]), &higher),
            0.0,
        )
    };
    let mut all = vec![verdict(1.0, QualityChange::Unchanged); 99];
    all.push(verdict(0.01, QualityChange::Worse));
    hold_back(&mut all, 0.02);
    assert_eq!(all[99].verdict, QualityChange::Undecided);
    assert!(all[99].reason.ends_with("chance among 100 metrics"));
    let mut few = vec![verdict(1e-6, QualityChange::Worse)];
    hold_back(&mut few, 0.02);
    assert_eq!(few[0].verdict, QualityChange::Worse);
}
