// Counts the digis of each side in raw data, and reserves offsets for those of each tile: see
// raw_to_sides.cu. Blocks take tiles by tickets, and wait for earlier pieces.
#include "../../sts_unpack/wgpu/pieces/counts.wgsl"
#include "raw_to_sides/by_slot.wgsl"

struct Arguments { blocks: u32, rules: u32, tiles: u32, slots_of_piece: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(9) var<storage, read_write> piece_offsets: array<u32>;

var<workgroup> shared_tile: u32;

fn epoch_before(index: u32, number: u32, content: u32) -> Epoch {
    return wait_for_epoch_before(index, number, content);
}

fn put(offset: u32) {}
fn note_found(job: u32) { add_counts(job); }

// Reserves offsets for the digis of a tile, side by side, and within a side warp by warp.
fn reserve_offsets(tile: u32) {
    for (var slot = thread; slot < slot_count; slot += THREADS) {
        var all = 0u;
        for (var other = 0u; other < WARPS; other++) { all += atomicLoad(&of_slots[other * ELINKS + slot]); }
        var offset = 0u;
        if all > 0u { offset = atomicAdd(&totals[side_of_slot[slot]], all); }
        for (var other = 0u; other < WARPS; other++) {
            piece_offsets[(tile * WARPS + other) * arguments.slots_of_piece + slot] = offset;
            offset += atomicLoad(&of_slots[other * ELINKS + slot]);
        }
    }
}

// Barriers before and within.
fn next_tile() -> u32 {
    if thread == 0u { shared_tile = atomicAdd(&states[0], 1u); }
    workgroupBarrier();
    return shared_tile;
}

@compute @workgroup_size(THREADS)
fn raw_count_sides(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    epochs_at = 2u;
    var kept_board = NO_BOARD;
    for (var tile = next_tile(); tile < arguments.tiles; tile = next_tile()) {
        if tile_boards[tile] != kept_board {
            kept_board = tile_boards[tile];
            keep_board(kept_board);
        }
        for (var slot = thread; slot < WARPS * ELINKS; slot += THREADS) { atomicStore(&of_slots[slot], 0u); }
        workgroupBarrier();
        unpack_piece(tile * WARPS + warp);
        workgroupBarrier();
        reserve_offsets(tile);
        // All have read what the next tile changes.
        workgroupBarrier();
    }
}
