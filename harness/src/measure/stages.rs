//! Names of stages, as rows have them.

use std::borrow::Cow;

/// The stage that a whole run is.
pub(crate) const TOTAL: &str = "total";
/// The stage that a run is that does a sample of the work: no table or chart takes its time
/// for that of all.
pub(super) const SAMPLE: &str = "sample";
/// The stage that all kernels of a GPU are together.
pub(super) const KERNEL: &str = "kernel";

/// How much of the work a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    All,
    Sample,
}

impl Extent {
    /// The stage that a run is.
    pub(super) fn whole(self) -> &'static str {
        match self {
            Extent::All => TOTAL,
            Extent::Sample => SAMPLE,
        }
    }

    /// What a part of a run is called.
    pub(super) fn part<'s>(self, stage: &'s str) -> Cow<'s, str> {
        match self {
            Extent::All => stage.into(),
            Extent::Sample => format!("{SAMPLE}/{stage}").into(),
        }
    }
}

/// Whether a stage is a run.
pub(crate) fn is_whole(stage: &str) -> bool {
    [TOTAL, SAMPLE].contains(&stage)
}

/// The last name of a path of stages.
pub(super) fn leaf(stage: &str) -> &str {
    stage.rsplit('/').next().unwrap_or(stage)
}

/// Whether a stage is a part of another one.
pub(super) fn is_within(stage: &str, scope: &str) -> bool {
    let rest = stage.strip_prefix(scope);
    rest.is_some_and(|rest| rest.starts_with('/'))
}
