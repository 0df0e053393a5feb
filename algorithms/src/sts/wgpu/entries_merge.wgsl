// Merges pairs of sorted runs of entries of each side: see cluster_tiles.cu and merge_path.h. A
// block a tile of what comes out.
#include "cluster_tiles/tile.wgsl"

struct Arguments { blocks: u32, run: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> entries: array<Entry>;
@group(0) @binding(1) var<storage, read_write> to: array<Entry>;
@group(0) @binding(2) var<storage, read> begins: array<u32>;
@group(0) @binding(3) var<storage, read> found: array<Found>;
@group(0) @binding(4) var<storage, read> tiles: array<Tile>;

// How many of the first `diagonal` entries of two merged runs come from the left.
fn merge_path(left: u32, left_count: u32, right: u32, right_count: u32, diagonal: u32) -> u32 {
    var low = select(0u, diagonal - right_count, diagonal > right_count);
    var high = min(diagonal, left_count);
    while low < high {
        let middle = (low + high) / 2u;
        if is_earlier(entries[right + diagonal - 1u - middle], entries[left + middle]) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    return low;
}

@compute @workgroup_size(THREADS)
fn entries_merge(place: InBlock) {
    enter(place);
    if block >= arguments.blocks { return; }
    let tile = tiles[block];
    let all = found[tile.side].clusters;
    let own = tile.first + thread * ITEMS;
    if own >= all { return; }
    let first = tile.first - tile.first % (2u * arguments.run);
    let middle = min(all, first + arguments.run);
    let end = min(all, middle + arguments.run);
    let side = begins[tile.side];
    let diagonal = own - first;
    let of_left = merge_path(side + first, middle - first, side + middle, end - middle, diagonal);
    var a = first + of_left;
    var b = middle + (diagonal - of_left);
    for (var i = own; i < min(own + ITEMS, end); i++) {
        let is_of_left =
            a < middle && (b >= end || !is_earlier(entries[side + b], entries[side + a]));
        to[side + i] = entries[side + select(b, a, is_of_left)];
        if is_of_left { a++; } else { b++; }
    }
}
