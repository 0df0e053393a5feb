//! The files of a run as bytes: hash and copy.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::HistoryError;
use super::store::create_folder;
use crate::store::{RUN, SAMPLES, SUMMARY, open_file};

/// Files of every run.
pub(super) const FILES: [&str; 3] = [RUN, SAMPLES, SUMMARY];

/// Optional file of runs of earlier versions: samples that were repeated.
const REPEATED: &str = "disturbed.csv";

/// The files of a run, opened: the required ones, and optional ones that exist.
fn files(folder: &Path) -> impl Iterator<Item = Result<(&'static str, File), HistoryError>> {
    let optional = Some(REPEATED).filter(|name| folder.join(name).exists());
    let names = FILES.into_iter().chain(optional);
    names.map(|name| Ok((name, open_file(&folder.join(name))?)))
}

/// The SHA-256 of names, lengths and bytes of the files, in hexadecimal.
pub(super) fn hash(folder: &Path) -> Result<String, HistoryError> {
    let mut hash = Sha256::new();
    for file in files(folder) {
        let (name, file) = file?;
        hash.update(name.as_bytes());
        let read = add(&mut hash, file);
        read.map_err(|source| HistoryError::io(&folder.join(name), source))?;
    }
    Ok(hex(&hash.finalize()))
}

/// Hashes the length and the bytes of a file, block by block.
fn add(hash: &mut Sha256, file: File) -> io::Result<()> {
    hash.update(file.metadata()?.len().to_le_bytes());
    let mut file = BufReader::with_capacity(1 << 20, file);
    loop {
        let portion = file.fill_buf()?;
        if portion.is_empty() {
            return Ok(());
        }
        hash.update(portion);
        let count = portion.len();
        file.consume(count);
    }
}

/// Copies the files into a new folder, and waits until they are on disk.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), HistoryError> {
    create_folder(to)?;
    files(from).try_for_each(|file| {
        let (name, mut file) = file?;
        let path = to.join(name);
        let copied = File::create_new(&path).and_then(|mut copy| {
            io::copy(&mut file, &mut copy)?;
            copy.sync_all()
        });
        copied.map_err(|source| HistoryError::io(&path, source))
    })
}

/// A short hash of a text, in hexadecimal.
pub(crate) fn short_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..8])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
