//! Events: points in the work of a queue that others wait for, and the times between them.

#[cfg(test)]
mod tests;

use super::engine::EngineEvent;
use super::progress::QueueTicks;
use super::{DeviceError, Gpu};

/// A point in the work of a queue: [`Gpu::record_event`] records it when all work that was started in
/// the queue before has ended.
///
/// | engine | times | [`Event::is_done`] |
/// |---|---|---|
/// | CUDA, HIP | on the device's clock | asks the driver |
/// | wgpu | none | waits: all work runs in one queue, which is submitted by a wait |
/// | emulator | none | asks, and lets one more copy or kernel run |
pub struct Event {
    /// Handle to the queue that it was recorded in.
    gpu: Gpu,
    /// Queue that the work was in.
    queue: u32,
    /// Steps that had been started when it was recorded.
    until: QueueTicks,
    handle: EngineEvent,
}

impl Gpu {
    /// Records an event in the queue of this handle.
    ///
    /// # Errors
    /// If the driver refuses, or work is being recorded: a recording has one queue, whose work runs
    /// in order.
    pub fn record_event(&self) -> Result<Event, DeviceError> {
        if self.is_recording() {
            let problem = "a recording has one queue, in order: it needs no events";
            return Err(self.memory().failed("recording an event", problem));
        }
        let mut recorded = None;
        self.start_untimed(self.queue, &[], &mut |engine, queue| {
            // All steps that are counted now are in their queues.
            let until = self.memory().progress.now();
            recorded = Some((queue, until, engine.record_event(queue)?));
            Ok(())
        })?;
        let (queue, until, handle) =
            recorded.ok_or_else(|| self.memory().failed("recording an event", "it did not run"))?;
        Ok(Event { gpu: self.for_queue(self.queue), queue, until, handle })
    }

    /// Makes all work that is started in the queue of this handle from now on wait for an event. The
    /// event may be another device's: where that is of the same engine, queues wait for each other
    /// on the devices, otherwise the host waits for the event here.
    ///
    /// # Errors
    /// If the driver refuses, or the host waits and the work of the event failed.
    pub fn wait_for(&self, event: &Event) -> Result<(), DeviceError> {
        let mut follows = false;
        self.start_untimed(self.queue, &[], &mut |engine, queue| {
            follows = engine.follow_event(queue, &event.handle)?;
            Ok(())
        })?;
        if follows { Ok(()) } else { event.wait() }
    }
}

impl Event {
    /// Waits until the work up to this event has ended.
    ///
    /// # Errors
    /// Failures of work of this device since the last wait.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.gpu.release_stream();
        self.gpu.engine().wait_for_event(&self.handle)?;
        self.gpu.memory().progress.queue_ended(self.queue, &self.until);
        Ok(())
    }

    /// True if the work up to this event has ended.
    ///
    /// # Errors
    /// Failures of work of this device since the last wait.
    pub fn is_done(&self) -> Result<bool, DeviceError> {
        self.gpu.release_stream();
        let has_ended = self.gpu.engine().has_ended(&self.handle)?;
        if has_ended {
            self.gpu.memory().progress.queue_ended(self.queue, &self.until);
        }
        Ok(has_ended)
    }

    /// Returns the seconds between an earlier event of the same device and this one; `None` if the
    /// device has no clock for events. Waits for both.
    ///
    /// # Errors
    /// If the other event is another device's, or work has failed.
    pub fn seconds_since(&self, earlier: &Event) -> Result<Option<f64>, DeviceError> {
        if !self.gpu.is_same_device(&earlier.gpu) {
            let device = self.gpu.properties().device.clone();
            return Err(DeviceError::OtherDevice { device, what: "earlier event" });
        }
        earlier.wait()?;
        self.wait()?;
        self.gpu.engine().seconds_between_events(&earlier.handle, &self.handle)
    }
}
