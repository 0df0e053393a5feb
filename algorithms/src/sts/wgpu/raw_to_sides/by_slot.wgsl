// Iterates over the digis of a warp's piece, each with its offset among those of its slot: see
// raw_to_sides.cu. It needs `put`, which is called for each.
//
// Workgroup memory: lookup tables of a board, 16.5 KiB and its slots, and a word for each warp and
// slot: 4 KiB. So blocks have at most 16 warps, which the launcher takes into account.
#include "../../../sts_unpack/wgpu/pieces/cached_lookup.wgsl"

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
