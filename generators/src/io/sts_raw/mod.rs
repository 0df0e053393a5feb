//! Raw data of the STS, and digis that were unpacked from them: binary, gzipped if the name ends in
//! `.gz`.
//!
//! `docs/unpack.md` describes both formats.
//!
//! | module | content |
//! |---|---|
//! | `timeslices` | raw data |
//! | `unpacked` | digis and counters |
//! | `ordered_hash` | a hash of digis that does not depend on the order of equal digis |

mod ordered_hash;
mod timeslices;
mod unpacked;

pub(super) use timeslices::{append_timeslices, is_raw_timeslices};
pub use timeslices::{read_raw_timeslices, write_raw_timeslices};
pub use unpacked::{read_unpacked, write_unpacked};

use std::path::Path;

use super::file::check_binary;
use crate::DataError;

/// Checks that raw data can be in a file of this name; call it before they are generated.
///
/// # Errors
/// If the ending is not `.bin` or `.bin.gz`.
pub fn check_raw_file(path: &Path) -> Result<(), DataError> {
    check_binary(path, "raw data")
}
