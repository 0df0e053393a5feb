//! Archives of Boost.Serialization, which CBM's timeslices are kept in, by their first bytes.

/// The text that all archives of Boost.Serialization begin with, after its length.
pub const SIGNATURE: &[u8; 22] = b"serialization::archive";
/// Bytes that identify an archive.
pub const START_BYTES: usize = 8 + SIGNATURE.len();

/// True for the first bytes of an archive.
pub fn is_archive(first: &[u8]) -> bool {
    first.starts_with(&(SIGNATURE.len() as u64).to_le_bytes())
        && first.get(8..8 + SIGNATURE.len()).is_some_and(|text| text == SIGNATURE)
}
