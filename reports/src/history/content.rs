//! The files of a run as bytes: their hash, and a copy of them.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::HistoryError;
use super::durable;
use crate::store::{RUN, SAMPLES, SUMMARY, read_file};

/// What every run consists of.
pub(super) const FILES: [&str; 3] = [RUN, SAMPLES, SUMMARY];

/// What runs of earlier versions may have beside: samples that were repeated.
const REPEATED: &str = "disturbed.csv";

/// The files of a run: those that every run has, and those that it happens to
/// have.
pub(super) fn files(folder: &Path) -> impl Iterator<Item = &'static str> {
    let optional = [REPEATED].into_iter().filter(|name| folder.join(name).exists());
    FILES.into_iter().chain(optional)
}

/// The SHA-256 of names, lengths and bytes of the files, in hexadecimal.
pub(super) fn hash(folder: &Path) -> Result<String, HistoryError> {
    let mut hash = Sha256::new();
    for name in files(folder) {
        let path = folder.join(name);
        let bytes = read_file(&path)?;
        hash.update(name.as_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hex(&hash.finalize()))
}

/// Copies the files into a new folder, and waits until they are on disk.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), HistoryError> {
    durable::create_folder(to)?;
    for name in files(from) {
        let path = from.join(name);
        let bytes = read_file(&path)?;
        durable::write_new(&to.join(name), &bytes)?;
    }
    Ok(())
}

/// A short hash of a text, in hexadecimal.
pub(super) fn short_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..8])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
