//! Files of little-endian 4-byte words, without a header.

use std::fs;
use std::path::Path;

use generators::DataError;
use text::Untrusted;

/// Reads all words of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u32>, DataError> {
    let bytes = fs::read(path).map_err(|error| DataError::io(path, error))?;
    let (words, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(DataError::Shape(format!(
            "{}: {} bytes are no whole words of 4",
            path.escaped(),
            bytes.len()
        )));
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// Writes a file of words.
pub(crate) fn write(path: &Path, words: &[u32]) -> Result<(), DataError> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    files::write(path, bytes).map_err(|error| DataError::io(path, error))
}
