// Each message is read once and each digi written once: see tiles.cu. Blocks take tiles by tickets,
// and wait for those before: see look_back.wgsl for what that relies on.
//
// Workgroup memory: what is looked up of a board, 16.5 KiB, and a place a message: 8 KiB, or 17 where
// there are 48. So blocks have fewer threads, of which the launcher knows.
#include "look_back.wgsl"
#include "raw/hit.wgsl"
#include "pieces/piece.wgsl"

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
// A gap behind each 16 places, so that not all lanes write to the same banks.
const WITHOUT_GAP = 16u;
const OF_WARP = LANES * MESSAGES_OF_LANE;
const WAITING = OF_WARP / WITHOUT_GAP * (WITHOUT_GAP + 1u);

var<workgroup> lookup: array<u32, LOOKUP_WORDS>;
var<workgroup> waiting: array<vec2u, WARPS * WAITING>;
// Digis of each warp.
var<workgroup> found_by: array<u32, WARPS>;
var<workgroup> shared_tile: u32;
var<workgroup> before_tile: u32;
var<private> epochs_at: u32;
// What was found of a piece; all lanes know it.
var<private> found: array<u32, COUNTS>;

fn waiting_place(at: u32) -> u32 { return warp * WAITING + at + at / WITHOUT_GAP; }

// Copies what is looked up into workgroup memory. A barrier is included.
fn keep_lookup(board: u32) {
    for (var i = thread; i < LOOKUP_WORDS; i += THREADS) {
        lookup[i] = boards[board * BOARD_WORDS + BOARD_HEAD + i];
    }
    workgroupBarrier();
}

fn add_counts(job: u32) {
    if lane > 0u { return; }
    for (var i = 0u; i < COUNTS; i++) {
        if found[i] > 0u { atomicAdd(&counts[job * COUNTS + i], found[i]); }
    }
}

// Whether there is a digi, if it can be looked up: then it is `digi_of_hit`. `counted` gets hits of
// unknown e-links in its upper half.
fn find_digi(hit: u32, number: u32, cycle_ns: u32, counted: ptr<function, u32>) -> bool {
    let elink = elink_of(hit);
    let adc = adc_of(hit);
    let time = bitcast<i32>(lookup[elink * TIMES_OF_ELINK + adc]);
    let of_elink = lookup[TIMES + elink];
    let at = elink_and_channel_of(hit);
    let channel = lookup[TIMES + ELINKS + at / 4u] >> (at % 4u * 8u) & 0xffu;
    let ns = cycle_ns + number * EPOCH_NS + rounded_eighths(ticks_of(hit)) / 8u + bitcast<u32>(time);
    let with_channel = of_elink + (channel << CHANNEL_SHIFT_IN_UPPER);
    let far = (of_elink & 0xffff0000u) | FAR_CHANNEL << CHANNEL_SHIFT_IN_UPPER;
    let upper = (select(with_channel, far, channel == FAR) & ~ADDRESS_HIGH) | adc;
    digi_of_hit = vec2u(ns | (of_elink & ADDRESS_HIGH) << 31u, upper);
    if !is_hit(hit) { return false; }
    if time == UNKNOWN_TIME { *counted += 0x10000u; }
    return time > UNKNOWN_TIME && channel != MASKED;
}

const UNKNOWN_TIME = -0x7fffffffi;

// All messages at once; digis wait in the order of the messages.
fn look_up(cycle_ns: u32, before: Epoch) {
    // In the lower half hits and TS_MSBs, in the upper one hits of unknown e-links.
    var counted = 0u;
    for (var row = 0u; row < ROWS; row++) {
        // Numbers only grow.
        var number = max(known_before[row], before.number);
        var own: array<vec2u, MESSAGES_AT_ONCE>;
        var is_digi: array<bool, MESSAGES_AT_ONCE>;
        var place = found[DIGIS];
        for (var i = 0u; i < MESSAGES_AT_ONCE; i++) {
            let message = own_messages[row * MESSAGES_AT_ONCE + i];
            if is_ts_msb(message) { number = number_of(message); }
            counted += select(0u, 1u, is_hit(message) || is_ts_msb(message));
            is_digi[i] = find_digi(message, number, cycle_ns, &counted);
            own[i] = digi_of_hit;
            let every = votes(is_digi[i]);
            place += count_of(every & lanes_below(lane));
            found[DIGIS] += count_of(every);
        }
        for (var i = 0u; i < MESSAGES_AT_ONCE; i++) {
            if is_digi[i] {
                waiting[waiting_place(place)] = own[i];
                place++;
            }
        }
    }
    counted = sum_of_warp(counted);
    found[OTHER] = messages_of_piece() - (counted & 0xffffu);
    found[ELINK_COUNT] = counted >> 16u;
}

