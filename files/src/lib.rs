//! Files that are replaced atomically, and are read within limits.
//!
//! **Atomic replacement**: a reader during the write, or after a kill or a full disk, sees the old
//! content or the new one.
//!
//! An [`AtomicFile`] is written next to the file, under a name that no program looks for, and replaces it
//! when it is finished. A path that is not a regular file (a device, a pipe, a terminal) is written
//! to directly. Drafts of killed processes are removed by the next one for the same file.
//!
//! **Limited reading**: [`Lines`] refuses a line that is too long, [`read_text`] a text. Files may
//! be damaged or malicious; reading one must not take more memory than its type deserves.

mod atomic_file;
mod limited;
mod target;

use std::io::{self, BufWriter, Write};
use std::path::Path;

pub use atomic_file::{AtomicFile, clean};
pub use limited::{LARGEST_DOCUMENT, LARGEST_RECORD, LONGEST_LINE, Lines, read_text, text_of};
pub use target::{Links, create_folder, folder_of, sync_folder};

/// Writes a file that a user named: links are followed to the replaced file. The content is on disk
/// when this returns.
///
/// # Errors
/// If it can't be written; the file is unchanged then.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    write_by(path, |file| file.write_all(content.as_ref()))
}

/// Writes a file that a user named, piece by piece: links are followed to the replaced file. The
/// content is on disk when this returns.
///
/// # Errors
/// If it can't be written, or those of `content`; the file is unchanged then.
pub fn write_by(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(AtomicFile::new(path, Links::Followed)?);
    content(&mut file)?;
    file.into_inner()?.finish()
}

/// Writes a file in a folder of this program: a link there is replaced, whatever its target. The
/// content is on disk when this returns.
///
/// # Errors
/// If it can't be written; the file is unchanged then.
pub fn write_own(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut draft = AtomicFile::new(path, Links::Replaced)?;
    draft.write_all(content.as_ref())?;
    draft.finish()
}
