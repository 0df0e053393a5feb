#part noisy_pads_bit_runs
// Each charge is read once, and becomes a bit: see bit_runs.cu. The four lanes with the same tile
// exchange their bits.
//
// Workgroup memory: activity of each pad in each slice, 8 KiB.
#include "map.wgsl"

@group(0) @binding(0) var<storage, read> maps: array<vec4u>;

const THREADS = 256u;
const WARPS = THREADS / LANES;
// Groups of pads of a workgroup: four lanes each.
const GROUPS = LANES / TILE_TIMES;
const PADS = GROUPS * TILE_PADS;
// Time bins of a word; bit 0 is the earliest.
const WORD_BINS = 32u;
// Consecutive tiles in time that a lane loads at once.
const STEP = WORD_BINS / TILE_TIMES;
// Lines of tiles in a row of them.
const LINES_IN_ROW = TILES_IN_ROW * TILE_TIMES;

// Activity of a pad in a slice of the time.
struct Slice { charges_head: u32, longest_tail: u32, largest: u32 }

// Activity of a pad so far.
struct Presence {
    charges: u32,
    // The run at the start.
    head: u32,
    // The run at the end.
    tail: u32,
    // The longest run.
    longest: u32,
}

var<workgroup> slices: array<Slice, WARPS * PADS>;
// The largest charges of eight pads, two in a word.
var<private> largest: vec4u;

// The larger of either half.
fn max_of_halves(a: vec4u, b: vec4u) -> vec4u {
    return max(a >> vec4u(16u), b >> vec4u(16u)) << vec4u(16u)
        | max(a & vec4u(0xffffu), b & vec4u(0xffffu));
}

// The largest charges of a lane's two pads, in all four time bins of tiles.
fn largest_of_own(own: u32) -> u32 {
    var all = max_of_halves(largest, subgroupShuffleXor(largest, 1u));
    all = max_of_halves(all, subgroupShuffleXor(all, 2u));
    return all[own];
}

// A bit for each charge of a line, in the upper four bits of either half: pads 0, 2, 4 and 6 in the
// lower half, from the highest bit on, and pads 1, 3, 5 and 7 in the upper. Charges have 14 bits:
// after adding 0x7fff, bit 15 is set if there is any, and nothing is carried.
fn present_in(line: vec4u) -> u32 {
    let is_there = (line + vec4u(0x7fff7fffu)) & vec4u(0x80008000u);
    return is_there.x | is_there.y >> 1u | is_there.z >> 2u | is_there.w >> 3u;
}

// The bits of 16 time bins of a lane's two pads, one in either half, from the bits that each of
// four lanes has of all pads in its time bins of four tiles.
fn own_bits(bits: u32, own: u32) -> u32 {
    var both = 0u;
    for (var time = 0u; time < TILE_TIMES; time++) {
        let theirs = shuffled(bits, lane / TILE_TIMES * TILE_TIMES + time);
        both |= ((theirs >> (3u - own)) & 0x11111111u) << time;
    }
    return both;
}

// The longest run of ones: each round clears the last one of each run.
fn longest_run_in(word: u32) -> u32 {
    var rounds = 0u;
    for (var rest = word; rest != 0u; rest &= rest << 1u) { rounds++; }
    return rounds;
}

// Adds 32 time bins, after `bins_before` ones.
fn add(pad: ptr<function, Presence>, word: u32, bins_before: u32) {
    let in_word = countOneBits(word);
    let leading = countTrailingZeros(~word);
    let trailing = countLeadingZeros(~word);
    if (*pad).head == bins_before { (*pad).head += leading; }
    (*pad).longest = max((*pad).longest, (*pad).tail + leading);
    // No run is longer than the number of ones of the word, which is usually small.
    if in_word > (*pad).longest { (*pad).longest = max((*pad).longest, longest_run_in(word)); }
    (*pad).tail = select(trailing, (*pad).tail + WORD_BINS, trailing == WORD_BINS);
    (*pad).charges += in_word;
}

fn slice_of(pad: Presence, charge: u32) -> Slice {
    return Slice(pad.charges | pad.head << 16u, pad.longest | pad.tail << 16u, charge);
}

// Iterates over the rows of tiles of a slice, for the lane's two pads. All slices have the same
// number of rows, so that lanes are converged whenever they exchange bits.
fn scan_slice(lines: u32, begin: u32, slice_rows: u32, slot: u32, own: u32) {
    var first: Presence;
    var second: Presence;
    for (var row = begin; row < begin + slice_rows; row += STEP) {
        var bits = vec2u(0u);
        for (var i = 0u; i < STEP; i++) {
            var line = vec4u(0u);
            if row + i < arguments.tile_rows { line = maps[lines + (row + i) * LINES_IN_ROW]; }
            largest = max_of_halves(largest, line);
            bits[i / 4u] |= present_in(line) >> (12u - 4u * (i % 4u));
        }
        let early = own_bits(bits.x, own);
        let late = own_bits(bits.y, own);
        let bins_before = (row - begin) * TILE_TIMES;
        add(&first, (early & 0xffffu) | late << 16u, bins_before);
        add(&second, early >> 16u | (late & 0xffff0000u), bins_before);
    }
    let charge = largest_of_own(own);
    slices[slot] = slice_of(first, charge & 0xffffu);
    slices[slot + 1u] = slice_of(second, charge >> 16u);
}

// Combines the slices of a pad.
fn joined(pad: u32, slice_bins: u32) -> vec2u {
    var charges = 0u;
    var run = 0u;
    var longest = 0u;
    var charge = 0u;
    for (var warp = 0u; warp < WARPS; warp++) {
        let slice = slices[warp * PADS + pad];
        let in_slice = slice.charges_head & 0xffffu;
        let across = run + (slice.charges_head >> 16u);
        run = select(slice.longest_tail >> 16u, across, in_slice == slice_bins);
        charges += in_slice;
        longest = max(longest, max(across, slice.longest_tail & 0xffffu));
        charge = max(charge, slice.largest);
    }
    return activity_of(charges, longest, charge);
}

@compute @workgroup_size(THREADS)
fn noisy_pads_bit_runs(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let blocks_in_sector = (arguments.group_count + GROUPS - 1u) / GROUPS;
    let sector = block / blocks_in_sector;
    let first_group = block % blocks_in_sector * GROUPS;
    let slice_rows = (arguments.tile_rows + WARPS * STEP - 1u) / (WARPS * STEP) * STEP;
    {
        // The line of a tile that a lane loads, and its pair of pads after the exchange.
        let own = thread % TILE_TIMES;
        // Lanes without a group repeat the work of the last one.
        let number = min(first_group + lane / TILE_TIMES, arguments.group_count - 1u);
        let lines = first_tile(sector, group_at(number)) * TILE_TIMES + own;
        scan_slice(lines, warp * slice_rows, slice_rows, warp * PADS + 2u * lane, own);
    }
    workgroupBarrier();
    let number = first_group + thread / TILE_PADS;
    let pad = thread % TILE_PADS;
    if thread >= PADS || number >= arguments.group_count { return; }
    let group = group_at(number);
    if pad < group.pads {
        activity[sector * PADS_IN_SECTOR + group.first_pad + pad] =
            joined(thread, slice_rows * TILE_TIMES);
    }
}
