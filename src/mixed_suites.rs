//! Suites with tasks of several experiments, and figures that were published of them.

use tasks::registry::{PublishedFigures, TaskSet};

/// A set without tasks of its own.
pub(crate) const MIXED_SUITES: TaskSet = TaskSet {
    suites: tasks::built_in_suites!(
        "../suites",
        [
            "smoke",
            "nightly",
            "thesis",
            "selftest",
            "gpu-nightly",
            "gpu-break-even",
            "gpu-portability",
            "score",
            "gpu-score"
        ]
    ),
    published: Some(PublishedFigures {
        suite: "thesis",
        figures: include_str!("../published/figures.csv"),
        values: include_str!("../published/values.csv"),
        claims: include_str!("../published/claims.csv"),
        streams: include_str!("../published/streams.csv"),
    }),
    ..TaskSet::new(&[])
};
