#part unpack_places
// Offset of the digis of each microslice: see copy_out.cu. A block processes one microslice per
// thread at a time.
#include "block_scan.wgsl"
#include "look_back.wgsl"

struct Arguments { blocks: u32, job_count: u32 }
var<immediate> arguments: Arguments;
// Seven words of each microslice, the first one of which counts digis.
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> states: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;

const COUNTS = 7u;

var<workgroup> before_tile: u32;

@compute @workgroup_size(THREADS)
fn unpack_places(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let tiles = (arguments.job_count + THREADS - 1u) / THREADS;
    for (var tile = block; tile < tiles; tile += arguments.blocks) {
        let number = tile * THREADS + thread;
        var digi_count = 0u;
        if number < arguments.job_count { digi_count = counts[number * COUNTS]; }
        let before = block_exclusive_sum(digi_count);
        if warp == 0u {
            let sum = sum_before(0u, tile, block_total);
            if lane == 0u { before_tile = sum; }
        }
        workgroupBarrier();
        if number < arguments.job_count { offsets[number] = before_tile + before; }
        // All have read what the next tile changes.
        workgroupBarrier();
    }
}

#part unpack_copy_out
// Copies digis from slots to their offsets: see copy_out.cu. A block per microslice.
struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
// Seven words of each microslice, the first one of which counts digis.
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read> first_slots: array<u32>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read> slots: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> digis: array<vec2u>;

const COUNTS = 7u;

@compute @workgroup_size(THREADS)
fn unpack_copy_out(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    let count = counts[block * COUNTS];
    for (var i = thread; i < count; i += THREADS) {
        digis[offsets[block] + i] = slots[first_slots[block] + i];
    }
}
