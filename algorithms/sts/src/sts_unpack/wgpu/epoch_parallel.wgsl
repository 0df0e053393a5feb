#part unpack_by_blocks
// A block per microslice, as published: see epoch_parallel.cu.
#include "block_scan.wgsl"
#include "raw.wgsl"

struct Arguments { blocks: u32, job_count: u32, rules: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(3) var<storage, read> first_slots: array<u32>;
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<vec2u>;

// Numbers of all epochs that start in the tile, after that in which the tile starts.
var<workgroup> numbers: array<u32, THREADS + 1u>;
var<workgroup> counted: array<atomic<u32>, COUNTS>;

// Inclusive scan over the threads of a block. Barriers before and after.
fn sum_up_to_here(flag: bool) -> u32 {
    workgroupBarrier();
    let one = select(0u, 1u, flag);
    return block_exclusive_sum(one) + one;
}

// Adds up a count that is zero in most warps.
fn count(counter: u32, flag: bool) {
    let all = votes(flag);
    if !is_none(all) && lane == 0u { atomicAdd(&counted[counter], count_of(all)); }
}

// Processes the messages after the first two.
fn unpack(job: Job, content: u32, first_slot: u32) {
    let base = first_of_cycle(job);
    let messages = messages_of(job);
    var wraps = 0u;
    var digis = 0u;
    if thread == 0u { numbers[0] = number_of(message_at(content + MESSAGE_BYTES)); }
    for (var tile = FIRST_MESSAGES; tile < messages; tile += THREADS) {
        let at = tile + thread;
        var message = DUMMY;
        if at < messages { message = message_at(content + at * MESSAGE_BYTES); }
        let starts_epoch = is_ts_msb(message);
        let hits = is_hit(message);
        let epoch = sum_up_to_here(starts_epoch);
        let begun = block_total;
        if starts_epoch { numbers[epoch] = number_of(message); }
        workgroupBarrier();
        let number = numbers[epoch];
        var wraps_here = false;
        if starts_epoch { wraps_here = number < numbers[epoch - 1u]; }
        let wraps_up_to_here = wraps + sum_up_to_here(wraps_here);
        let wrapped = block_total;
        var fate = UNWANTED;
        if hits {
            let time = since_start(base, number, wraps_up_to_here);
            fate = fate_of(message, time, job.board, arguments.rules);
        }
        let slot = sum_up_to_here(fate == DIGI);
        let found = block_total;
        if fate == DIGI { slots[first_slot + digis + slot - 1u] = digi_of_hit; }
        count(OTHER, at < messages && !starts_epoch && !hits);
        count(ELINK_COUNT, fate == UNKNOWN_ELINK);
        count(OVERFLOW_COUNT, overflows(fate, arguments.rules));
        count(UNDEFINED_COUNT, fate == UNDEFINED);
        // All threads have read their numbers before the last scan.
        if thread == 0u { numbers[0] = numbers[begun]; }
        wraps += wrapped;
        digis += found;
    }
    if thread == 0u { atomicStore(&counted[DIGIS], digis); }
}

@compute @workgroup_size(THREADS)
fn unpack_by_blocks(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks || block >= arguments.job_count { return; }
    let job = jobs[block];
    let content = u32(job.begin);
    let has_board = job.board != NO_BOARD;
    let wrong_size = has_board && has_wrong_size(job);
    var wrong_first = false;
    if has_board && !wrong_size { wrong_first = has_wrong_first_messages(content); }
    if thread < COUNTS { atomicStore(&counted[thread], 0u); }
    workgroupBarrier();
    if thread == 0u && wrong_size { atomicStore(&counted[SIZE_COUNT], 1u); }
    if thread == 0u && wrong_first { atomicStore(&counted[FIRST_COUNT], 1u); }
    if has_board && !wrong_size && !wrong_first { unpack(job, content, first_slots[block]); }
    workgroupBarrier();
    if thread < COUNTS { counts[block * COUNTS + thread] = atomicLoad(&counted[thread]); }
}
