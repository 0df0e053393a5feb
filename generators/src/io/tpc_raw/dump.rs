//! Dumps of O2's stand-alone benchmark (`event.N.dump`) with raw pages.

use super::collected::Collected;
use super::file_page::{FilePage, header_of};
use crate::DataError;
use crate::io::source::Source;
use crate::tpc::geometry::{ENDPOINTS, SECTORS};
use crate::tpc::page::PAGE_BYTES;

const MAGIC: &[u8; 4] = b"CAv1";
/// Geometry of O2's data; that of AliRoot is 1.
const GEOMETRY_OF_O2: u32 = 2;
/// Record types.
const RAW_PAGES: u32 = 14;
const COMPRESSED_CLUSTERS: u32 = 12;
const SETTINGS: u32 = 19;

/// Names of other record types that dumps begin with.
const OTHERS: [(u32, &str); 5] = [
    (0, "cluster data"),
    (9, "raw clusters"),
    (10, "native clusters"),
    (13, "digits"),
    (COMPRESSED_CLUSTERS, "compressed clusters"),
];

/// True for the first bytes of a dump.
pub(super) fn is_one(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// Collects the pages of a dump.
///
/// # Errors
/// If the file can't be read, begins with another record, is cut, or its counts do not add up.
pub(super) fn read(source: &mut Source<'_>, collected: &mut Collected) -> Result<(), DataError> {
    let [_magic, geometry] = source.u32s("header")?;
    if geometry != GEOMETRY_OF_O2 {
        let problem = format!("geometry {geometry}, not {GEOMETRY_OF_O2} (O2)");
        return Err(source.at(4, problem));
    }
    let [kind] = source.u32s("first record")?;
    if kind != RAW_PAGES {
        let known = OTHERS.iter().find(|(known, _)| *known == kind);
        let name = known.map_or_else(|| format!("record {kind}"), |(_, name)| (*name).to_owned());
        return Err(source.at(8, format!("it begins with {name}, and has no raw pages")));
    }
    let pages = read_pages(source)?;
    read_rest(source, collected)?;
    pages.into_iter().for_each(|page| collected.add(page));
    Ok(())
}

/// Reads the pages, and the number of pages of each stream behind them.
fn read_pages(source: &mut Source<'_>) -> Result<Vec<FilePage>, DataError> {
    let [length] = source.u64s("pages")?;
    if !length.is_multiple_of(PAGE_BYTES as u64) {
        let problem = format!("{length} bytes of pages are no whole pages of {PAGE_BYTES} bytes");
        return Err(source.here(problem));
    }
    let mut pages = Vec::new();
    for _ in 0..length / PAGE_BYTES as u64 {
        let start = source.offset();
        let slot = source.required::<PAGE_BYTES>("pages")?;
        pages.push(FilePage { rdh: header_of(&slot), slot, start });
        source.check_kept((pages.len() * PAGE_BYTES) as u64)?;
    }
    let mut counted = 0_u64;
    for _ in 0..SECTORS * ENDPOINTS {
        let [count] = source.u32s("counts of pages")?;
        counted += u64::from(count);
    }
    if counted != pages.len() as u64 {
        let problem = format!("the counts of pages add up to {counted}, not {}", pages.len());
        return Err(source.here(problem));
    }
    Ok(pages)
}

/// Reads the records behind the pages: compressed clusters are passed over, and settings have the
/// first orbit.
fn read_rest(source: &mut Source<'_>, collected: &mut Collected) -> Result<(), DataError> {
    while let Some(kind) = source.array::<4>()?.map(u32::from_le_bytes) {
        match kind {
            COMPRESSED_CLUSTERS => {
                let [length] = source.u64s("compressed clusters")?;
                if !source.skip(length)? {
                    return Err(source.here("the file ends here, within its compressed clusters"));
                }
            }
            SETTINGS => {
                let [_count, has_first_orbit, first_orbit] = source.u32s("settings")?;
                source.required::<24>("settings")?;
                if has_first_orbit == 1 {
                    collected.state_first_orbit(first_orbit);
                }
                return Ok(());
            }
            // Tracks, labels and the TRD are not needed, and nothing behind them is.
            _ => return Ok(()),
        }
    }
    Ok(())
}