// A message for each lane at a time.
fn step_by_step(cycle: u64, before: Epoch, board: u32) {
    var epoch = before;
    var known = 0u;
    for (var first = 0u; first < PIECE_BYTES; first += LANES * MESSAGE_BYTES) {
        let message = message_in_window(first + lane * MESSAGE_BYTES);
        let begins = is_ts_msb(message);
        let beginning = votes(begins);
        let below = beginning & lanes_below(lane);
        let of_below = shuffled(number_of(message), highest_lane(below));
        let number_before = select(of_below, epoch.number, is_none(below));
        let wrapping = votes(begins && number_of(message) < number_before);
        var fate = UNWANTED;
        if is_hit(message) {
            let wraps = epoch.wraps + count_of(wrapping & (lanes_below(lane) | only_lane(lane)));
            fate = fate_of(message, since_start(cycle, number_before, wraps), board, arguments.rules);
        }
        let with_digi = votes(fate == DIGI);
        if fate == DIGI {
            waiting[waiting_place(found[DIGIS] + count_of(with_digi & lanes_below(lane)))] = digi_of_hit;
        }
        found[DIGIS] += count_of(with_digi);
        known += count_of(votes(is_hit(message))) + count_of(beginning);
        found[ELINK_COUNT] += count_of(votes(fate == UNKNOWN_ELINK));
        found[OVERFLOW_COUNT] += count_of(votes(overflows(fate, arguments.rules)));
        found[UNDEFINED_COUNT] += count_of(votes(fate == UNDEFINED));
        epoch.wraps += count_of(wrapping);
        let latest = shuffled(number_of(message), highest_lane(beginning));
        if !is_none(beginning) { epoch.number = latest; }
    }
    found[OTHER] = messages_of_piece() - known;
}

// Whether hits of an epoch can be looked up.
fn is_inner(epoch: u64, board: u32) -> bool {
    let at = board * BOARD_WORDS;
    return epoch >= u64(boards[at]) && epoch < u64(boards[at + 1u]);
}

// Goes through a piece, by a whole warp. Of a microslice that is refused its first piece says so.
fn unpack_piece(place: u32) {
    for (var i = 0u; i < COUNTS; i++) { found[i] = 0u; }
    let piece = pieces[place];
    if piece.x == NO_JOB { return; }
    let job = jobs[piece.x];
    if has_wrong_size(job) {
        found[SIZE_COUNT] = select(0u, 1u, piece.y == 0u);
        add_counts(piece.x);
        return;
    }
    find_messages(job, piece.y);
    load_messages();
    let content = u32(job.begin);
    if has_wrong_first_messages(content) {
        found[FIRST_COUNT] = select(0u, 1u, piece.y == 0u);
        add_counts(piece.x);
        return;
    }
    find_epochs();
    let before = wait_for_epoch_before(place, piece.y, content);
    let behind = behind_piece(before);
    let cycle = first_of_cycle(job);
    let begin = since_start(cycle, before.number, before.wraps);
    let end = since_start(cycle, behind.number, behind.wraps);
    let has_one_cycle = before.wraps == behind.wraps;
    if has_one_cycle && is_inner(begin, job.board) && is_inner(end, job.board) {
        look_up(u32((begin - u64(before.number)) & 0xfffffffflu) * EPOCH_NS, before);
    } else {
        step_by_step(cycle, before, job.board);
    }
    add_counts(piece.x);
}

// Barriers before and within.
fn next_tile() -> u32 {
    if thread == 0u { shared_tile = atomicAdd(&states[0], 1u); }
    workgroupBarrier();
    return shared_tile;
}

@compute @workgroup_size(THREADS)
fn unpack_tiles(place: InWarp) {
    enter_lanes(place);
    if block >= arguments.blocks { return; }
    epochs_at = 2u * (1u + arguments.tiles);
    var kept_board = NO_BOARD;
    for (var tile = next_tile(); tile < arguments.tiles; tile = next_tile()) {
        if tile_boards[tile] != kept_board {
            kept_board = tile_boards[tile];
            keep_lookup(kept_board);
        }
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
            if at < found[DIGIS] { digis[first + at] = waiting[waiting_place(at)]; }
        }
        // All have read what the next tile changes.
        workgroupBarrier();
    }
}
