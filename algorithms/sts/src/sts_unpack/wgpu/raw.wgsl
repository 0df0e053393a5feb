// Messages and microslices: see raw.h. Kernels have raw
// data, jobs and boards in the same order.

@group(0) @binding(0) var<storage, read> bytes: array<u32>;
@group(0) @binding(1) var<storage, read> jobs: array<Job>;
@group(0) @binding(2) var<storage, read> boards: array<u32>;

struct Job { begin: u64, index: u64, first_epoch: u64, bytes: u32, board: u32 }

// 3200 ns for each number of 29 bits.
const CYCLE_NS = 1717986918400li;
// Words of what is counted of a microslice, and where.
const COUNTS = 7u;
const DIGIS = 0u;
const OTHER = 1u;
const ELINK_COUNT = 2u;
const FIRST_COUNT = 3u;
const SIZE_COUNT = 4u;
const OVERFLOW_COUNT = 5u;
const UNDEFINED_COUNT = 6u;

// A message at any byte, aligned or not.
fn message_at(at: u32) -> u32 {
    let word = bytes[at / MESSAGE_BYTES];
    let shift = at % MESSAGE_BYTES * 8u;
    if shift == 0u { return word; }
    return word >> shift | bytes[at / MESSAGE_BYTES + 1u] << (32u - shift);
}

fn is_epoch(message: u32) -> bool { return message >> TYPE_SHIFT == EPOCH; }
fn is_ts_msb(message: u32) -> bool { return message >> TYPE_SHIFT == TS_MSB; }
// Number of the epoch of a TS_MSB.
fn number_of(message: u32) -> u32 { return message & ((1u << TYPE_SHIFT) - 1u); }
// Charge of a hit; dummies have none.
fn adc_of(message: u32) -> u32 { return message >> 10u & 0x1fu; }
fn is_hit(message: u32) -> bool { return (message >> 31u) == 0u && adc_of(message) > 0u; }
fn elink_of(message: u32) -> u32 { return message >> 22u & 0x3fu; }
fn channel_of(message: u32) -> u32 { return message >> 15u & 0x7fu; }
// E-link and channel of a hit in one number.
fn elink_and_channel_of(message: u32) -> u32 { return message >> 15u & 0x1fffu; }
// Ticks of a hit since the begin of the epoch, without the highest bit.
fn ticks_of(message: u32) -> u32 { return (message >> 1u & 0x1ffu) | (message >> 30u & 1u) << 9u; }
// From ticks to eighths of ns, and half a ns more: what is cut then is rounded.
fn rounded_eighths(ticks: u32) -> u32 { return 25u * ticks + 4u; }

fn messages_of(job: Job) -> u32 { return job.bytes / MESSAGE_BYTES; }

fn has_wrong_size(job: Job) -> bool {
    return job.bytes % MESSAGE_BYTES != 0u || messages_of(job) < FIRST_MESSAGES;
}

fn has_wrong_first_messages(content: u32) -> bool {
    return !is_epoch(message_at(content)) || !is_ts_msb(message_at(content + MESSAGE_BYTES));
}

// The first epoch of the cycle in which a microslice starts, counted from that in which its
// timeslice does. Signed division, as in the experiment's code.
fn first_of_cycle(job: Job) -> u64 {
    let cycle = bitcast<u64>(bitcast<i64>(job.index) / CYCLE_NS);
    return cycle * u64(EPOCHS_PER_CYCLE) - job.first_epoch;
}

// An epoch by its number and how many cycles have started since the microslice did, counted from
// that in which the timeslice starts.
fn since_start(first_of_cycle: u64, number: u32, wraps: u32) -> u64 {
    return first_of_cycle + u64(wraps) * u64(EPOCHS_PER_CYCLE) + u64(number);
}

// A hit, step by step: see raw.h, also for what boards are. Times need 64 bits, and
// corrections of them fractions of 64 bits.

