//! Files that are there as a whole or not at all, and are read within limits.
//!
//! **Written as a whole**: whoever reads one while it is written, and
//! whoever finds it after a kill or a full disk, has the old content or the new one.
//!
//! A [`Draft`] is written beside the file, under a name that nobody looks for, and takes its place
//! when it is finished. What is no regular file (a device, a pipe, a terminal) is written to as it
//! is. Drafts that somebody left who was killed are taken away by the next one for the same file.
//!
//! **Read within limits**: [`Lines`] refuses a line that is too long, [`read_text`] a text. What
//! is read may be damaged, or made to do harm; it must not take more memory than it is worth.

mod draft;
mod durable;
mod left_over;
mod lines;
mod place;
mod text;

use std::io::{self, BufWriter, Write};
use std::path::Path;

pub use draft::Draft;
pub use durable::{create_folder, sync_folder};
pub use left_over::clean;
pub use lines::{LONGEST_LINE, Lines};
pub use place::{Links, folder_of};
pub use text::{LARGEST_DOCUMENT, LARGEST_RECORD, read_text, text_of};

/// Writes a file that somebody has named: links lead to what is replaced. What was written is on
/// the disk when this returns.
///
/// # Errors
/// If it can't be written; then it is as it was.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    write_by(path, |file| file.write_all(content.as_ref()))
}

/// The same by what is written piece by piece.
///
/// # Errors
/// As above, or those of `content`.
pub fn write_by(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(Draft::new(path, Links::Followed)?);
    content(&mut file)?;
    file.into_inner()?.finish()
}

/// Writes a file in a folder of ours: a link that lies there is replaced, wherever it leads. What
/// was written is on the disk when this returns.
///
/// # Errors
/// If it can't be written; then it is as it was.
pub fn write_own(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut draft = Draft::new(path, Links::Replaced)?;
    draft.write_all(content.as_ref())?;
    draft.finish()
}
