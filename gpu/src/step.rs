//! A step of work, the host memory that it uses, and the state that its submission changes.

use std::sync::{Arc, Mutex};

use super::lock;
use super::nvtx::{Range, StageRanges};
use super::progress::{Access, PendingCopies};
use super::timeline::Timeline;

/// State that submissions change. Its lock is held while a step is put into its queue.
#[derive(Default)]
pub(super) struct Submission {
    pub(super) timeline: Timeline,
    /// True if work in the first queue is recorded.
    pub(super) is_recording: bool,
    /// Ranges for a profiler; none without one.
    pub(super) ranges: Option<StageRanges>,
}

impl Submission {
    /// Begins the range of a stage in the current scopes, if a profiler is to see it.
    pub(super) fn range(&self, name: &'static str) -> Option<Range> {
        let ranges = self.ranges.as_ref()?;
        Some(ranges.range(&self.timeline.path(name)))
    }
}

/// A step to be started.
pub(super) struct Step<'s> {
    /// Host memory that it uses until it has ended.
    pub(super) uses: &'s [HostUse],
    /// Name of its stage.
    pub(super) name: &'static str,
    /// Bytes that it moves.
    pub(super) bytes: u64,
}

/// Memory of a buffer on the host, and how a step uses it.
#[derive(Clone)]
pub(super) struct HostUse {
    pub(super) uses: Arc<PendingCopies>,
    pub(super) access: Access,
}

/// Host memory that copies of a recording use.
#[derive(Default)]
pub(super) struct RecordedUses(Mutex<Vec<HostUse>>);

impl RecordedUses {
    pub(super) fn add(&self, uses: &[HostUse]) {
        lock(&self.0).extend_from_slice(uses);
    }

    pub(super) fn take(&self) -> Vec<HostUse> {
        std::mem::take(&mut *lock(&self.0))
    }
}
