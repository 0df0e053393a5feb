//! Submission of work: a step is put into its queue, counted and timed as one atomic operation,
//! whichever threads submit work concurrently.

#[cfg(test)]
mod tests;

use std::sync::MutexGuard;

use super::engine::{Engine, FIRST_LEASED_QUEUE, FIRST_QUEUE, Transfer};
use super::memory::Memory;
use super::step::{HostUse, RecordedUses, Step, Submission};
use super::timeline::Mode;
use super::{DeviceError, Gpu};

impl Gpu {
    pub(super) fn submission(&self) -> MutexGuard<'_, Submission> {
        self.memory().submission()
    }

    /// Starts a step that uses no host memory, and takes its time.
    pub(super) fn timed(
        &self,
        name: &'static str,
        bytes: u64,
        mut start: impl FnMut(&dyn Engine, u32) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.start_timed(&Step { uses: &[], name, bytes }, &mut start)
    }

    /// Starts a step in the queue of this handle, and takes its time.
    pub(super) fn start_timed(
        &self,
        step: &Step<'_>,
        start: &mut dyn FnMut(&dyn Engine, u32) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let mut submission = self.submission();
        self.may_start(&submission)?;
        let _range = submission.range(step.name);
        submission.timeline.before(self.engine())?;
        let queue = in_order(self.queue, submission.timeline.mode());
        self.memory().put(queue, self.recording.as_deref(), step.uses, start)?;
        submission.timeline.after(step.name, step.bytes, self.engine())
    }

    /// Starts a step in a queue without taking its time.
    pub(super) fn start_untimed(
        &self,
        queue: u32,
        uses: &[HostUse],
        start: &mut dyn FnMut(&dyn Engine, u32) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let submission = self.submission();
        self.may_start(&submission)?;
        let queue = in_order(queue, submission.timeline.mode());
        self.memory().put(queue, self.recording.as_deref(), uses, start)
    }

    /// Queue that the work of this handle goes into at present.
    pub(super) fn current_queue(&self) -> u32 {
        in_order(self.queue, self.submission().timeline.mode())
    }

    /// Refuses work of other handles during a recording.
    pub(super) fn may_start(&self, submission: &Submission) -> Result<(), DeviceError> {
        self.memory().may_start(submission, self.recording.as_deref())
    }

    /// True if copies must be repeatable: a replay reads and writes the same memory again.
    pub(super) fn is_recording(&self) -> bool {
        matches!(self.submission().timeline.mode(), Mode::Recording(_))
    }
}

/// Returns the first queue instead of one that [`Gpu::queue`] has handed out while times are taken or
/// work is recorded: concurrent work can't be timed.
fn in_order(queue: u32, mode: Mode) -> u32 {
    if mode != Mode::Off && queue >= FIRST_LEASED_QUEUE { FIRST_QUEUE } else { queue }
}

impl Memory {
    pub(super) fn failed(&self, what: &'static str, problem: &str) -> DeviceError {
        let device = self.engine.properties().device.clone();
        DeviceError::Failed { device, what, problem: problem.to_owned() }
    }

    fn may_start(
        &self,
        submission: &Submission,
        recording: Option<&RecordedUses>,
    ) -> Result<(), DeviceError> {
        if submission.is_recording != recording.is_some() {
            return Err(self.failed("starting work", "other work is being recorded"));
        }
        Ok(())
    }

    /// Puts a step into a queue and counts it, even if it has failed, because a part of it may be
    /// queued.
    fn put(
        &self,
        queue: u32,
        recording: Option<&RecordedUses>,
        uses: &[HostUse],
        start: &mut dyn FnMut(&dyn Engine, u32) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let started = start(self.engine.as_ref(), queue);
        match recording {
            Some(recording) => recording.add(uses),
            None => {
                let uses = uses.iter().map(|HostUse { uses, access }| (&**uses, *access));
                self.progress.count(queue, uses);
            }
        }
        started
    }

    /// Starts to set bytes of a device buffer, in the first queue and untimed.
    ///
    /// # Safety
    /// There are that many bytes, which no other work uses.
    pub(super) unsafe fn start_fill(
        &self,
        address: u64,
        byte: u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let submission = self.submission();
        self.may_start(&submission, None)?;
        self.put(FIRST_QUEUE, None, &[], &mut |engine, queue| {
            // SAFETY: as the caller promises.
            unsafe { engine.start(queue, Transfer::Fill { to: address, byte, bytes }) }
        })
    }
}
