//! Pages of the TPC as ALICE has them on disk: dumps of the readout's memory (`.raw`), time frames
//! (`.tf`), and dumps of O2's stand-alone benchmark (`event.N.dump`).
//!
//! All of them are read by their content, whatever their name. `docs/files.md` describes which
//! pages count, and what is checked.
//!
//! | module | content |
//! |---|---|
//! | `bytes` | a file that is read piece by piece |
//! | `chain` | pages, each of which states where the next one begins |
//! | `collected` | pages by stream, packet counters, and remarks |
//! | `first_orbit` | the orbit of time bin 0 |
//! | `time_frame_file`, `dump` | the two formats around pages |

mod bytes;
mod chain;
mod collected;
mod dump;
mod first_orbit;
mod time_frame_file;

use std::path::Path;

pub use collected::PageRemarks;
pub(super) use collected::examine;

use self::bytes::Bytes;
use self::collected::Collected;
use super::PageSelection;
use crate::DataError;
use crate::io::file::open_sniffed;
use crate::io::flesnet::is_archive;
use crate::tpc::pages::RawPages;

/// First bytes that identify a file.
const START_BYTES: usize = 64;

/// Reads the pages of a file of ALICE's: streams are those of the pages' FEE ids. Pages of other
/// detectors and links are passed over; copies of the others have the RDH version and the link that
/// decoders expect.
///
/// # Errors
/// If the file can't be read, is of another kind, or has no page of zero-suppressed TPC data of the
/// selected sector.
pub fn read_tpc_file(
    path: &Path,
    selection: PageSelection,
) -> Result<(RawPages, PageRemarks), DataError> {
    let (first, source) = open_sniffed::<START_BYTES>(path)?;
    if is_archive(&first) {
        let problem = "it is an archive of FLESnet (CBM), without pages of the TPC";
        return Err(DataError::format(path, "byte 0", problem));
    }
    let mut bytes = Bytes::new(path, source);
    let mut collected = Collected::new(selection);
    if time_frame_file::is_one(&first) {
        time_frame_file::read(&mut bytes, &mut collected)?;
    } else if dump::is_one(&first) {
        dump::read(&mut bytes, &mut collected)?;
    } else {
        chain::read(&mut bytes, None, &mut collected)?;
    }
    collected.finish(path)
}
