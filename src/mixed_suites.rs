//! Suites with tasks of several experiments, and figures that were published of them.

use tasks::registry::{BuiltInSuite, PublishedFigures, TaskSet};

/// A set without tasks of its own.
pub(crate) const MIXED_SUITES: TaskSet = TaskSet {
    suites: &[
        BuiltInSuite { name: "smoke", text: include_str!("../suites/smoke.toml") },
        BuiltInSuite { name: "nightly", text: include_str!("../suites/nightly.toml") },
        BuiltInSuite { name: "thesis", text: include_str!("../suites/thesis.toml") },
        BuiltInSuite { name: "selftest", text: include_str!("../suites/selftest.toml") },
        BuiltInSuite { name: "gpu-nightly", text: include_str!("../suites/gpu-nightly.toml") },
        BuiltInSuite {
            name: "gpu-break-even",
            text: include_str!("../suites/gpu-break-even.toml"),
        },
        BuiltInSuite {
            name: "gpu-portability",
            text: include_str!("../suites/gpu-portability.toml"),
        },
    ],
    published: Some(PublishedFigures {
        suite: "thesis",
        figures: include_str!("../published/figures.csv"),
        values: include_str!("../published/values.csv"),
        claims: include_str!("../published/claims.csv"),
        streams: include_str!("../published/streams.csv"),
    }),
    ..TaskSet::new(&[])
};
