//! Pages one after the other, each of which states where the next one begins.

use generators_common::DataError;
use generators_common::io::source::Source;

use super::collected::{Collected, FilePage, OLDEST_VERSION, header_of};
use crate::page::PAGE_BYTES;
use crate::page::rdh::{RDH_BYTES, RDH_VERSION};

/// True for the first bytes of a page.
pub(super) fn is_one(first: &[u8]) -> bool {
    let versions = OLDEST_VERSION..=RDH_VERSION;
    matches!(first, [version, size, ..] if versions.contains(version) && usize::from(*size) == RDH_BYTES)
}

/// Collects the pages of the next `length` bytes, or of the rest of the file.
///
/// # Errors
/// If the file can't be read, or there is no page at its beginning. Where the chain ends later, the
/// pages before are collected, with a remark.
pub(super) fn read(
    source: &mut Source<'_>,
    length: Option<u64>,
    collected: &mut Collected,
) -> Result<(), DataError> {
    let end = length.map(|length| source.offset() + length);
    let mut is_first = true;
    while end.is_none_or(|end| source.offset() < end) {
        let start = source.offset();
        let Some(page) = next_page(source, start, is_first, collected)? else { break };
        is_first = false;
        collected.add(page);
        source.check_kept(collected.kept_bytes())?;
    }
    if let Some(end) = end
        && !source.skip(end.saturating_sub(source.offset()))?
    {
        collected.cut(source.offset());
    }
    Ok(())
}

/// Reads the next page; `None` at the end of the chain, which must not be at its beginning.
fn next_page(
    source: &mut Source<'_>,
    start: u64,
    is_first: bool,
    collected: &mut Collected,
) -> Result<Option<FilePage>, DataError> {
    let mut slot = [0; PAGE_BYTES];
    let read = source.fill(&mut slot[..RDH_BYTES])?;
    if read == 0 && !is_first {
        return Ok(None);
    }
    if let Some(problem) = problem_of_header(&slot, read) {
        let is_padding = slot[..read].iter().all(|&byte| byte == 0) && source.only_zeros()?;
        return match is_first {
            true => Err(source.at(start, problem)),
            false if is_padding => Ok(None),
            false => {
                collected.chain_ends(start, problem);
                Ok(None)
            }
        };
    }
    let rdh = header_of(&slot);
    let next = usize::from(rdh.offset_to_next);
    let in_slot = next.min(PAGE_BYTES);
    let read = RDH_BYTES + source.fill(&mut slot[RDH_BYTES..in_slot])?;
    let used = usize::from(rdh.memory_size).min(PAGE_BYTES);
    if read < used {
        if is_first {
            return Err(source.here("the file ends here, within its first page"));
        }
        collected.cut(start);
        return Ok(None);
    }
    source.skip((next - in_slot) as u64)?;
    Ok(Some(FilePage { rdh, slot, start }))
}

/// Reason why the chain ends at this header.
fn problem_of_header(slot: &[u8; PAGE_BYTES], read: usize) -> Option<String> {
    if read < RDH_BYTES {
        return Some(format!("the file ends within a header of {RDH_BYTES} bytes"));
    }
    let rdh = header_of(slot);
    let version = rdh.header_version;
    if !(OLDEST_VERSION..=RDH_VERSION).contains(&version) {
        return Some(format!("RDH version {version}: no page of version 6 or 7 begins here"));
    }
    let size = rdh.header_size;
    if usize::from(size) != RDH_BYTES {
        return Some(format!("the RDH has {size} bytes, not {RDH_BYTES}"));
    }
    let next = rdh.offset_to_next;
    if usize::from(next) < RDH_BYTES {
        return Some(format!("the offset to the next page is {next}, less than the header"));
    }
    let used = rdh.memory_size;
    (next < used)
        .then(|| format!("the offset to the next page is {next}, less than its {used} bytes"))
}
