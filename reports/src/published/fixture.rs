//! Rows of the STS chain for tests.

use super::{Here, Reproduction, figures};
use crate::charts::fixture::{row, run};
use crate::record::SummaryRow;

/// The stages of a chain: 2 ms for sorting digis and 3 ms for sorting clusters, times a factor, and
/// 10 ms for each other stage.
pub fn chain(variant: &str, threads: usize, factor: f64) -> Vec<SummaryRow> {
    let stages = [
        ("total", 35e-3),
        ("presort", 10e-3),
        ("sort", 2e-3),
        ("cluster-sort", 3e-3),
        ("cluster", 10e-3),
        ("hits", 10e-3),
        ("collect", 10e-3),
    ];
    let stage = |(stage, seconds): (&str, f64)| SummaryRow {
        algorithm: "sts".into(),
        stage: stage.into(),
        threads,
        ..row(variant, "preset=cbm-auau;scale=0.1", seconds * factor)
    };
    stages.map(stage).to_vec()
}

/// Online twice as fast as offline, with one thread and with two.
pub fn rows() -> Vec<SummaryRow> {
    let chains = [
        chain("online", 1, 1.0),
        chain("offline", 1, 2.0),
        chain("online", 2, 0.5),
        chain("offline", 2, 1.0),
    ];
    chains.concat()
}

/// Table 5.1 with a run of these rows.
pub fn table(rows: &[SummaryRow]) -> Reproduction {
    let table = figures().into_iter().find(|figure| figure.id == "tab5.1");
    Reproduction::new(table.expect("a table"), &Here { record: &run(), rows, streams: &[] })
}
