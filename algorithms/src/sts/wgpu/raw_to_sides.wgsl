// Writes all digis of raw data to their sides, at reserved offsets: see raw_to_sides.cu. Each block
// has a fixed number of consecutive tiles.
#include "formulas/back.wgsl"
#include "raw_to_sides/by_slot.wgsl"

struct Arguments { blocks: u32, rules: u32, tiles: u32, slots_of_piece: u32, tiles_of_block: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(9) var<storage, read> piece_offsets: array<u32>;
@group(0) @binding(10) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(11) var<storage, read_write> digis: array<vec2u>;

// All pieces have published the epoch after them.
fn epoch_before(index: u32, number: u32, content: u32) -> Epoch {
    if number == 0u { return Epoch(number_of(message_at(content + MESSAGE_BYTES)), 0u); }
    let at = epochs_at + 2u * (index - 1u);
    return Epoch(atomicLoad(&states[at]) & STATE_BITS, atomicLoad(&states[at + 1u]) & STATE_BITS);
}

fn put(offset: u32) { digis[offset] = of_side(digi_of_hit); }
// Was done by the counting kernel.
fn note_found(job: u32) {}

@compute @workgroup_size(THREADS)
fn raw_to_sides(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    epochs_at = 2u;
    let first = block * arguments.tiles_of_block;
    let end = min(arguments.tiles, first + arguments.tiles_of_block);
    var kept_board = NO_BOARD;
    for (var tile = first; tile < end; tile++) {
        // All have read what the last tile left.
        workgroupBarrier();
        if tile_boards[tile] != kept_board {
            kept_board = tile_boards[tile];
            keep_board(kept_board);
        }
        let first_slot = (tile * WARPS + warp) * arguments.slots_of_piece;
        for (var slot = lane; slot < slot_count; slot += LANES) {
            let offset = segment_offsets[side_of_slot[slot]] + piece_offsets[first_slot + slot];
            atomicStore(&of_slots[warp * ELINKS + slot], offset);
        }
        workgroupBarrier();
        unpack_piece(tile * WARPS + warp);
    }
}
