// The clusters of a large side that are for a block: see time_bins/large.h.
#include "side.wgsl"

fn is_empty(side: Side, part: Part) -> bool { return !is_large(side) || part.first >= side.count; }
fn end_of(side: Side, part: Part) -> u32 { return min(side.count, part.first + PART); }

// Index of a time of the side, stored in the buffer that finally receives its entries.
fn word_of_time(side: Side, number: u32) -> u32 { return 2u * side.begin + number; }
