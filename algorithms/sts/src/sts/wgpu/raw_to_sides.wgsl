// Iterates over the digis of a warp's piece, each with its offset among those of its slot: see
// raw_to_sides.cu. It needs `put`, which is called for each.
//
// Workgroup memory: lookup tables of a board, 16.5 KiB and its slots, and a word for each warp and
// slot: 4 KiB. So blocks have at most 16 warps, which the launcher takes into account.
#include "../../sts_unpack/wgpu/pieces.wgsl" cached_lookup

@group(0) @binding(7) var<storage, read> slots: array<Slots>;
@group(0) @binding(3) var<storage, read> pieces: array<vec2u>;
@group(0) @binding(4) var<storage, read> tile_boards: array<u32>;
@group(0) @binding(5) var<storage, read_write> states: array<atomic<u32>>;

// The slot of each e-link, and the side of each slot.
struct Slots { of_elinks: array<u32, ELINKS>, sides: array<u32, ELINKS>, count: u32 }

const THREADS = min(256u, 16u * LANES);
const WARPS = THREADS / LANES;

var<workgroup> slot_of_elink: array<u32, ELINKS>;
var<workgroup> side_of_slot: array<u32, ELINKS>;
// A counter for each warp and slot: incremented for each digi.
var<workgroup> of_slots: array<atomic<u32>, WARPS * ELINKS>;
var<private> slot_count: u32;

// Caches the tables of a board. Barriers before and after.
fn keep_board(board: u32) {
    slot_count = slots[board].count;
    for (var i = thread; i < ELINKS; i += THREADS) {
        slot_of_elink[i] = slots[board].of_elinks[i];
        side_of_slot[i] = slots[board].sides[i];
    }
    keep_lookup(board);
}

// Mask of the lanes with this lane's slot.
fn lanes_with(slot: u32) -> Mask {
    let bits = select(ALL_BITS, FEW_BITS, arguments.slots_of_piece <= 1u << FEW_BITS);
    var same = votes(true);
    for (var bit = 0u; bit < bits; bit++) {
        let is_one = (slot >> bit & 1u) != 0u;
        let vote = votes(is_one);
        same &= select(~vote, vote, is_one);
    }
    return same;
}

// A whole warp calls it.
fn take(with_digi: Mask, hit: u32) {
    let slot = slot_of_elink[elink_of(hit)];
    let same = lanes_with(slot) & with_digi;
    let rank = count_of(same & lanes_below(lane));
    let has_digi = has(with_digi, lane);
    var first = 0u;
    if has_digi && rank == 0u { first = atomicAdd(&of_slots[warp * ELINKS + slot], count_of(same)); }
    first = shuffled(first, select(first_of(same), lane, is_none(same)));
    if has_digi { put(first + rank); }
}

// All messages at once.
fn look_up(cycle_ns: u32, before: Epoch) {
    // In the lower half hits and TS_MSBs, in the upper one hits of unknown e-links.
    var counted = 0u;
    for (var row = 0u; row < ROWS; row++) {
        // Epoch numbers only grow.
        var number = max(known_before[row], before.number);
        for (var i = 0u; i < MESSAGES_AT_ONCE; i++) {
            let message = lane_messages[row * MESSAGES_AT_ONCE + i];
            if is_ts_msb(message) { number = number_of(message); }
            counted += select(0u, 1u, is_hit(message) || is_ts_msb(message));
            let with_digi = votes(find_digi(message, number, cycle_ns, &counted));
            take(with_digi, message);
            found[DIGIS] += count_of(with_digi);
        }
    }
    counted = sum_of_warp(counted);
    found[OTHER] = messages_of_piece() - (counted & 0xffffu);
    found[ELINK_COUNT] = counted >> 16u;
}

#part raw_count_sides
// Counts the digis of each side in raw data, and reserves offsets for those of each tile: see
// raw_to_sides.cu. Blocks take tiles by tickets, and wait for earlier pieces.
#include "../../sts_unpack/wgpu/pieces.wgsl" counts

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

#part raw_to_sides
// Writes all digis of raw data to their sides, at reserved offsets: see raw_to_sides.cu. Each block
// has a fixed number of consecutive tiles.
#include "formulas/stream.wgsl"

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
