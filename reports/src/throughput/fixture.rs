//! Rows for tests.

use super::ThroughputRow;
use crate::record::{Point, YesNo};

/// A row of `streams` streams with one thread each, and their items per second.
pub fn row(streams: usize, rate: f64) -> ThroughputRow {
    let point = Point {
        algorithm: "sts".into(),
        variant: "time-sweep".into(),
        device: "cpu".into(),
        threads: 1,
        cpu_sets: "none".into(),
        bind: "false".into(),
        cache: "hot".into(),
        params: "scale=0.1".parse().expect("well formed"),
    };
    ThroughputRow {
        backend: "cpu".into(),
        items: 1e6,
        item_unit: "digi".into(),
        events: 1000,
        items_per_s: Some(rate),
        items_per_s_low: Some(0.99 * rate),
        items_per_s_high: Some(1.01 * rate),
        events_per_s: Some(rate / 1e6),
        p50_s: Some(1e6 * streams as f64 / rate),
        p99_s: Some(2e6 * streams as f64 / rate),
        cores_share: Some(0.5),
        valid: YesNo::Yes,
        ..ThroughputRow::new(&point, [streams, 4, 1])
    }
}
