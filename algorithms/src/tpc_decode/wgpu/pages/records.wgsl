// A page for decoders: its record and its job.
#include "page.wgsl"

@group(0) @binding(1) var<storage, read> records: array<vec4u>;

// Its fields have the offsets of PageRecord of pages/page.h.
fn record_at(page: u32) -> PageRecord {
    let first = records[2u * page];
    let second = records[2u * page + 1u];
    var record: PageRecord;
    record.orbit_start = first.x;
    record.first_time_bin = first.y;
    record.span = high_half(first.z);
    record.samples = low_half(first.w);
    record.blocks = high_half(first.w);
    record.start = high_half(second.x);
    record.end = low_half(second.y);
    record.continuation = high_half(second.y);
    record.endpoint = second.z & 0xffu;
    record.sector = second.z >> 8u & 0xffu;
    record.map = second.z >> 16u & 0xffu;
    record.version = second.z >> 24u;
    record.continues = (second.w & 0xffu) != 0u;
    return record;
}

// Number of the page's blocks in the index.
fn pieces_of(page: u32) -> u32 { return low_half(records[2u * page + 1u].x); }
