// The sides that a tile has digis of: see links.cu.
#include "../formulas/sides.wgsl"

const TILE = THREADS * ITEMS;

struct SidesOfTile { first: u32, last: u32 }

fn digi_count() -> u32 { return segment_offsets[arguments.sides]; }

// The side of a position, from `first` on, found by a warp, which compares one side per lane at a
// time.
fn warp_side_of(first: u32, position: u32) -> u32 {
    var low = first;
    var high = arguments.sides;
    while high - low > 1u {
        let step = (high - low + LANES - 1u) / LANES;
        let index = low + (lane + 1u) * step;
        let passed = count_of(votes(index < high && segment_offsets[index] <= position));
        low += passed * step;
        high = min(high, low + step);
    }
    return low;
}

// Each warp looks for the sides of the block's tile, which is not empty: that is faster than to wait
// for others.
fn sides_of_tile() -> SidesOfTile {
    let first = block * TILE;
    let last = min(first + TILE, digi_count()) - 1u;
    let side = warp_side_of(0u, first);
    if last < segment_offsets[side + 1u] { return SidesOfTile(side, side); }
    return SidesOfTile(side, warp_side_of(side, last));
}

fn is_one(sides: SidesOfTile) -> bool { return sides.first == sides.last; }

fn side_in(sides: SidesOfTile, index: u32) -> u32 {
    return segment_among(sides.first, sides.last - sides.first + 1u, index);
}
