//! Names of stages in rows.

use std::borrow::Cow;

pub(super) use reports::rank::{KERNEL, SAMPLE};
pub(crate) use reports::rank::{TOTAL, is_whole};

/// Share of the work that a run processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    All,
    Sample,
}

impl Coverage {
    /// Name of the stage for a run.
    pub(super) fn whole(self) -> &'static str {
        match self {
            Coverage::All => TOTAL,
            Coverage::Sample => SAMPLE,
        }
    }

    /// Name of a stage within a run.
    pub(super) fn part<'s>(self, stage: &'s str) -> Cow<'s, str> {
        match self {
            Coverage::All => stage.into(),
            Coverage::Sample => format!("{SAMPLE}/{stage}").into(),
        }
    }
}

/// Last component of a stage path.
pub(super) fn leaf(stage: &str) -> &str {
    stage.rsplit('/').next().unwrap_or(stage)
}

/// Returns true if a stage is part of another one.
pub(super) fn is_within(stage: &str, scope: &str) -> bool {
    let rest = stage.strip_prefix(scope);
    rest.is_some_and(|rest| rest.starts_with('/'))
}
