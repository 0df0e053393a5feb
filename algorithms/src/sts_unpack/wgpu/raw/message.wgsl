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
