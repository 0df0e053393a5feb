// Pieces of microslices: see pieces.h, also for how a warp gets the epoch
// before its own. It needs `states`: two words per piece from `epochs_at` on; each has 29 bits of
// the status below two bits of its kind. The two words belong together if their kinds are equal.
#include "raw.wgsl"

const WAITS_FOR_WARPS = true;
const PIECE_BYTES = MESSAGES_OF_LANE * MESSAGE_BYTES * LANES;
const FIRST_BYTES = FIRST_MESSAGES * MESSAGE_BYTES;
const STATE_SHIFT = 30u;
const STATE_NO_EPOCHS = 1u;
const STATE_EPOCHS = 2u;
const STATE_UP_TO_PIECE = 3u;
const STATE_BITS = (1u << STATE_SHIFT) - 1u;

var<private> epochs_at: u32;

// The messages of the piece: those of `piece_size` bytes from a byte on, but for the first
// `skipped`, which are before the third message of the microslice.
var<private> window: u32;
var<private> skipped: u32;
var<private> piece_size: u32;
// The messages of a lane: the same number in each row.
var<private> lane_messages: array<u32, MESSAGES_OF_LANE>;

// The TS_MSBs of the piece. Before a lane's messages in each row: the number of the epoch, or 0 if
// none of the piece is known.
var<private> known_before: array<u32, ROWS>;
var<private> any_epochs: bool;
var<private> first_number: u32;
var<private> last_number: u32;
var<private> piece_wraps: u32;

struct Epoch { number: u32, wraps: u32 }

fn find_messages(job: Job, number: u32) {
    let begin = u32(job.begin) + FIRST_BYTES;
    // Nothing but what is no multiple of 4, which no shift helps, stays no multiple of 16.
    let shift = begin % BYTES_AT_ONCE / MESSAGE_BYTES * MESSAGE_BYTES;
    let before = number * PIECE_BYTES;
    window = begin - shift + before;
    skipped = select(0u, shift, number == 0u);
    piece_size = min(PIECE_BYTES, job.bytes - FIRST_BYTES + shift - before);
}

fn messages_of_piece() -> u32 { return (piece_size - skipped) / MESSAGE_BYTES; }

// The message at a byte of the window; a dummy outside.
fn message_in_window(byte: u32) -> u32 {
    if byte >= skipped && byte < piece_size { return message_at(window + byte); }
    return DUMMY;
}

fn load_messages() {
    for (var row = 0u; row < ROWS; row++) {
        for (var i = 0u; i < MESSAGES_AT_ONCE; i++) {
            let byte = (row * LANES + lane) * BYTES_AT_ONCE + i * MESSAGE_BYTES;
            lane_messages[row * MESSAGES_AT_ONCE + i] = message_in_window(byte);
        }
    }
}

// The highest lane of a mask; any if there is none.
fn highest_lane(mask: Mask) -> u32 {
    if is_none(mask) { return 0u; }
    return last_of(mask);
}

fn find_epochs() {
    any_epochs = false;
    first_number = 0u;
    last_number = 0u;
    var wraps = 0u;
    for (var row = 0u; row < ROWS; row++) {
        known_before[row] = find_in_row(row);
        var number = known_before[row];
        for (var i = 0u; i < MESSAGES_AT_ONCE; i++) {
            let message = lane_messages[row * MESSAGES_AT_ONCE + i];
            if !is_ts_msb(message) { continue; }
            // None is smaller than 0.
            wraps += select(0u, 1u, number_of(message) < number);
            number = number_of(message);
        }
    }
    piece_wraps = sum_of_warp(wraps);
}

// Adds a row, and returns the number that is known before a lane's own messages.
fn find_in_row(row: u32) -> u32 {
    var starts_epoch = false;
    var lane_first = 0u;
    var lane_last = 0u;
    for (var i = 0u; i < MESSAGES_AT_ONCE; i++) {
        let message = lane_messages[row * MESSAGES_AT_ONCE + i];
        if !is_ts_msb(message) { continue; }
        lane_last = number_of(message);
        lane_first = select(lane_last, lane_first, starts_epoch);
        starts_epoch = true;
    }
    let every = votes(starts_epoch);
    let below = every & lanes_below(lane);
    let of_below = shuffled(lane_last, highest_lane(below));
    let known = select(of_below, last_number, is_none(below));
    let earliest = shuffled(lane_first, select(first_of(every), 0u, is_none(every)));
    let latest = shuffled(lane_last, highest_lane(every));
    if is_none(every) { return known; }
    if !any_epochs { first_number = earliest; }
    last_number = latest;
    any_epochs = true;
    return known;
}

