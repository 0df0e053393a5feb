//! Recorded work, which is started as a whole: a launch of many kernels then costs the host little
//! more than that of one.

use std::sync::Arc;

use super::engine::{FIRST_QUEUE, Recording};
use super::step::{HostUse, RecordedUses, Step};
use super::timeline::Mode;
use super::{DeviceError, Gpu};

/// Recorded work whose buffers must outlive it.
pub struct Recorded {
    name: &'static str,
    bytes: u64,
    uses: Vec<HostUse>,
    recording: Box<dyn Recording>,
}

/// Recorded work that borrows its buffers as long as it can be started.
pub struct Graph<'a> {
    name: &'static str,
    recorded: Option<Recorded>,
    work: Box<RecordedWork<'a>>,
}

/// Function that starts copies and kernels.
type RecordedWork<'a> = dyn Fn(&Gpu) -> Result<(), DeviceError> + Send + 'a;

impl Gpu {
    /// Records the copies and kernels that `work` starts, without running them. `work` must use the
    /// handle that it is called with, must not wait for the device, and copies from and to
    /// page-locked buffers only, since a replay reads and writes the same memory again. The time of
    /// a replay is one stage `name`.
    ///
    /// On a device that can't record, each [`Gpu::replay`] calls `work` instead. Until the
    /// recording ends, other handles can start no work on this GPU.
    ///
    /// # Errors
    /// If the device refuses, or `work` fails or waits.
    pub fn capture<'a>(
        &self,
        name: &'static str,
        work: impl Fn(&Gpu) -> Result<(), DeviceError> + Send + 'a,
    ) -> Result<Graph<'a>, DeviceError> {
        let work: Box<RecordedWork<'a>> = Box::new(work);
        let recorded = self.record(name, &work)?;
        Ok(Graph { name, recorded, work })
    }

    /// Starts recorded work in the first queue.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn replay(&self, graph: &Graph<'_>) -> Result<(), DeviceError> {
        match &graph.recorded {
            // SAFETY: the graph borrows the buffers that it uses.
            Some(recorded) => unsafe { self.start_recorded(recorded) },
            None => self.run_as_stage(graph.name, &graph.work),
        }
    }

    /// Records work like [`Gpu::capture`]. Returns `None` if the device can't record; `work` was
    /// then not called.
    ///
    /// # Errors
    /// If the device refuses, or `work` fails or waits.
    pub fn record(
        &self,
        name: &'static str,
        work: impl FnOnce(&Gpu) -> Result<(), DeviceError>,
    ) -> Result<Option<Recorded>, DeviceError> {
        if !self.engine().records() {
            return Ok(None);
        }
        let uses = Arc::new(RecordedUses::default());
        let before = self.start_recording()?;
        let recorder = Gpu { recording: Some(Arc::clone(&uses)), ..self.for_queue(FIRST_QUEUE) };
        let guard = RecordingGuard { gpu: self, before, is_over: false };
        let worked = work(&recorder);
        let (bytes, ended) = guard.end();
        worked?;
        Ok(Some(Recorded { name, bytes, uses: uses.take(), recording: ended? }))
    }

    /// Ends all work first, so that no thread has to wait for some of it during the recording.
    fn start_recording(&self) -> Result<Mode, DeviceError> {
        self.before_waiting()?;
        let mut submission = self.submission();
        self.may_start(&submission)?;
        self.memory().finish()?;
        self.engine().start_recording()?;
        submission.is_recording = true;
        Ok(submission.timeline.switch(Mode::Recording(0)))
    }

    /// Starts recorded work in the first queue.
    ///
    /// # Safety
    /// All buffers that were used in the recording must still exist, and no other work may use
    /// those that it writes until it has ended.
    pub unsafe fn start_recorded(&self, recorded: &Recorded) -> Result<(), DeviceError> {
        let step = Step { uses: &recorded.uses, name: recorded.name, bytes: recorded.bytes };
        let first = self.for_queue(FIRST_QUEUE);
        first.start_timed(&step, &mut |_, _| recorded.recording.replay())
    }

    /// Runs work as one stage, without taking the times of its parts.
    fn run_as_stage(&self, name: &'static str, work: &RecordedWork<'_>) -> Result<(), DeviceError> {
        let mut submission = self.submission();
        self.may_start(&submission)?;
        let _range = submission.range(name);
        submission.timeline.before(self.engine())?;
        let before = submission.timeline.switch(Mode::Recording(0));
        drop(submission);
        let guard = ModeGuard { gpu: self, before };
        let worked = work(self);
        drop(guard);
        worked?;
        self.submission().timeline.after(name, 0, self.engine())
    }
}

/// Restores a mode of the timeline, also if the work panics.
struct ModeGuard<'g> {
    gpu: &'g Gpu,
    before: Mode,
}

impl Drop for ModeGuard<'_> {
    fn drop(&mut self) {
        self.gpu.submission().timeline.switch(self.before);
    }
}

/// A recording in progress. It also ends if the work panics, since the device does nothing else
/// meanwhile.
struct RecordingGuard<'g> {
    gpu: &'g Gpu,
    /// Mode of the timeline to restore.
    before: Mode,
    is_over: bool,
}

impl RecordingGuard<'_> {
    /// Ends the recording; returns it with the bytes that the recorded work moves.
    fn end(mut self) -> (u64, Result<Box<dyn Recording>, DeviceError>) {
        self.end_once()
    }

    fn end_once(&mut self) -> (u64, Result<Box<dyn Recording>, DeviceError>) {
        self.is_over = true;
        let mut submission = self.gpu.submission();
        let ended = self.gpu.engine().end_recording();
        submission.is_recording = false;
        match submission.timeline.switch(self.before) {
            Mode::Recording(bytes) => (bytes, ended),
            _ => (0, ended),
        }
    }
}

impl Drop for RecordingGuard<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            let _ = self.end_once();
        }
    }
}
