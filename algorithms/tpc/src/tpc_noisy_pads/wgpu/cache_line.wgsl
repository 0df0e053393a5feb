#part noisy_pads_cache_line
// Pads in groups of a cache line, as published: see cache_line.cu.
#include "map.wgsl"

@group(0) @binding(0) var<storage, read> maps: array<u32>;

const THREADS = 64u;
// Consecutive tiles in time that are staged at once.
const STAGED = THREADS / TILE;

var<workgroup> staged: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn noisy_pads_cache_line(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    let sector = block / arguments.group_count;
    let group = group_at(block % arguments.group_count);
    let first = first_tile(sector, group) * TILE;
    let tile = thread / TILE;
    var charges = 0u;
    var run = 0u;
    var longest = 0u;
    var largest = 0u;
    for (var row = 0u; row < arguments.tile_rows; row += STAGED) {
        var charge = 0u;
        if row + tile < arguments.tile_rows {
            let at = first + (row + tile) * TILES_IN_ROW * TILE + thread % TILE;
            charge = maps[at / 2u] >> (at % 2u * 16u) & 0xffffu;
        }
        staged[thread] = charge;
        workgroupBarrier();
        if thread < TILE_PADS {
            for (var time = 0u; time < STAGED * TILE_TIMES; time++) {
                let seen = staged[time * TILE_PADS + thread];
                charges += select(0u, 1u, seen > 0u);
                run = select(0u, run + 1u, seen > 0u);
                longest = max(longest, run);
                largest = max(largest, seen);
            }
        }
        workgroupBarrier();
    }
    if thread < group.pads {
        let pad = sector * PADS_IN_SECTOR + group.first_pad + thread;
        activity[pad] = activity_of(charges, longest, largest);
    }
}
