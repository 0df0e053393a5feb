//! Queues as values, and by their indices.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use super::engine::{
    FIRST_LEASED_QUEUE, FIRST_QUEUE, INTERFERENCE_QUEUE, MAX_LEASED_QUEUES, MAX_QUEUES,
};
use super::timeline::Mode;
use super::{DeviceError, Gpu};

/// A queue of a GPU: a stream of CUDA. It is a [`Gpu`] whose copies, kernels and fills run in order,
/// concurrently with other queues.
///
/// ```
/// use portable_gpu::{DeviceError, Gpu};
///
/// fn overlap(gpu: &Gpu, a: &[u8], b: &[u8]) -> Result<(), DeviceError> {
///     let copies = gpu.queue()?;
///     let work = gpu.queue()?;
///     let buffer = gpu.buffer::<u8>(a.len())?;
///     copies.upload(&buffer, a)?;
///     let there = copies.record_event()?;
///     work.wait_for(&there)?;
///     work.fill(&buffer, 7)?;
///     copies.upload(&gpu.buffer::<u8>(b.len())?, b)?;
///     gpu.finish()
/// }
/// # let Ok(gpu) = Gpu::open("emulator") else { return };
/// # overlap(&gpu, &[1, 2], &[3]).unwrap();
/// ```
///
/// A buffer belongs to no queue. Which queue uses it when is up to the caller: order is made by
/// [`Gpu::record_event`] and [`Gpu::wait_for`]. Memory of buffers that are dropped is reused when the
/// work of all queues that was started before has ended.
///
/// While times are taken or work is recorded, everything runs in the first queue, since concurrent
/// kernels can't be timed separately; wgpu has one queue, in which all work runs in order.
///
/// When a queue is dropped, its work still runs to its end; [`Gpu::finish`] waits for it.
pub struct Queue {
    gpu: Gpu,
}

/// Indices of queues that are in use, one bit for each.
#[derive(Default)]
pub(super) struct Leases(Mutex<u32>);

impl Leases {
    /// Takes the first free index.
    fn take(&self) -> Option<u32> {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = used.trailing_ones();
        (index < MAX_LEASED_QUEUES).then(|| {
            *used |= 1 << index;
            FIRST_LEASED_QUEUE + index
        })
    }

    fn give_back(&self, queue: u32) {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *used &= !(1 << (queue - FIRST_LEASED_QUEUE));
    }
}

impl Gpu {
    /// Returns another queue. All other work goes to the first queue, that of a `Gpu`.
    ///
    /// # Errors
    /// If [`MAX_LEASED_QUEUES`] are in use, the device has no memory for a
    /// queue, or work is being recorded.
    pub fn queue(&self) -> Result<Queue, DeviceError> {
        if self.recording.is_some() {
            let problem = "a recording has one queue; use the handle that it passes";
            return Err(self.memory().failed("making a queue", problem));
        }
        let index = self.shared.leases.take().ok_or_else(|| DeviceError::NoQueue {
            device: self.properties().device.clone(),
            count: MAX_LEASED_QUEUES,
        })?;
        let queue = Queue { gpu: self.for_queue(index) };
        self.engine().open_queue(index)?;
        Ok(queue)
    }

    /// Runs `work` with a handle to a queue, an index below
    /// [`MAX_QUEUES`]: queues run
    /// concurrently, and each in order. Work of other queues that it depends on must have ended, or
    /// be waited for with [`Gpu::wait_for_first_queue`]. While times are taken or work is recorded,
    /// everything runs in one queue, since concurrent kernels can't be timed separately.
    ///
    /// # Errors
    /// Errors of the work, or if the index is too large or the device has no memory for a queue.
    pub fn with_queue<R>(
        &self,
        queue: u32,
        work: impl FnOnce(&Gpu) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        if self.submission().timeline.mode() != Mode::Off {
            return work(self);
        }
        if queue >= MAX_QUEUES {
            let problem = format!("its index is {queue}; they are below {MAX_QUEUES}");
            return Err(self.memory().failed("opening a queue", &problem));
        }
        self.engine().open_queue(queue)?;
        work(&self.for_queue(queue))
    }

    /// Makes all work that is started in the queue of this handle from now on wait for the work
    /// that is in the first queue so far.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn wait_for_first_queue(&self) -> Result<(), DeviceError> {
        if self.queue == FIRST_QUEUE {
            return Ok(());
        }
        self.start_untimed(self.queue, &[], &mut |engine, queue| engine.wait_for_first_queue(queue))
    }

    /// Measures the seconds that `work` takes on the device while `other`, which is started after
    /// it and may wait, runs concurrently. Returns `None` if the device has no clock. Waits until
    /// all work has ended.
    ///
    /// # Errors
    /// Errors of both, or if the device has no memory for another queue.
    pub fn seconds_alongside(
        &self,
        work: impl FnOnce(&Gpu) -> Result<(), DeviceError>,
        other: impl FnOnce(&Gpu) -> Result<(), DeviceError>,
    ) -> Result<Option<f64>, DeviceError> {
        self.finish()?;
        self.engine().open_queue(INTERFERENCE_QUEUE)?;
        self.engine().mark(INTERFERENCE_QUEUE, 0)?;
        work(&self.for_queue(INTERFERENCE_QUEUE))?;
        self.engine().mark(INTERFERENCE_QUEUE, 1)?;
        other(&self.for_queue(FIRST_QUEUE))?;
        self.finish()?;
        self.engine().seconds_between(0, 1)
    }
}

impl Deref for Queue {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.gpu.shared.leases.give_back(self.gpu.queue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_unique_and_reused() {
        let leases = Leases::default();
        let taken: Vec<_> = std::iter::from_fn(|| leases.take()).collect();
        let all = FIRST_LEASED_QUEUE..FIRST_LEASED_QUEUE + MAX_LEASED_QUEUES;
        assert_eq!(taken, all.collect::<Vec<_>>());
        leases.give_back(FIRST_LEASED_QUEUE + 3);
        assert_eq!(leases.take(), Some(FIRST_LEASED_QUEUE + 3));
        assert_eq!(leases.take(), None);
    }
}
