//! Bandwidths that times are compared with. They are measured once, after the first samples, so that
//! these need not wait for them.

use std::time::Duration;

use reports::store::StoreError;

use super::deadline::Deadline;
use super::recorder::Recorder;
use super::resources::Resources;

/// Share of a budget for measuring the bandwidths of teams.
pub(crate) const CEILINGS: f64 = 0.05;
/// Time reserved for those of each GPU, but not more than for all teams.
const TIME_OF_GPU: Duration = Duration::from_secs(1);

/// Bandwidths that are still to be measured.
pub(super) struct Bandwidths {
    /// Bytes of last-level cache that arrays exceed.
    cache_bytes: u64,
    /// Time for those of all teams, if the run has a time limit.
    time: Option<Duration>,
    /// End of the run.
    deadline: Deadline,
}

impl Bandwidths {
    /// Bandwidths on CPUs with this number of bytes of last-level cache, for a run with this time
    /// limit and its deadline.
    pub(super) fn new(cache_bytes: u64, budget: Option<Duration>, deadline: Deadline) -> Self {
        let time = budget.map(|budget| budget.mul_f64(CEILINGS));
        Bandwidths { cache_bytes, time, deadline }
    }

    /// Deadline of what comes before they are measured: it leaves time for them.
    pub(super) fn deadline_before(&self, resources: &Resources) -> Deadline {
        let gpus = resources.watched.devices().count() as u32;
        let reserved = self.time.map(|time| time + gpus * time.min(TIME_OF_GPU));
        self.deadline.earlier_by(reserved.unwrap_or_default())
    }

    /// Measures them on all teams and GPUs, and records them.
    ///
    /// # Errors
    /// If they can't be written.
    pub(super) fn measure(
        self,
        resources: &Resources,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), StoreError> {
        let progress = &*recorder.progress;
        let report = |text: &str| progress.stage(text);
        resources.teams.measure_bandwidths(self.cache_bytes, self.time, report);
        let notes = resources.watched.measure_bandwidths(&resources.gpus, report);
        let record = &mut *recorder.record;
        record.add_notes(notes);
        record.ceilings.extend(resources.teams.ceilings());
        record.ceilings.extend(resources.watched.ceilings());
        recorder.describe()?;
        recorder.deadline = self.deadline;
        Ok(())
    }
}