// The epoch after the piece.
fn behind_piece(before: Epoch) -> Epoch {
    if !any_epochs { return before; }
    return Epoch(last_number, before.wraps + select(0u, 1u, first_number < before.number) + piece_wraps);
}

fn publish(piece: u32, kind: u32, last: u32, other: u32) {
    atomicStore(&states[epochs_at + 2u * piece], kind << STATE_SHIFT | last);
    atomicStore(&states[epochs_at + 2u * piece + 1u], kind << STATE_SHIFT | other);
}

// Publishes the epochs of a piece, and returns the epoch before it. A whole warp calls it; pieces
// before are those of warps that have already started.
fn wait_for_epoch_before(piece: u32, number: u32, content: u32) -> Epoch {
    var before = Epoch(number_of(message_at(content + MESSAGE_BYTES)), 0u);
    if number > 0u {
        if lane == 0u && piece_wraps == 0u {
            publish(piece, select(STATE_NO_EPOCHS, STATE_EPOCHS, any_epochs), last_number, first_number);
        }
        before = published_epoch_before(piece, number);
    }
    let behind = behind_piece(before);
    if lane == 0u { publish(piece, STATE_UP_TO_PIECE, behind.number, behind.wraps); }
    return before;
}

// Waits for one piece per lane, those of the microslice before its `number`-th one, from the
// nearest on. The first piece of a microslice always knows its epoch.
fn published_epoch_before(piece: u32, number: u32) -> Epoch {
    var last = STATE_UP_TO_PIECE << STATE_SHIFT;
    var other = last;
    var known = 0u;
    for (var is_known = false; !is_known;) {
        if lane < number {
            let at = epochs_at + 2u * (piece - 1u - lane);
            last = atomicLoad(&states[at]);
            other = atomicLoad(&states[at + 1u]);
        }
        let is_whole = last >> STATE_SHIFT == other >> STATE_SHIFT && last != 0u;
        let unknown = votes(!is_whole);
        let with_sum = votes(is_whole && last >> STATE_SHIFT == STATE_UP_TO_PIECE);
        if is_none(with_sum) { continue; }
        known = first_of(with_sum);
        is_known = is_none(unknown & lanes_below(known));
    }
    let any_here = lane <= known && last >> STATE_SHIFT >= STATE_EPOCHS;
    let with_epochs = votes(any_here);
    // Earlier pieces are in higher lanes.
    let above = with_epochs & ~lanes_below(lane) & ~only_lane(lane);
    let last_epoch = last & STATE_BITS;
    let earlier = shuffled(last_epoch, select(first_of(above), 0u, is_none(above)));
    let wraps_here = any_here && lane < known && (other & STATE_BITS) < earlier;
    let wraps = count_of(votes(wraps_here)) + shuffled(other & STATE_BITS, known);
    return Epoch(shuffled(last_epoch, first_of(with_epochs)), wraps);
}

// Unpacking of a piece of a microslice, from its bytes to a consumer of digis: see pieces.h
// and pieces.h. It needs the epoch before a piece (`epoch_before`), consumers of the hits for
// either algorithm (`look_up`, and `take` for those that have `digi_of_hit`), a consumer of the
// counts (`note_found`), and the lookup tables of the board (`looked_up`).

const UNKNOWN_TIME = -0x7fffffffi;

// Counts of a piece, the same in all lanes.
var<private> found: array<u32, COUNTS>;

