// A side, and what tables say of it if it is large: see time_bins/groups.h. It needs `begins` and
// `found`.
#include "../formulas/records.wgsl"
#include "common.wgsl"

// Of a side at most, so that a word in workgroup memory counts the entries of each.
const GROUPS = 1024u;

struct Side { number: u32, begin: u32, count: u32 }

fn side_of(number: u32) -> Side { return Side(number, begins[number], found[number].clusters); }
fn is_large(side: Side) -> bool { return side.count > FEW; }
fn step_of(side: Side) -> u32 { return max(LEAST_STEP, (side.count + GROUPS - 1u) / GROUPS); }
fn groups_of(side: Side) -> u32 { return (side.count - 1u) / step_of(side) + 1u; }

// The place of its first group in tables: rooms of sides are no smaller than what they have, so
// those before had no more groups.
fn first_group_of(side: Side) -> u32 { return side.begin / LEAST_STEP + side.number; }
