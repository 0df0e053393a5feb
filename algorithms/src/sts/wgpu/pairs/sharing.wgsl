// The pairs of a group of fronts, shared by the threads of a block: see pairs.cu. In CUDA,
// warps share them without barriers; not all GPUs can synchronize the lanes of a subgroup.
#include "../formulas/lines.wgsl"
#include "block_scan.wgsl"
#include "job.wgsl"

// Pairs that are marked at a time: a word for each thread.
const STRETCH = BITS * THREADS;

// Data of a front with partners that decide which of them may cross it; `number` is its index in
// order of time, and `to_back` is added to the index of a pair to get that of its back.
struct Front { edge: u32, widths: i32, number: u32, to_back: u32 }

// Side by side.
var<workgroup> shared_fronts: array<Front, THREADS>;
// Bits of a stretch: set for the first pair of each front.
var<workgroup> firsts: array<atomic<u32>, THREADS>;
// First pairs before those of each word.
var<workgroup> firsts_before: array<u32, THREADS>;
// True if the thread's front has pairs.
var<private> has_pairs: bool;
var<private> first_pair: u32;
// Fronts whose first pair was in an earlier stretch.
var<private> marked: u32;

// Shares the fronts of a block, one per thread; returns their number of pairs. Includes barriers.
fn share_fronts(number: u32, end: u32) -> u32 {
    var thread_partners = Partners();
    if number < end { thread_partners = partners[front_begin + number]; }
    has_pairs = thread_partners.count > 0u;
    first_pair = block_exclusive_sum(thread_partners.count);
    let pairs = block_total;
    workgroupBarrier();
    let index = votes_before(has_pairs);
    if has_pairs {
        let line = lines[front_begin + number];
        shared_fronts[index] = Front(line.edge, line.widths, number, thread_partners.first - first_pair);
    }
    marked = 0u;
    workgroupBarrier();
    return pairs;
}

// Flags the first pair of each front in the stretch that starts at `begin`. Includes barriers.
fn mark(begin: u32) {
    atomicStore(&firsts[thread], 0u);
    workgroupBarrier();
    // Below 0 it is a large number.
    let pair = first_pair - begin;
    if has_pairs && pair < STRETCH { atomicOr(&firsts[pair / BITS], 1u << (pair % BITS)); }
    workgroupBarrier();
    firsts_before[thread] = marked + block_exclusive_sum(countOneBits(atomicLoad(&firsts[thread])));
    marked += block_total;
    workgroupBarrier();
}

// The front of a pair, by its number in the stretch.
fn front_of(pair: u32) -> Front {
    let word = pair / BITS;
    let firsts_to_pair = atomicLoad(&firsts[word]) & ((2u << (pair % BITS)) - 1u);
    return shared_fronts[firsts_before[word] + countOneBits(firsts_to_pair) - 1u];
}
