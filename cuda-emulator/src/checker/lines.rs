//! Program counters to lines of kernels, from the debug information that the
//! kernels' objects bring into the program.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use addr2line::Loader;

use crate::error::SourceLine;

/// The program itself.
const PROGRAM: &str = "/proc/self/exe";
/// Prefix of the folder of the crate whose kernels they are.
const ROOT: &str = "/./";
/// Helper functions of kernels: reports name the location of their call.
const HELPERS: [&str; 4] = ["memory.h", "collectives.h", "numbers.h", "portable.h"];

/// Address range of the program in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Image {
    /// Difference between addresses in memory and in the file.
    bias: usize,
    /// All of it.
    pub(super) addresses: Range<usize>,
}

impl Image {
    /// The running program.
    pub(super) fn for_this_program() -> Self {
        let mut image = Image::default();
        // SAFETY: the callback gets the pointer to `image`, which outlives the call and has no
        // other user during it.
        unsafe { libc::dl_iterate_phdr(Some(first_image), (&raw mut image).cast()) };
        image
    }

    /// A program counter that fits a trace; never 0, which means none.
    pub(super) fn shorten(&self, pc: usize) -> u32 {
        u32::try_from(pc.wrapping_sub(self.bias)).map_or(u32::MAX, |pc| pc.max(1))
    }

    /// The line of a kernel that returns to a shortened program counter.
    pub(super) fn line(&self, pc: u32) -> SourceLine {
        // The call precedes the return address.
        find_line(u64::from(pc) - 1).unwrap_or_default()
    }
}

/// Notes the first image, the program's, and stops.
unsafe extern "C" fn first_image(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    image: *mut c_void,
) -> c_int {
    // SAFETY: the C library gives a valid description, and `of_this_program` the
    // image.
    let (info, image) = unsafe { (&*info, &mut *image.cast::<Image>()) };
    // SAFETY: the C library describes `dlpi_phnum` headers at `dlpi_phdr`, valid during this call.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let starts = loaded.clone().map(|header| header.p_vaddr as usize);
    let ends = loaded.map(|header| header.p_vaddr as usize + header.p_memsz as usize);
    let start = starts.min().unwrap_or(0);
    let end = ends.max().unwrap_or(0);
    image.bias = info.dlpi_addr as usize;
    image.addresses = image.bias + start..image.bias + end;
    1
}

fn find_line(address: u64) -> Option<SourceLine> {
    let program = Loader::new(PROGRAM).ok()?;
    let mut frames = program.find_frames(address).ok()?;
    let mut found = None;
    while let Ok(Some(frame)) = frames.next() {
        let location = frame.location?;
        let file = location.file?;
        found =
            Some(SourceLine { file: from_root(file).to_owned(), line: location.line.unwrap_or(0) });
        if !HELPERS.iter().any(|helper| file.ends_with(helper)) {
            break;
        }
    }
    found
}

fn from_root(file: &str) -> &str {
    file.rsplit_once(ROOT).map_or(file, |(_, own)| own)
}
