// Code shared by the steps of time-bins: see time_bins/sorting.h. With little workgroup memory,
// fewer entries are sorted at once; more sides count as large.
#include "../formulas/records.wgsl"

// Entries of a block; the launcher assumes this value.
const FEW = 2048u;
// Few blocks with so much memory fit at once, so they have many threads.
const THREADS = min(FEW / 4u, MAX_THREADS);
const ITEMS = FEW / THREADS;
const MIN_STEP = FEW / 2u;

// A part of the clusters of a side, as the host lists them.
struct Part { side: u32, first: u32 }

// No two entries are equal.
fn is_earlier(left: Entry, right: Entry) -> bool {
    return left.time < right.time || (left.time == right.time && left.index < right.index);
}

// A side, and its tables if it is large: see time_bins/large.h.
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<Found>;

// Maximum number of groups of a side, chosen so that each has a counter in workgroup memory.
const GROUPS = 1024u;

struct Side { number: u32, begin: u32, count: u32 }

fn side_of(number: u32) -> Side { return Side(number, segment_offsets[number], found[number].clusters); }
fn is_large(side: Side) -> bool { return side.count > FEW; }
fn step_of(side: Side) -> u32 { return max(MIN_STEP, (side.count + GROUPS - 1u) / GROUPS); }
fn groups_of(side: Side) -> u32 { return (side.count - 1u) / step_of(side) + 1u; }

// Index of its first group in tables: capacities of sides are no smaller than their contents, so
// the sides before have no more groups.
fn first_group_of(side: Side) -> u32 { return side.begin / MIN_STEP + side.number; }

#part part
// The clusters of a large side that are for a block: see time_bins/large.h.
@group(0) @binding(3) var<storage, read> parts: array<Part>;

fn is_empty(side: Side, part: Part) -> bool { return !is_large(side) || part.first >= side.count; }
fn end_of(side: Side, part: Part) -> u32 { return min(side.count, part.first + PART); }

// Index of a time of the side, stored in the buffer that finally receives its entries.
fn word_of_time(side: Side, number: u32) -> u32 { return 2u * side.begin + number; }

#part buckets
// The buckets of a large side: see time_bins/large.h.
#include "sorting.wgsl" scale

@group(0) @binding(4) var<storage, read> entry_words: array<u32>;
@group(0) @binding(6) var<storage, read> extents: array<u32>;

fn scale_of_side(side: u32) -> Scale {
    return scale_of(extents[2u * side], extents[2u * side + 1u], BUCKETS);
}
