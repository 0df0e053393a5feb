//! Copies between host and device through staging buffers, which one side owns at a time: the host
//! copies from and to them with all cores, and they are reused.

use std::ops::Range;

use wgpu::{Buffer, BufferDescriptor, BufferUsages, CommandEncoder, Device, MapMode, PollType};

use super::allocations::Location;

/// Large copies are divided into pieces, so that host and device copy at the same time.
pub(super) const PIECE: usize = 32 << 20;
/// Minimum size of a staging buffer.
const MIN_BYTES: usize = 4 << 10;
/// Maximum ratio of a buffer's size to the size of a copy.
const MAX_WASTE: u64 = 4;
/// Copies are of full words.
pub(super) const WORD: usize = 4;

/// Buffers between host and device.
#[derive(Default)]
pub(super) struct Staging {
    /// Mapped for the host to write.
    to_write: Vec<Buffer>,
    /// Sources of pending uploads.
    written: Vec<Buffer>,
    /// Not in use.
    to_read: Vec<Buffer>,
    /// Targets of pending downloads.
    downloads: Vec<Download>,
}

/// A copy to the host.
struct Download {
    buffer: Buffer,
    /// Range of the requested bytes in the buffer.
    part: Range<usize>,
    to: *mut u8,
}

// SAFETY: the caller of `download` promises that the host memory stays until the copy is done.
unsafe impl Send for Download {}

impl Staging {
    /// Starts a copy of some bytes, at most a piece, to the device; bytes after them up to a full
    /// word are copied too, with arbitrary values.
    pub(super) fn upload(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        to: Location<'_>,
        bytes: &[u8],
    ) -> Option<()> {
        let padded = bytes.len().next_multiple_of(WORD) as u64;
        let buffer = take_fitting(&mut self.to_write, bytes.len()).unwrap_or_else(|| {
            let usage = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
            new_buffer(device, usage, bytes.len())
        });
        let mut view = buffer.get_mapped_range_mut(0..padded).ok()?;
        let start = view.slice(..).as_raw_element_ptr().as_ptr();
        // SAFETY: that many bytes are mapped there, and no other code has them until the view is
        // dropped. They are written, not read.
        let target = unsafe { std::slice::from_raw_parts_mut(start, bytes.len()) };
        parallel::copy(target, bytes);
        drop(view);
        buffer.unmap();
        encoder.copy_buffer_to_buffer(&buffer, 0, to.buffer, to.offset, padded);
        self.written.push(buffer);
        Some(())
    }

    /// Starts a copy to the host, at most a piece, which [`Staging::deliver`] completes.
    pub(super) fn download(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        from: Location<'_>,
        to: *mut u8,
        bytes: usize,
    ) {
        let skipped = from.offset as usize % WORD;
        let padded = (skipped + bytes).next_multiple_of(WORD);
        let buffer = take_fitting(&mut self.to_read, padded).unwrap_or_else(|| {
            new_buffer(device, BufferUsages::MAP_READ | BufferUsages::COPY_DST, padded)
        });
        let start = from.offset - skipped as u64;
        encoder.copy_buffer_to_buffer(from.buffer, start, &buffer, 0, padded as u64);
        self.downloads.push(Download { buffer, part: skipped..skipped + bytes, to });
    }

    /// Bytes of pending copies.
    pub(super) fn under_way(&self) -> u64 {
        let down = self.downloads.iter().map(|download| download.buffer.size());
        self.written.iter().map(Buffer::size).chain(down).sum()
    }

    /// Maps the downloads, once they are submitted: waiting for the device then completes the
    /// mapping.
    pub(super) fn ask(&self) {
        for Download { buffer, .. } in &self.downloads {
            buffer.map_async(MapMode::Read, .., |_| {});
        }
    }

    /// Copies downloads to their targets and takes back all buffers, once the device was waited
    /// for. `None` if a mapping failed.
    pub(super) fn deliver(&mut self, device: &Device) -> Option<()> {
        let mut all = Some(());
        for Download { buffer, part, to } in self.downloads.drain(..) {
            let padded = 0..part.end.next_multiple_of(WORD) as u64;
            match buffer.get_mapped_range(padded) {
                Ok(view) => {
                    // SAFETY: the caller of `download` promised that many bytes there.
                    let to = unsafe { std::slice::from_raw_parts_mut(to, part.len()) };
                    parallel::copy(to, &view[part]);
                }
                Err(_) => all = None,
            }
            buffer.unmap();
            self.to_read.push(buffer);
        }
        if self.written.is_empty() {
            return all;
        }
        for buffer in &self.written {
            buffer.map_async(MapMode::Write, .., |_| {});
        }
        device.poll(PollType::Poll).ok()?;
        self.to_write.append(&mut self.written);
        all
    }
}

/// Removes a buffer that fits.
fn take_fitting(buffers: &mut Vec<Buffer>, bytes: usize) -> Option<Buffer> {
    let bytes = size_for(bytes);
    let fits = |buffer: &Buffer| (bytes..=MAX_WASTE * bytes).contains(&buffer.size());
    let at = buffers.iter().position(fits)?;
    Some(buffers.swap_remove(at))
}

/// Creates a buffer, mapped at once if the host writes it.
fn new_buffer(device: &Device, usage: BufferUsages, bytes: usize) -> Buffer {
    let mapped_at_creation = usage.contains(BufferUsages::MAP_WRITE);
    let size = size_for(bytes);
    device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation })
}

fn size_for(bytes: usize) -> u64 {
    bytes.max(MIN_BYTES).next_power_of_two() as u64
}
