// Unpacking of a piece of a microslice, from its bytes to a consumer of digis: see pieces.h.
// It needs the epoch before a piece (`epoch_before`), consumers of the hits for
// either algorithm (`look_up`, and `take` for those that have `digi_of_hit`), a consumer of the
// counts (`note_found`), and the lookup tables of the board (`looked_up`).
#include "../raw/hit.wgsl"
#include "piece.wgsl"

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
