//! Work that is recorded once and started as a whole: a launch of many kernels
//! then costs the host little more than that of one.

use super::engine::Recording;
use super::timeline::Mode;
use super::{DeviceError, Gpu};

/// Recorded work. What it uses is borrowed for as long as it may be started.
pub struct Graph<'a> {
    name: &'static str,
    bytes: u64,
    recording: Option<Box<dyn Recording>>,
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
        let mut graph = Graph { name, bytes: 0, recording: None, work: Box::new(work) };
        if self.engine().records() {
            let (recording, bytes) = self.record(graph.work.as_ref())?;
            graph.recording = Some(recording);
            graph.bytes = bytes;
        }
        Ok(graph)
    }

    /// Starts recorded work.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn replay(&self, graph: &Graph<'_>) -> Result<(), DeviceError> {
        self.timed(graph.name, graph.bytes, |_| match &graph.recording {
            Some(recording) => recording.replay(),
            None => self.unnoticed(&graph.work),
        })
    }

    fn record(&self, work: &Work<'_>) -> Result<(Box<dyn Recording>, u64), DeviceError> {
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
        Ok((ended?, bytes))
    }

    /// Does the work without a time for each part of it.
    fn unnoticed(&self, work: &Work<'_>) -> Result<(), DeviceError> {
        let before = self.timeline().switch(Mode::Recording(0));
        let worked = work(self);
        self.timeline().switch(before);
        worked
    }
}
