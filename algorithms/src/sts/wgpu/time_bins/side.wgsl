// A side, and its tables if it is large: see time_bins/large.h. It needs `segment_offsets` and
// `found`.
#include "../formulas/records.wgsl"
#include "common.wgsl"

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