// Returns true if the hit gives a digi by lookup: then it is `digi_of_hit`. `counted` gets hits of
// unknown e-links in its upper half.
fn find_digi(hit: u32, number: u32, cycle_ns: u32, counted: ptr<function, u32>) -> bool {
    let elink = elink_of(hit);
    let adc = adc_of(hit);
    let time = bitcast<i32>(looked_up(elink * TIMES_OF_ELINK + adc));
    let of_elink = looked_up(TIMES + elink);
    let at = elink_and_channel_of(hit);
    let channel = looked_up(TIMES + ELINKS + at / 4u) >> (at % 4u * 8u) & 0xffu;
    let ns = cycle_ns + number * EPOCH_NS + rounded_eighths(ticks_of(hit)) / 8u + bitcast<u32>(time);
    let with_channel = of_elink + (channel << CHANNEL_SHIFT_IN_UPPER);
    let far = (of_elink & 0xffff0000u) | FAR_CHANNEL << CHANNEL_SHIFT_IN_UPPER;
    let upper = (select(with_channel, far, channel == FAR) & ~ADDRESS_HIGH) | adc;
    digi_of_hit = vec2u(ns | (of_elink & ADDRESS_HIGH) << 31u, upper);
    if !is_hit(hit) { return false; }
    if time == UNKNOWN_TIME { *counted += 0x10000u; }
    return time > UNKNOWN_TIME && channel != MASKED;
}

// A message for each lane at a time.
fn step_by_step(cycle: u64, before: Epoch, board: u32) {
    var epoch = before;
    var known = 0u;
    for (var first = 0u; first < PIECE_BYTES; first += LANES * MESSAGE_BYTES) {
        let message = message_in_window(first + lane * MESSAGE_BYTES);
        let starts_epoch = is_ts_msb(message);
        let beginning = votes(starts_epoch);
        let below = beginning & lanes_below(lane);
        let of_below = shuffled(number_of(message), highest_lane(below));
        let number_before = select(of_below, epoch.number, is_none(below));
        let wrapping = votes(starts_epoch && number_of(message) < number_before);
        var fate = UNWANTED;
        if is_hit(message) {
            let wraps = epoch.wraps + count_of(wrapping & (lanes_below(lane) | only_lane(lane)));
            fate = fate_of(message, since_start(cycle, number_before, wraps), board, arguments.rules);
        }
        let with_digi = votes(fate == DIGI);
        take(with_digi, message);
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

// True if hits of an epoch can be looked up.
fn is_inner(epoch: u64, board: u32) -> bool {
    let at = board * BOARD_WORDS;
    return epoch >= u64(boards[at]) && epoch < u64(boards[at + 1u]);
}

// Processes a piece with a whole warp. For a microslice that is refused, its first piece reports
// that.
fn unpack_piece(index: u32) {
    for (var i = 0u; i < COUNTS; i++) { found[i] = 0u; }
    let piece = pieces[index];
    if piece.x == NO_JOB { return; }
    let job = jobs[piece.x];
    if has_wrong_size(job) {
        found[SIZE_COUNT] = select(0u, 1u, piece.y == 0u);
        note_found(piece.x);
        return;
    }
    find_messages(job, piece.y);
    load_messages();
    let content = u32(job.begin);
    if has_wrong_first_messages(content) {
        found[FIRST_COUNT] = select(0u, 1u, piece.y == 0u);
        note_found(piece.x);
        return;
    }
    find_epochs();
    let before = epoch_before(index, piece.y, content);
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
    note_found(piece.x);
}

#part counts
// Counts of microslices: see pieces.h. It needs `counts`.

fn add_counts(job: u32) {
    if lane > 0u { return; }
    for (var i = 0u; i < COUNTS; i++) {
        if found[i] > 0u { atomicAdd(&counts[job * COUNTS + i], found[i]); }
    }
}

#part cached_lookup
// Lookup tables of a board, in workgroup memory (16.5 KiB).

var<workgroup> lookup: array<u32, LOOKUP_WORDS>;

fn looked_up(at: u32) -> u32 { return lookup[at]; }

// Includes a barrier.
fn keep_lookup(board: u32) {
    for (var i = thread; i < LOOKUP_WORDS; i += THREADS) {
        lookup[i] = boards[board * BOARD_WORDS + BOARD_HEAD + i];
    }
    workgroupBarrier();
}
