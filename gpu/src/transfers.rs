//! Copies between host and device, and on the device.

use std::ops::Range;

use bytemuck::Pod;

mod small_copies;

use super::engine::{DOWNLOAD_QUEUE, Engine, Transfer};
use super::step::{HostUse, Step};
use super::{DeviceBuffer, DeviceError, FromHost, Gpu, ToHost};
use small_copies::SmallCopy;

/// Bytes per piece of a copy to the host.
const FETCHED_BYTES: usize = 64 << 20;

/// A copy from or to memory of the host.
struct HostCopy {
    /// Name of its stage.
    name: &'static str,
    bytes: usize,
    /// Memory of a buffer; `None` for slices.
    used: Option<HostUse>,
    host: *const u8,
}

impl Gpu {
    /// Copies `from` to the first elements of a buffer on the device.
    ///
    /// # Errors
    /// If the buffer has fewer elements, or the driver refuses.
    pub fn upload<'a, T: Pod>(
        &self,
        to: &DeviceBuffer<T>,
        from: impl Into<FromHost<'a, T>>,
    ) -> Result<(), DeviceError> {
        self.upload_part(to, 0, from)
    }

    /// Copies elements to the device, starting at element `first` of the buffer.
    ///
    /// # Errors
    /// If the buffer has fewer elements, or the driver refuses.
    pub fn upload_part<'a, T: Pod>(
        &self,
        to: &DeviceBuffer<T>,
        first: usize,
        from: impl Into<FromHost<'a, T>>,
    ) -> Result<(), DeviceError> {
        let from = from.into();
        to.check("an upload", first, from.length)?;
        let bytes = from.length * size_of::<T>();
        let offset = first * size_of::<T>();
        let host = from.start.cast::<u8>();
        let to = to.address() + offset as u64;
        let used = from.host_use();
        let copy = HostCopy { name: "h2d", bytes, used, host };
        self.copied(&copy, &mut |engine, queue| {
            // SAFETY: both sides have that many bytes, and that of the host stays allocated: a
            // buffer waits for its pending copies, and a slice is waited for.
            unsafe {
                match self.seen_by_kernels(host, bytes) {
                    Some(from) => {
                        self.start_small_copy(engine, queue, SmallCopy { to, from, bytes })
                    }
                    None => engine.start(queue, Transfer::Upload { to, from: host, bytes }),
                }
            }
        })
    }

    /// Copies the first elements of a buffer on the device to `to`.
    ///
    /// # Errors
    /// If the buffer has fewer elements, or the driver refuses.
    pub fn download<'a, T: Pod>(
        &self,
        to: impl Into<ToHost<'a, T>>,
        from: &DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        self.download_part(to, from, 0)
    }

    /// Copies elements from the device, starting at element `first` of the buffer.
    ///
    /// # Errors
    /// If the buffer has fewer elements, or the driver refuses.
    pub fn download_part<'a, T: Pod>(
        &self,
        to: impl Into<ToHost<'a, T>>,
        from: &DeviceBuffer<T>,
        first: usize,
    ) -> Result<(), DeviceError> {
        let to = to.into();
        from.check("a download", first, to.length)?;
        let bytes = to.length * size_of::<T>();
        let offset = first * size_of::<T>();
        let start = from.address() + offset as u64;
        let host = to.start.cast::<u8>();
        let used = to.host_use();
        let copy = HostCopy { name: "d2h", bytes, used, host };
        self.copied(&copy, &mut |engine, queue| {
            // SAFETY: both sides have that many bytes, any of which make a `T`. That of the host
            // stays allocated and is not read before the copy ends: a buffer waits for its pending
            // copies, and a slice is waited for here.
            unsafe {
                match self.seen_by_kernels(host, bytes) {
                    Some(to) => {
                        let copy = SmallCopy { to, from: start, bytes };
                        self.start_small_copy(engine, queue, copy)
                    }
                    None => {
                        engine.start(queue, Transfer::Download { to: host, from: start, bytes })
                    }
                }
            }
        })
    }

    /// Starts a copy from or to host memory of a buffer or a slice. A page-locked slice is waited
    /// for here; for other slices the driver waits.
    fn copied(
        &self,
        copy: &HostCopy,
        start: &mut dyn FnMut(&dyn Engine, u32) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        if copy.used.is_none() && self.is_recording() {
            let problem = "a replay would copy the same memory again; use a page-locked buffer";
            return Err(self.memory().failed("recording a copy of a slice", problem));
        }
        let uses = copy.used.as_slice();
        let step = Step { uses, name: copy.name, bytes: copy.bytes as u64 };
        let copied = self.start_timed(&step, start);
        if copy.used.is_none() && self.memory().is_page_locked(copy.host) {
            self.memory().wait_until(&self.memory().progress.now());
        }
        copied
    }

    /// Copies `from` to the first elements of a buffer on the device, and concurrently the first
    /// elements of another one to the host. Only copies of page-locked memory run in both
    /// directions at once. No times are taken.
    ///
    /// # Errors
    /// If a buffer has fewer elements, both are the same, or the driver refuses.
    pub fn exchange<'a, 'b, T: Pod>(
        &self,
        to: &DeviceBuffer<T>,
        from: impl Into<FromHost<'a, T>>,
        into: impl Into<ToHost<'b, T>>,
        of: &DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        let from = from.into();
        let into = into.into();
        to.check("an upload", 0, from.length)?;
        of.check("a download", 0, into.length)?;
        if to.address() == of.address() {
            return Err(self.memory().failed("copying both ways", "it is the same buffer"));
        }
        if self.is_recording() {
            let problem = "a recording has one queue; copy one way after the other";
            return Err(self.memory().failed("recording copies both ways at once", problem));
        }
        self.engine().open_queue(DOWNLOAD_QUEUE)?;
        let written = into.host_use();
        let down = self.start_untimed(DOWNLOAD_QUEUE, written.as_slice(), &mut |engine, queue| {
            // SAFETY: both sides have that many bytes, any of which make a `T`. That of the host
            // stays allocated and is not read before the copy ends: a buffer waits for its pending
            // copies, and a slice is waited for below. No other copy uses the same buffer of the
            // device.
            unsafe {
                let bytes = into.length * size_of::<T>();
                let to = into.start.cast();
                engine.start(queue, Transfer::Download { to, from: of.address(), bytes })
            }
        });
        let read = from.host_use();
        let up = self.start_untimed(self.queue, read.as_slice(), &mut |engine, queue| {
            // SAFETY: both sides have that many bytes. That of the host stays allocated: a buffer
            // waits for its pending copies, and a slice is waited for below.
            unsafe {
                let bytes = from.length * size_of::<T>();
                let from = from.start.cast();
                engine.start(queue, Transfer::Upload { to: to.address(), from, bytes })
            }
        });
        if from.uses.is_none() || into.uses.is_none() {
            self.memory().wait_until(&self.memory().progress.now());
        }
        down.and(up)
    }

    /// Copies the first elements from one buffer on the device to another, up to the length of the
    /// shorter one.
    pub fn copy<T: Pod>(
        &self,
        to: &DeviceBuffer<T>,
        from: &DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        let bytes = from.bytes().min(to.bytes());
        if bytes == 0 || to.address() == from.address() {
            return Ok(());
        }
        let copy = Transfer::Copy { to: to.address(), from: from.address(), bytes: bytes as usize };
        self.timed("d2d", 2 * bytes, |engine, queue| {
            // SAFETY: both have that many bytes, and are different buffers.
            unsafe { engine.start(queue, copy) }
        })
    }

    /// Copies a range of elements to the host, untimed: through page-locked memory, piece by piece,
    /// and from there with all cores. Waits for all work that was started before.
    ///
    /// # Errors
    /// If the driver refuses, or something went wrong on the device before.
    pub fn read_back<T: Pod + Default + Send + Sync>(
        &self,
        from: &DeviceBuffer<T>,
        elements: Range<usize>,
    ) -> Result<Vec<T>, DeviceError> {
        let piece = (FETCHED_BYTES / size_of::<T>()).min(elements.len());
        let mut stage = self.pinned::<T>(piece)?;
        let mut read_back = parallel::par_default(elements.len());
        let mut first = elements.start;
        for part in read_back.chunks_mut(piece.max(1)) {
            self.download_part(stage.part_mut(0..part.len()), from, first)?;
            self.finish()?;
            parallel::copy(part, &stage[..part.len()]);
            first += part.len();
        }
        Ok(read_back)
    }

    /// Creates a buffer on the device with these elements, and waits until they are there.
    pub fn table<T: Pod>(&self, elements: &[T]) -> Result<DeviceBuffer<T>, DeviceError> {
        let table = self.buffer(elements.len())?;
        let copied = self.upload(&table, elements);
        // Waited for in any case: neither side may be freed before.
        self.finish()?;
        copied.map(|()| table)
    }
}
