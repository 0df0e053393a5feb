//! Copies between host and device. What the device copies lies in buffers that one side has at a
//! time: the host copies to and from those, with all cores, and each of them is used again.

use std::ops::Range;

use wgpu::{Buffer, BufferDescriptor, BufferUsages, CommandEncoder, Device, MapMode, PollType};

use crate::all_cores;

/// Large copies go in pieces, so that host and device copy at the same time.
pub(super) const PIECE: usize = 32 << 20;
/// Smaller buffers are not worth it.
const LEAST: usize = 4 << 10;
/// A buffer may be so many times larger than what is copied.
const LARGEST_WASTE: u64 = 4;
/// Copies are of whole words.
pub(super) const WORD: usize = 4;

/// Buffers between host and device.
#[derive(Default)]
pub(super) struct Staging {
    /// The host has them, to write.
    to_write: Vec<Buffer>,
    /// The device copies from them.
    written: Vec<Buffer>,
    /// Nobody has them.
    to_read: Vec<Buffer>,
    /// The device copies to them.
    downloads: Vec<Download>,
}

/// A copy to the host.
struct Download {
    buffer: Buffer,
    /// Where what is wanted lies in it.
    part: Range<usize>,
    to: *mut u8,
}

// SAFETY: whoever started the copy vouches for the place on the host until it is done.
unsafe impl Send for Download {}

impl Staging {
    /// A copy to the device of some bytes, no more than a piece; those behind them up to a whole
    /// word are copied too, whatever they are.
    pub(super) fn upload(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        (to, offset): (&Buffer, u64),
        bytes: &[u8],
    ) -> Option<()> {
        let whole = bytes.len().next_multiple_of(WORD) as u64;
        let buffer = taken(&mut self.to_write, bytes.len()).unwrap_or_else(|| {
            let usage = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
            made(device, usage, bytes.len())
        });
        let mut view = buffer.get_mapped_range_mut(0..whole).ok()?;
        let start = view.slice(..).as_raw_element_ptr().as_ptr();
        // SAFETY: so many bytes are mapped there, and nobody else has them until the view is
        // dropped. They are written, not read.
        let place = unsafe { std::slice::from_raw_parts_mut(start, bytes.len()) };
        all_cores::copy(place, bytes);
        drop(view);
        buffer.unmap();
        encoder.copy_buffer_to_buffer(&buffer, 0, to, offset, whole);
        self.written.push(buffer);
        Some(())
    }

    /// A copy to the host, no more than a piece, which [`Staging::deliver`] ends.
    pub(super) fn download(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        (from, offset): (&Buffer, u64),
        (to, bytes): (*mut u8, usize),
    ) {
        let skipped = offset as usize % WORD;
        let whole = (skipped + bytes).next_multiple_of(WORD);
        let buffer = taken(&mut self.to_read, whole).unwrap_or_else(|| {
            made(device, BufferUsages::MAP_READ | BufferUsages::COPY_DST, whole)
        });
        let start = offset - skipped as u64;
        encoder.copy_buffer_to_buffer(from, start, &buffer, 0, whole as u64);
        self.downloads.push(Download { buffer, part: skipped..skipped + bytes, to });
    }

    /// Bytes that are under way.
    pub(super) fn under_way(&self) -> u64 {
        let down = self.downloads.iter().map(|download| download.buffer.size());
        self.written.iter().map(Buffer::size).chain(down).sum()
    }

    /// Asks for what was copied to the host, once it is submitted: waiting for the device then
    /// brings it.
    pub(super) fn ask(&self) {
        for Download { buffer, .. } in &self.downloads {
            buffer.map_async(MapMode::Read, .., |_| {});
        }
    }

    /// Brings what was asked for to where it is wanted, and takes all buffers back, once the
    /// device was waited for. `None` if something did not arrive.
    pub(super) fn deliver(&mut self, device: &Device) -> Option<()> {
        let mut all = Some(());
        for Download { buffer, part, to } in self.downloads.drain(..) {
            let whole = 0..part.end.next_multiple_of(WORD) as u64;
            match buffer.get_mapped_range(whole) {
                Ok(view) => {
                    // SAFETY: whoever started the copy vouched for so many bytes there.
                    let to = unsafe { std::slice::from_raw_parts_mut(to, part.len()) };
                    all_cores::copy(to, &view[part]);
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

/// One of some buffers that fits.
fn taken(buffers: &mut Vec<Buffer>, bytes: usize) -> Option<Buffer> {
    let bytes = size_for(bytes);
    let fits = |buffer: &Buffer| (bytes..=LARGEST_WASTE * bytes).contains(&buffer.size());
    let at = buffers.iter().position(fits)?;
    Some(buffers.swap_remove(at))
}

/// A buffer that the host may write at once, if it is one for that.
fn made(device: &Device, usage: BufferUsages, bytes: usize) -> Buffer {
    let mapped_at_creation = usage.contains(BufferUsages::MAP_WRITE);
    let size = size_for(bytes);
    device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation })
}

fn size_for(bytes: usize) -> u64 {
    bytes.max(LEAST).next_power_of_two() as u64
}
