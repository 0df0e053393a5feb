//! The files of a run as bytes: their hash, and a copy of them.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::HistoryError;
use super::store::{create_folder, write_new};
use crate::store::{RUN, SAMPLES, SUMMARY, read_file};

/// What every run consists of.
pub(super) const FILES: [&str; 3] = [RUN, SAMPLES, SUMMARY];

/// What runs of earlier versions may have beside: samples that were repeated.
const REPEATED: &str = "disturbed.csv";

/// The files of a run with their bytes: those that every run has, and those that it happens to
/// have.
fn files(folder: &Path) -> impl Iterator<Item = Result<(&'static str, Vec<u8>), HistoryError>> {
    let optional = Some(REPEATED).filter(|name| folder.join(name).exists());
    let names = FILES.into_iter().chain(optional);
    names.map(|name| Ok((name, read_file(&folder.join(name))?)))
}

/// The SHA-256 of names, lengths and bytes of the files, in hexadecimal.
pub(super) fn hash(folder: &Path) -> Result<String, HistoryError> {
    let mut hash = Sha256::new();
    for file in files(folder) {
        let (name, bytes) = file?;
        hash.update(name.as_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hex(&hash.finalize()))
}

/// Copies the files into a new folder, and waits until they are on disk.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), HistoryError> {
    create_folder(to)?;
    files(from)
        .try_for_each(|file| file.and_then(|(name, bytes)| write_new(&to.join(name), &bytes)))
}

/// A short hash of a text, in hexadecimal.
pub(super) fn short_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..8])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
