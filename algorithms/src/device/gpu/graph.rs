//! Work that is recorded once and started as a whole: a launch of many kernels
//! then costs the host little more than that of one.

use super::engine::Recording;
use super::timeline::Mode;
use super::{DeviceError, Gpu};

/// Recorded work on buffers that are somebody's.
pub(crate) struct Recorded {
    name: &'static str,
    bytes: u64,
    recording: Box<dyn Recording>,
}

/// Recorded work. What it uses is borrowed for as long as it may be started.
pub struct Graph<'a> {
    name: &'static str,
    recorded: Option<Recorded>,
    work: Box<Work<'a>>,
}

/// Starts copies and kernels.
type Work<'a> = dyn Fn(&Gpu) -> Result<(), DeviceError> + Send + 'a;

impl Gpu {
    /// Records what `work` starts, without doing it. `work` must not wait for the
    /// device, and its buffers are those of the calls to come. Its times are those
    /// of one stage of that name.
    ///
    /// A device that can't record, as the emulator, does the work at each
    /// [`Gpu::replay`] instead.
    ///
    /// # Errors
    /// If the device refuses, or `work` fails or waits.
    pub fn capture<'a>(
        &self,
        name: &'static str,
        work: impl Fn(&Gpu) -> Result<(), DeviceError> + Send + 'a,
    ) -> Result<Graph<'a>, DeviceError> {
        let work: Box<Work<'a>> = Box::new(work);
        let recorded = self.record(name, &work)?;
        Ok(Graph { name, recorded, work })
    }

    /// Starts recorded work.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn replay(&self, graph: &Graph<'_>) -> Result<(), DeviceError> {
        match &graph.recorded {
            // SAFETY: the graph borrows what it uses.
            Some(recorded) => unsafe { self.start_recorded(recorded) },
            None => self.timed(graph.name, 0, |_| self.unnoticed(&graph.work)),
        }
    }

    /// Records what `work` starts, as above; `None` where nothing can be recorded: then `work`
    /// was not called.
    ///
    /// # Errors
    /// If the device refuses, or `work` fails or waits.
    pub(crate) fn record(
        &self,
        name: &'static str,
        work: impl FnOnce(&Gpu) -> Result<(), DeviceError>,
    ) -> Result<Option<Recorded>, DeviceError> {
        if !self.engine().records() {
            return Ok(None);
        }
        let before = self.timeline().switch(Mode::Recording(0));
        self.memory.progress.set_recording(true);
        let started = self.engine().start_recording();
        let worked = started.and_then(|()| work(self));
        // Ended in any case: nothing else can be done in a recording.
        let ended = self.engine().end_recording();
        self.memory.progress.set_recording(false);
        let bytes = match self.timeline().switch(before) {
            Mode::Recording(bytes) => bytes,
            _ => 0,
        };
        worked?;
        Ok(Some(Recorded { name, bytes, recording: ended? }))
    }

    /// Starts recorded work.
    ///
    /// # Safety
    /// All buffers that were used in the recording must still be there, and not in use.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) unsafe fn start_recorded(&self, recorded: &Recorded) -> Result<(), DeviceError> {
        self.timed(recorded.name, recorded.bytes, |_| recorded.recording.replay())
    }

    /// Does the work without a time for each part of it.
    fn unnoticed(&self, work: &Work<'_>) -> Result<(), DeviceError> {
        let before = self.timeline().switch(Mode::Recording(0));
        let worked = work(self);
        self.timeline().switch(before);
        worked
    }
}
