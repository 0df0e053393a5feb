//! Writing archives.

use std::io::{self, Write};
use std::path::Path;

use generators_common::DataError;
use generators_common::io::archive::SIGNATURE;
use generators_common::io::file::{self, Sink};
use generators_common::io::zstd_frame;

use super::header::SIZES;
use super::runs::numbered;
use crate::raw::{Component, RawData, RawTimeslice};

/// Version of Boost's archives: of Boost 1.73 to 1.75, which later ones read.
const ARCHIVE: u16 = 18;
/// Class versions of the archive, timeslice and component descriptors.
const VERSIONS: [u32; 3] = [2, 2, 1];
/// Bytes of a zstd frame's content: frames are compressed in memory.
const FRAME_BYTES: usize = 16 << 20;
/// Level of compression that FLESnet uses.
const ZSTD_LEVEL: i32 = 1;

/// Options of written archives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArchiveShape {
    /// Compressed by zstd.
    pub zstd: bool,
    /// Duration of a timeslice in ns; 0 if it is not known.
    pub duration_ns: u64,
    /// Timeslices of a file, for names with `%n`.
    pub timeslices_of_file: u64,
}

/// Writes raw data as a timeslice archive, or as a sequence of archives if the name has `%n`.
///
/// # Errors
/// If a file can't be written; it is then as it was.
pub fn write_archive(path: &Path, data: &RawData, shape: ArchiveShape) -> Result<(), DataError> {
    let of_file = shape.timeslices_of_file.max(1) as usize;
    let Some(name) = numbered(path) else {
        return write_file(path, data.timeslices(), shape);
    };
    let files = data.len().div_ceil(of_file).max(1);
    for number in 0..files {
        let timeslices = data.timeslices().skip(number * of_file).take(of_file);
        write_file(&name(number as u64), timeslices, shape)?;
    }
    Ok(())
}

fn write_file<'d, C: ExactSizeIterator<Item = Component<'d>>>(
    path: &Path,
    timeslices: impl Iterator<Item = (RawTimeslice, C)>,
    shape: ArchiveShape,
) -> Result<(), DataError> {
    file::write_file(path, |sink| write(sink, timeslices, shape))
}

fn write<'d, C: ExactSizeIterator<Item = Component<'d>>>(
    sink: &mut Sink,
    timeslices: impl Iterator<Item = (RawTimeslice, C)>,
    shape: ArchiveShape,
) -> io::Result<()> {
    let mut header = Vec::new();
    text(&mut header, SIGNATURE);
    header.extend(ARCHIVE.to_le_bytes());
    header.extend(SIZES);
    header.extend(1_u32.to_le_bytes());
    mark(&mut header, VERSIONS[0]);
    header.extend(0_u32.to_le_bytes());
    header.extend(u32::from(shape.zstd).to_le_bytes());
    header.extend(0_u64.to_le_bytes());
    text(&mut header, b"");
    text(&mut header, b"");
    sink.write_all(&header)?;
    let mut body = Body { marks: Marks::default(), bytes: Vec::new() };
    for (timeslice, components) in timeslices {
        body.timeslice(timeslice, components, shape.duration_ns);
        if !shape.zstd {
            sink.write_all(&body.bytes)?;
            body.bytes.clear();
        } else if body.bytes.len() >= FRAME_BYTES {
            body.write_frame(sink)?;
        }
    }
    if shape.zstd {
        body.write_frame(sink)?;
    }
    Ok(())
}

/// Classes that have an object already.
#[derive(Default)]
struct Marks {
    timeslice: bool,
    component: bool,
}

/// Timeslices that are not written yet.
struct Body {
    marks: Marks,
    bytes: Vec<u8>,
}

impl Body {
    fn timeslice<'d>(
        &mut self,
        timeslice: RawTimeslice,
        components: impl ExactSizeIterator<Item = Component<'d>>,
        duration_ns: u64,
    ) {
        let components: Vec<_> = components.collect();
        let count = components.len();
        let is_first = !std::mem::replace(&mut self.marks.timeslice, true);
        let out = &mut self.bytes;
        if is_first {
            mark(out, 0);
            mark(out, VERSIONS[1]);
        }
        for value in [timeslice.index, timeslice.start_ns, duration_ns] {
            out.extend(value.to_le_bytes());
        }
        out.extend(0_u32.to_le_bytes());
        out.extend(0_u64.to_le_bytes());
        out.extend(timeslice.core_microslices.to_le_bytes());
        out.extend((count as u32).to_le_bytes());
        vector(out, is_first, count, 0);
        for component in &components {
            text(out, component.block());
        }
        vector(out, is_first, count, VERSIONS[2]);
        for component in components {
            if !std::mem::replace(&mut self.marks.component, true) {
                mark(out, VERSIONS[2]);
            }
            let bytes = component.block().len() as u64;
            for value in [timeslice.index, 0, bytes, component.microslices() as u64] {
                out.extend(value.to_le_bytes());
            }
            out.extend(0_u32.to_le_bytes());
        }
    }

    /// Writes what there is as a frame of zstd.
    fn write_frame(&mut self, sink: &mut Sink) -> io::Result<()> {
        sink.write_all(&zstd_frame(&self.bytes, ZSTD_LEVEL)?)?;
        self.bytes.clear();
        Ok(())
    }
}

/// A class mark: no tracking, and the class version.
fn mark(out: &mut Vec<u8>, version: u32) {
    out.push(0);
    out.extend(version.to_le_bytes());
}

/// Beginning of a vector of a class.
fn vector(out: &mut Vec<u8>, is_first: bool, count: usize, item_version: u32) {
    if is_first {
        mark(out, 0);
    }
    out.extend((count as u64).to_le_bytes());
    out.extend(item_version.to_le_bytes());
}

/// A text or a vector of bytes.
fn text(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}