// Words of a board before its links, and of a link and its parts.
const LOOKUP_WORDS = TIMES + ELINKS + ALL_CHANNELS / 4u;
const BOARD_HEAD = 4u;
const LINKS_AT = BOARD_HEAD + LOOKUP_WORDS;
const OFFSET_AT = 2u;
const WALKS_NS_AT = 4u;
const WALKS_AT = WALKS_NS_AT + 2u * ADC_VALUES;
const CUT_AT = WALKS_AT + 1u;
const MASKED_AT = CUT_AT + 1u;
const CHARGES_AT = MASKED_AT + ASIC_CHANNELS / 32u;
const CHANNELS_AT = CHARGES_AT + ADC_VALUES / 2u;
const LINK_WORDS = CHANNELS_AT + ASIC_CHANNELS / 2u;
const BOARD_WORDS = LINKS_AT + ELINKS * LINK_WORDS;
const END_OF_TIMES = 18446744073709551616.0lf;

// The digi of the hit that was processed last.
var<private> digi_of_hit: vec2u;
var<private> time_of_hit: u32;

fn number_at(word: u32) -> u64 { return u64(boards[word]) | u64(boards[word + 1u]) << 32u; }

fn half_at(word: u32, number: u32) -> u32 {
    return boards[word + number / 2u] >> (number % 2u * 16u) & 0xffffu;
}

fn fate_of_2023(ns: u64) -> u32 {
    time_of_hit = u32(ns & u64(MAX_TIME_NS));
    return select(UNDEFINED, DIGI, (ns >> 32u) == 0lu);
}

fn current_fate(ns: u64) -> u32 {
    time_of_hit = u32(ns & 0xfffffffflu);
    return select(LATE, DIGI, ns <= u64(MAX_TIME_NS));
}

// Outcome of a hit with a correction of its time.
fn corrected_fate(ns: u64, walk_ns: f64) -> u32 {
    let corrected = f64(ns) + walk_ns;
    if corrected <= -1.0lf || corrected >= END_OF_TIMES { return UNDEFINED; }
    if corrected >= f64(MAX_TIME_NS) + 1.0lf { return LATE; }
    time_of_hit = u32(max(corrected, 0.0lf));
    return DIGI;
}

// Outcome of a hit in an epoch, counted from that in which the timeslice starts.
fn fate_of(message: u32, epoch: u64, board: u32, rules: u32) -> u32 {
    let elink = elink_of(message);
    let adc = adc_of(message);
    let channel = channel_of(message);
    let at = board * BOARD_WORDS;
    if elink >= boards[at + 2u] { return UNKNOWN_ELINK; }
    let link = at + LINKS_AT + elink * LINK_WORDS;
    let masked = boards[link + MASKED_AT + channel / 32u] >> (channel % 32u) & 1u;
    if adc <= boards[link + CUT_AT] || masked != 0u { return UNWANTED; }
    // The sum wraps before it is divided.
    let eighths = epoch * u64(EIGHTHS_PER_EPOCH) + u64(rounded_eighths(ticks_of(message)));
    let ns = eighths / 8lu - number_at(link + OFFSET_AT);
    time_of_hit = 0u;
    var fate: u32;
    if rules == OF_2023 {
        fate = fate_of_2023(ns);
    } else if adc <= boards[link + WALKS_AT] {
        fate = corrected_fate(ns, bitcast<f64>(number_at(link + WALKS_NS_AT + 2u * (adc - 1u))));
    } else {
        fate = current_fate(ns);
    }
    let charge = half_at(link + CHARGES_AT, adc);
    let upper = (half_at(link + CHANNELS_AT, channel) << 5u | charge) & 0xffffu;
    digi_of_hit = vec2u(boards[link] | time_of_hit, boards[link + 1u] | upper);
    return fate;
}

// The code of 2023 does not check the range.
fn overflows(fate: u32, rules: u32) -> bool {
    return fate == LATE || (fate == UNDEFINED && rules == CURRENT);
}
