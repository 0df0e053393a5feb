// The sides that a tile has digis of: see links.cu.
#include "../formulas/sides.wgsl"

const TILE = THREADS * ITEMS;

struct SidesOfTile { first: u32, last: u32 }

var<workgroup> ends: array<u32, 2>;

fn digi_count() -> u32 { return begins[arguments.sides]; }

// Two threads look for the sides of the block's tile, which is not empty. A barrier is included.
fn sides_of_tile() -> SidesOfTile {
    let first = block * TILE;
    let last = min(first + TILE, digi_count()) - 1u;
    if thread < 2u { ends[thread] = segment_of(arguments.sides, select(last, first, thread == 0u)); }
    workgroupBarrier();
    return SidesOfTile(ends[0], ends[1]);
}

fn is_one(sides: SidesOfTile) -> bool { return sides.first == sides.last; }

fn side_in(sides: SidesOfTile, place: u32) -> u32 {
    return segment_among(sides.first, sides.last - sides.first + 1u, place);
}
