#part unpack_tiles
// Each message is read once and each digi written once: see tiles.cu. Blocks take tiles by tickets,
// and wait for those before: see look_back.wgsl for the assumptions.
//
// Workgroup memory: one digi per message: 8 KiB, or 17 if the device has 48. So blocks have fewer
// threads, which the launcher takes into account. Lookup tables of a board are left to the caches:
// in workgroup memory they would halve the number of concurrent blocks.
#include "look_back.wgsl"
#include "pieces.wgsl" counts
#include "pieces.wgsl"

struct Arguments { blocks: u32, rules: u32, tiles: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(3) var<storage, read> pieces: array<vec2u>;
@group(0) @binding(4) var<storage, read> tile_boards: array<u32>;
@group(0) @binding(5) var<storage, read_write> states: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> digis: array<vec2u>;

const THREADS = max(LANES, 64u * min(2u, max(1u, WORKGROUP_BYTES / 24576u)));
const WARPS = THREADS / LANES;
const_assert THREADS % SUBGROUP_LANES == 0u;
// A gap after each 16 elements, so that not all lanes write to the same banks.
const WITHOUT_GAP = 16u;
const OF_WARP = LANES * MESSAGES_OF_LANE;
const WAITING = OF_WARP / WITHOUT_GAP * (WITHOUT_GAP + 1u);

var<workgroup> waiting: array<vec2u, WARPS * WAITING>;
// Digis of each warp.
var<workgroup> found_by: array<u32, WARPS>;
var<workgroup> shared_tile: u32;
var<workgroup> before_tile: u32;
// Offset of the lookup tables of the tile's board.
var<private> lookup_begin: u32;

fn waiting_index(at: u32) -> u32 { return warp * WAITING + at + at / WITHOUT_GAP; }

fn epoch_before(index: u32, number: u32, content: u32) -> Epoch {
    return wait_for_epoch_before(index, number, content);
}

fn note_found(job: u32) { add_counts(job); }

fn take(with_digi: Mask, hit: u32) {
    if !has(with_digi, lane) { return; }
    waiting[waiting_index(found[DIGIS] + count_of(with_digi & lanes_below(lane)))] = digi_of_hit;
}

// All messages at once; digis wait in the order of the messages.
fn look_up(cycle_ns: u32, before: Epoch) {
    // In the lower half hits and TS_MSBs, in the upper one hits of unknown e-links.
    var counted = 0u;
    for (var row = 0u; row < ROWS; row++) {
        // Epoch numbers only grow.
        var number = max(known_before[row], before.number);
        var lane_digis: array<vec2u, MESSAGES_AT_ONCE>;
        var is_digi: array<bool, MESSAGES_AT_ONCE>;
        var index = found[DIGIS];
        for (var i = 0u; i < MESSAGES_AT_ONCE; i++) {
            let message = lane_messages[row * MESSAGES_AT_ONCE + i];
            if is_ts_msb(message) { number = number_of(message); }
            counted += select(0u, 1u, is_hit(message) || is_ts_msb(message));
            is_digi[i] = find_digi(message, number, cycle_ns, &counted);
            lane_digis[i] = digi_of_hit;
            let every = votes(is_digi[i]);
            index += count_of(every & lanes_below(lane));
            found[DIGIS] += count_of(every);
        }
        for (var i = 0u; i < MESSAGES_AT_ONCE; i++) {
            if is_digi[i] {
                waiting[waiting_index(index)] = lane_digis[i];
                index++;
            }
        }
    }
    counted = sum_of_warp(counted);
    found[OTHER] = messages_of_piece() - (counted & 0xffffu);
    found[ELINK_COUNT] = counted >> 16u;
}

fn looked_up(at: u32) -> u32 { return boards[lookup_begin + at]; }

// Barriers before and within.
fn next_tile() -> u32 {
    if thread == 0u { shared_tile = atomicAdd(&states[0], 1u); }
    workgroupBarrier();
    return shared_tile;
}

@compute @workgroup_size(THREADS)
fn unpack_tiles(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    epochs_at = 2u * (1u + arguments.tiles);
    for (var tile = next_tile(); tile < arguments.tiles; tile = next_tile()) {
        lookup_begin = tile_boards[tile] * BOARD_WORDS + BOARD_HEAD;
        unpack_piece(tile * WARPS + warp);
        if lane == 0u { found_by[warp] = found[DIGIS]; }
        workgroupBarrier();
        var in_tile = 0u;
        var before_warp = 0u;
        for (var other = 0u; other < WARPS; other++) {
            before_warp += select(0u, found_by[other], other < warp);
            in_tile += found_by[other];
        }
        if warp == 0u {
            let before = sum_before(2u, tile, in_tile);
            if lane == 0u { before_tile = before; }
        }
        workgroupBarrier();
        let first = before_tile + before_warp;
        for (var i = 0u; i < MESSAGES_OF_LANE; i++) {
            let at = i * LANES + lane;
            if at < found[DIGIS] { digis[first + at] = waiting[waiting_index(at)]; }
        }
        // All have read what the next tile changes.
        workgroupBarrier();
    }
}
