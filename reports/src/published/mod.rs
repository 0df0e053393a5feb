//! Published figures and their measured counterparts.
//!
//! | module | does |
//! |---|---|
//! | `figure` | a figure: its values, their counterparts, and its claims |
//! | `data` | reads all figures from the tables that are part of the program, and measured streams |
//! | `measured` | finds the counterpart of a published value in a run |
//! | `stream_values` | finds the counterpart of a value in streams |
//! | `verdict` | judges whether the claims hold here |
//! | `render` | writes figures for terminals, pages and programs |
//!
//! The tables belong to the program: a row for each figure, for each published number with its
//! counterpart, and for each claim.

mod data;
mod figure;
mod measured;
mod render;
mod stream_values;
mod verdict;

pub use data::{PublishedTables, Streams, read_figures, read_published_streams};
pub use figure::{Claim, Figure, Quantity, Shows, Stream, Threads, Unit, Value};
pub use measured::{Here, Measured};
pub(crate) use render::{heading, sentences, table};
pub use verdict::{ClaimVerdict, JudgedClaim, Reproduction, reproduce};

/// Rows of the STS chain for tests.
#[cfg(test)]
pub(crate) mod fixture {
    use super::{Figure, Here, PublishedTables, Reproduction, read_figures};
    use crate::charts::fixture::{row, run};
    use crate::record::SummaryRow;

    /// The figures of `bench`.
    pub fn figures() -> Vec<Figure> {
        read_figures(&PublishedTables {
            figures: FIGURES,
            values: VALUES,
            claims: CLAIMS,
            streams: STREAMS,
        })
    }

    pub const FIGURES: &str = include_str!("../../../published/figures.csv");
    pub const VALUES: &str = include_str!("../../../published/values.csv");
    pub const CLAIMS: &str = include_str!("../../../published/claims.csv");
    pub const STREAMS: &str = include_str!("../../../published/streams.csv");

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
}
