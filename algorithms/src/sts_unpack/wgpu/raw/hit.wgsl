// A hit, step by step: see raw.h, also for what boards are. Times need 64 bits, and
// corrections of them fractions of 64 bits.
#include "message.wgsl"

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
