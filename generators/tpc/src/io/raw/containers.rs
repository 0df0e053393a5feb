//! Formats around pages: time frames of ALICE's event processing nodes (`.tf`), which are headers
//! and payloads, and dumps of O2's stand-alone benchmark (`event.N.dump`).

use std::ops::Range;

use generators_common::DataError;
use generators_common::io::source::Source;

use super::chain;
use super::collected::{Collected, FilePage, header_of};
use crate::geometry::{ENDPOINTS, SECTORS};
use crate::page::PAGE_BYTES;

const MAGIC: &[u8; 4] = b"O2O2";
/// Bytes of a header that are used, up to the first orbit.
const HEADER_BYTES: usize = 84;
/// Bytes of the oldest headers, which have no first orbit.
const MIN_HEADER_BYTES: u32 = 80;
/// More bytes than a header has.
const MAX_HEADER_BYTES: u32 = 1 << 12;
/// Maximum number of headers of a payload.
const MAX_HEADERS: usize = 16;
/// The version from which on headers have the first orbit.
const VERSION_WITH_ORBIT: u32 = 2;

/// A header of a payload.
struct Header {
    description: [u8; 16],
    origin: [u8; 4],
    payload_bytes: u64,
    /// 0 if it is not known.
    first_orbit: u32,
}

/// True for the first bytes of a file of time frames.
pub(super) fn is_time_frame_file(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// Collects the TPC's pages of the time frames with these indices; returns how many time frames
/// there are.
pub(super) fn read_time_frames(
    source: &mut Source<'_>,
    indices: &Range<u64>,
    collected: &mut Collected,
) -> Result<u64, DataError> {
    let mut time_frames = 0_u64;
    loop {
        let start = source.offset();
        let Some(header) = next_header(source)? else { break };
        if name(&header.description) == b"FILE_STF_META" {
            time_frames += 1;
        }
        let index = time_frames.saturating_sub(1);
        if header.first_orbit != 0 && index == indices.start {
            collected.state_first_orbit(header.first_orbit);
        }
        let is_of_tpc = name(&header.description) == b"RAWDATA" && name(&header.origin) == b"TPC";
        if is_of_tpc && indices.contains(&index) {
            chain::read(source, Some(header.payload_bytes), collected)?;
        } else if !source.skip(header.payload_bytes)? {
            collected.cut(start);
            break;
        }
    }
    let read = indices.start..indices.end.min(time_frames);
    collected.state_time_frames(read.end.saturating_sub(read.start));
    Ok(time_frames.max(1))
}

/// Reads the next header, with further ones that follow it; `None` at the end of the file.
fn next_header(source: &mut Source<'_>) -> Result<Option<Header>, DataError> {
    let mut first = None;
    for _ in 0..MAX_HEADERS {
        let start = source.offset();
        let Some(begin) = source.array::<16>()? else {
            return match (source.offset() - start, &first) {
                (0, None) => Ok(None),
                _ => Err(source.here("the file ends here, within a header")),
            };
        };
        if !begin.starts_with(MAGIC) {
            return Err(source.at(start, "no header of a time frame (O2O2) begins here"));
        }
        let [size, flags, version] = [4, 8, 12].map(|at| u32_at(&begin, at));
        if !(16..=MAX_HEADER_BYTES).contains(&size) {
            return Err(source.at(start, format!("the header has {size} bytes, not 80 to 4096")));
        }
        let mut rest = vec![0; size as usize - begin.len()];
        if source.fill(&mut rest)? < rest.len() {
            return Err(source.here("the file ends here, within a header"));
        }
        if first.is_none() {
            if size < MIN_HEADER_BYTES {
                let problem = format!("the header has {size} bytes, too few for a payload's");
                return Err(source.at(start, problem));
            }
            rest.resize(HEADER_BYTES, 0);
            let all = [&begin[..], &rest].concat();
            first = Some(payload_header(&all, version));
        }
        if flags & 1 == 0 {
            return Ok(first);
        }
    }
    Err(source.here(format!("more than {MAX_HEADERS} headers of a payload")))
}

fn payload_header(all: &[u8], version: u32) -> Header {
    Header {
        description: std::array::from_fn(|byte| all[32 + byte]),
        origin: std::array::from_fn(|byte| all[48 + byte]),
        payload_bytes: u64::from_le_bytes(std::array::from_fn(|byte| all[72 + byte])),
        first_orbit: if version >= VERSION_WITH_ORBIT { u32_at(all, 80) } else { 0 },
    }
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[offset + byte]))
}

/// A text without the zeros behind it.
fn name(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    &text[..end]
}

const DUMP_MAGIC: &[u8; 4] = b"CAv1";
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
pub(super) fn is_dump(first: &[u8]) -> bool {
    first.starts_with(DUMP_MAGIC)
}

/// Collects the pages of a dump.
pub(super) fn read_dump(
    source: &mut Source<'_>,
    collected: &mut Collected,
) -> Result<(), DataError> {
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
