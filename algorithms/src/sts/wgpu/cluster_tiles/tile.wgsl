// A tile of the entries of a side, as the host lists them: see cluster_tiles.cu.
#include "../formulas/records.wgsl"

struct Tile { side: u32, first: u32 }

// No two entries are the same.
fn is_earlier(left: Entry, right: Entry) -> bool {
    return left.time < right.time || (left.time == right.time && left.index < right.index);
}
