// Pieces of microslices: see pieces.h, also for how a warp gets the epoch
// before its own. It needs `states`: two words per piece from `epochs_at` on; each has 29 bits of
// the status below two bits of its kind. The two words belong together if their kinds are equal.

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
