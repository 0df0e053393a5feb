// The headers of a dense link page: see validate/pages.h.
#include "../pages/page.wgsl"

const RDH_VERSION_AND_SIZE = 7u | RDH_BYTES << 8u;
const DENSE_LINK_ID = 22u;
const SIZE_UNIT = 32u;

// A page with its record, and the fields that are checked against the previous page.
var<private> record: PageRecord;
var<private> page_counter: u32;
var<private> time_offset: u32;

fn sector_of(stream: u32) -> u32 { return stream & 0xffu; }
fn endpoint_of(stream: u32) -> u32 { return stream >> 8u & 0xffu; }
fn map_of(stream: u32) -> u32 { return stream >> 16u & 0xffu; }
fn ends_stream(stream: u32) -> bool { return stream >> 24u != 0u; }
fn cru_of(stream: u32) -> u32 { return 10u * sector_of(stream) + endpoint_of(stream) / 2u; }

// Reads the headers of the page at `page`, and sets its record.
fn open_page(page: u32, stream: u32) -> u32 {
    let rdh = granule_at(page);
    let used = high_half(rdh.z);
    if low_half(rdh.x) != RDH_VERSION_AND_SIZE || used < RDH_BYTES || used > PAGE_BYTES { return DAMAGED; }
    if used == RDH_BYTES { return EMPTY; }
    let link = rdh.w & 0xffu;
    let sender = cru_of(stream) << 7u | (endpoint_of(stream) & 1u) << 6u | DENSE_LINK_ID;
    let orbit = word_at(page + 20u);
    let is_rdh_sound = word_at(page + 48u) == ZS_DETECTOR_FIELD && high_half(rdh.x) == sender
        && link == DENSE_LINK_ID && orbit - arguments.first_orbit < arguments.orbits
        && used >= RDH_BYTES + HEADER_BYTES && used % SIZE_UNIT == 0u;
    if !is_rdh_sound { return DAMAGED; }
    let header = granule_at(page + used - HEADER_BYTES);
    let flags = header.w & 0xffu;
    time_offset = low_half(header.y);
    let is_header_sound = (header.x & 0xffu) == arguments.version && header.w >> 24u == HEADER_MAGIC
        && high_half(header.x) == cru_of(stream) && time_offset < BC_PER_ORBIT
        && (flags & ~KNOWN_FLAGS) == 0u;
    if !is_header_sound { return DAMAGED; }
    page_counter = low_half(word_at(page + 36u));
    record.orbit_start = (orbit - arguments.first_orbit) * BC_PER_ORBIT;
    record.first_time_bin = (record.orbit_start + time_offset) / BC_PER_TIME_BIN;
    record.span = (header.x >> 8u & 0xffu) + select(0u, 256u, (flags & FLAG_LONG_SPAN) != 0u);
    record.samples = high_half(header.y);
    record.blocks = high_half(header.z);
    record.start = low_half(header.z);
    record.end = used - HEADER_BYTES - select(0u, TRIGGER_WORD_BYTES, (flags & FLAG_TRIGGER_WORD) != 0u);
    record.continuation = 0u;
    record.endpoint = endpoint_of(stream);
    record.sector = sector_of(stream);
    record.map = map_of(stream);
    record.version = arguments.version;
    record.continues = (flags & FLAG_CONTINUES) != 0u;
    return select(DAMAGED, SOUND, is_extent_sound(used));
}

// The end of the time bins that the page announces.
fn end_of_time_bins() -> u32 { return record.first_time_bin + record.span + 1u; }

fn is_extent_sound(used: u32) -> bool {
    let last_of_orbit = (record.orbit_start + BC_PER_ORBIT - 1u) / BC_PER_TIME_BIN;
    return record.start <= record.end && record.start >= RDH_BYTES
        && end_of_time_bins() <= last_of_orbit + 1u
        && !(record.continues && (record.blocks == 0u || used != PAGE_BYTES));
}

// Reads the headers of a page, and those of the next one if the last block continues there.
fn open_in_stream(page: u32, stream: u32) -> u32 {
    let verdict = open_page(page, stream);
    if verdict != SOUND || !record.continues { return verdict; }
    if ends_stream(stream) { return DAMAGED; }
    let own = record;
    let own_counter = page_counter;
    let own_offset = time_offset;
    let next = open_page(page + PAGE_BYTES, stream);
    let follows = page_counter == ((own_counter + 1u) & 0xffffu)
        && record.orbit_start == own.orbit_start;
    let continuation = record.start - RDH_BYTES;
    record = own;
    time_offset = own_offset;
    if next != SOUND { return DAMAGED; }
    record.continuation = continuation;
    return select(DAMAGED, SOUND, follows);
}
