//! Copies that are made outside the clock.

use std::ops::Range;

use bytemuck::Pod;

use super::{DeviceBuffer, DeviceError, Gpu};
use crate::all_cores;

/// Bytes that are copied to the host at a time.
const FETCHED_BYTES: usize = 64 << 20;

impl Gpu {
    /// Copies elements from one buffer on the device to another: as many as both have.
    ///
    /// # Errors
    /// If the driver refuses.
    pub(crate) fn copy<T: Pod>(
        &self,
        to: &DeviceBuffer<T>,
        from: &DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        assert!(to.address() != from.address(), "the same buffer");
        let bytes = from.bytes().min(to.bytes());
        if bytes == 0 {
            return Ok(());
        }
        self.timed("d2d", 2 * bytes, |engine| {
            // SAFETY: both have so many bytes, and are two buffers.
            unsafe { engine.copy(to.address(), from.address(), bytes as usize) }
        })
    }

    /// Some elements of a buffer, copied to the host outside the clock: through
    /// page-locked memory, piece by piece, and from there by all cores. Waits for all that
    /// was started before.
    ///
    /// # Errors
    /// If the driver refuses, or something went wrong on the device before.
    pub(crate) fn fetched<T: Pod + Default + Send + Sync>(
        &self,
        from: &DeviceBuffer<T>,
        elements: Range<usize>,
    ) -> Result<Vec<T>, DeviceError> {
        let piece = (FETCHED_BYTES / size_of::<T>()).min(elements.len());
        let mut stage = self.pinned::<T>(piece)?;
        let mut fetched = all_cores::made(elements.len());
        let mut first = elements.start;
        for part in fetched.chunks_mut(piece.max(1)) {
            self.download_part(stage.part_mut(0..part.len()), from, first)?;
            self.finish()?;
            all_cores::copy(part, &stage[..part.len()]);
            first += part.len();
        }
        Ok(fetched)
    }

    /// A buffer on the device with these elements, once they are there.
    ///
    /// # Errors
    /// If there is no room, or the driver refuses.
    pub(crate) fn table<T: Pod>(&self, elements: &[T]) -> Result<DeviceBuffer<T>, DeviceError> {
        let table = self.buffer(elements.len())?;
        let copied = self.upload(&table, elements);
        // Waited for in any case, as neither side may go before.
        self.finish()?;
        copied.map(|()| table)
    }
}
