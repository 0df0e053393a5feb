//! Pages of the TPC as ALICE has them on disk: dumps of the readout's memory (`.raw`), time frames
//! (`.tf`), and dumps of O2's stand-alone benchmark (`event.N.dump`).
//!
//! All of them are read by their content, whatever their name. `docs/files.md` describes which
//! pages count, and what is checked.
//!
//! | module | content |
//! |---|---|
//! | `chain` | pages, each of which states where the next one begins |
//! | `collected` | pages by stream, packet counters, and remarks |
//! | `first_orbit` | the orbit of time bin 0 |
//! | `containers` | the two formats around pages |

mod chain;
mod collected;
mod containers;
mod first_orbit;

use std::path::Path;

pub(super) use collected::examine;
pub use collected::{PageRemarks, headers_alone};
pub(super) use first_orbit::{OrbitWindow, Orbits};

use generators_common::DataError;
use generators_common::io::archive::is_archive;
use generators_common::io::file::{open_pieces, open_sniffed, sniff};
use generators_common::io::source::Source;
use generators_common::io::{FileName, is_standard_input};

use super::PageSelection;
use crate::pages::RawPages;
use collected::{Collected, PageFilter};

/// First bytes that identify a file.
const START_BYTES: usize = 64;

/// True if a file has pages of ALICE's, by its first bytes.
///
/// # Errors
/// If the file can't be opened or read.
pub fn is_tpc_file(path: &Path) -> Result<bool, DataError> {
    let first = sniff::<START_BYTES>(path)?;
    Ok(containers::is_time_frame_file(&first)
        || containers::is_dump(&first)
        || chain::is_one(&first))
}

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
    let (first, opened) = open_sniffed::<START_BYTES>(path)?;
    if is_archive(&first) {
        let problem = "it is an archive of FLESnet (CBM), without pages of the TPC";
        return Err(DataError::format(path, "byte 0", problem));
    }
    let mut source = Source::opened(path, opened);
    let frames = selection.frames.clone();
    let mut collected = Collected::new(selection.clone(), PageFilter::All);
    if containers::is_time_frame_file(&first) {
        let count =
            containers::read_time_frames(&mut source, &frames.consecutive(), &mut collected)?;
        frames.time_frames(path, count)?;
    } else if containers::is_dump(&first) {
        frames.time_frames(path, 1)?;
        containers::read_dump(&mut source, &mut collected)?;
    } else if frames.is_all() {
        chain::read(&mut source, None, &mut collected)?;
    } else {
        collected = within_time_frames(source, selection)?;
    }
    collected.finish(path)
}

/// Collects the pages of the selected time frames: orbits are surveyed first, as pages of different
/// links may be in any order.
fn within_time_frames(
    mut source: Source<'_>,
    selection: PageSelection,
) -> Result<Collected, DataError> {
    let path = source.path();
    check_reopens(path)?;
    let mut survey = Collected::new(selection.clone(), PageFilter::None);
    chain::read(&mut source, None, &mut survey)?;
    let window = survey.into_orbits().window(path, &selection.frames)?;
    let first_orbit = window.first_orbit();
    let mut collected = Collected::new(selection, PageFilter::Within(window));
    if let Some(orbit) = first_orbit {
        collected.state_first_orbit(orbit);
    }
    chain::read(&mut Source::opened(path, open_pieces(path)?), None, &mut collected)?;
    Ok(collected)
}

/// Checks that a file can be read twice.
pub(super) fn check_reopens(path: &Path) -> Result<(), DataError> {
    if !is_standard_input(path) {
        let metadata = std::fs::metadata(path).map_err(|source| DataError::io(path, source))?;
        if metadata.is_file() {
            return Ok(());
        }
    }
    let path = FileName(path);
    let problem = format!("{path}: time frames can be selected in a file, not in a pipe");
    Err(DataError::shape(problem))
}
