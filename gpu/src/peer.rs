//! Copies between devices.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytemuck::Pod;

use super::engine::PeerCopy;
use super::{DeviceBuffer, DeviceError, Gpu};

/// Bytes per piece of a copy that goes through the host.
const STAGED_BYTES: usize = 64 << 20;

impl Gpu {
    /// True if two handles are of the same device, opened once.
    pub fn is_same_device(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(self.memory(), other.memory())
    }

    /// Copies the first elements of a buffer of another device to a buffer of this one, up to the
    /// length of the shorter one.
    ///
    /// The copy runs in the queue of this handle, after all work that is in the queue of the handle
    /// `peer` so far, which in turn continues after the copy: so the source may be written, or
    /// dropped, by what follows in that queue. The host does not wait.
    ///
    /// Two GPUs with CUDA, or two with HIP, copy directly where the hardware can (NVLink, PCI
    /// Express), otherwise by the driver through the host; two emulators of one machine
    /// ([`Gpu::open_all`], [`Gpu::emulated_devices`]) copy as two GPUs do. All other pairs, wgpu's and
    /// those of different engines, copy through page-locked memory of the host, which waits.
    ///
    /// # Errors
    /// If a buffer belongs to another device, work is being recorded, or a driver refuses.
    pub fn copy_from_peer<T: Pod>(
        &self,
        to: &DeviceBuffer<T>,
        peer: &Gpu,
        from: &DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        for (gpu, buffer, what) in [(self, to, "target"), (peer, from, "source")] {
            if !buffer.is_of(gpu) {
                let device = gpu.properties().device.clone();
                return Err(DeviceError::OtherDevice { device, what });
            }
            if gpu.is_recording() {
                let problem = "a recording has one device";
                return Err(gpu.memory().failed("recording a copy between devices", problem));
            }
        }
        let bytes = from.bytes().min(to.bytes()) as usize;
        if bytes == 0 || from.address() == to.address() && self.is_same_device(peer) {
            return Ok(());
        }
        self.wait_for(&peer.record_event()?)?;
        if self.is_same_device(peer) {
            self.copy(to, from)?;
            return peer.wait_for(&self.record_event()?);
        }
        let copy = PeerCopy { to: to.address(), from: from.address(), bytes };
        let mut is_direct = false;
        let started = self.timed("p2p", 2 * bytes as u64, |engine, queue| {
            // SAFETY: both have that many bytes, on two devices. What frees either of them waits for
            // this queue, or for the peer's, which is made to wait for this one below.
            is_direct = unsafe { engine.copy_from_peer(queue, peer.engine(), copy) }?;
            Ok(())
        });
        if started.is_ok() && !is_direct {
            return self.copy_through_host(to, peer, from);
        }
        let ordered = self.record_event().and_then(|event| peer.wait_for(&event));
        let done = started.and(ordered);
        if done.is_err() {
            // The peer's queue may not know of the copy.
            let _ = self.wait();
        }
        done
    }

    /// Copies piece by piece through page-locked memory.
    fn copy_through_host<T: Pod>(
        &self,
        to: &DeviceBuffer<T>,
        peer: &Gpu,
        from: &DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        let elements = from.len().min(to.len());
        let piece = (STAGED_BYTES / size_of::<T>()).clamp(1, elements);
        let mut down = peer.pinned::<T>(piece)?;
        let mut up = self.pinned::<T>(piece)?;
        for first in (0..elements).step_by(piece) {
            let count = piece.min(elements - first);
            peer.download_part(down.part_mut(0..count), from, first)?;
            peer.wait()?;
            up[..count].copy_from_slice(&down[..count]);
            self.upload_part(to, first, up.part(0..count))?;
        }
        Ok(())
    }
}
