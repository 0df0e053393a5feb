// Pairs that may cross, until a block has one for each of its threads: see pairs.cu.
#include "hits.wgsl"

// Capacity for a remainder and all pairs added before any are removed.
var<workgroup> queue: array<vec2u, (1u + AT_ONCE) * THREADS>;
// Number of queued pairs, the same in all threads.
var<private> queued: u32;

// Adds those of a thread's pairs that have a bit. Includes barriers, one of them before any is
// written.
fn add_to_queue(may_cross: u32, pairs: array<vec2u, AT_ONCE>) {
    var at = queued + block_exclusive_sum(countOneBits(may_cross));
    for (var i = 0u; i < AT_ONCE; i++) {
        if (may_cross >> i & 1u) != 0u {
            queue[at] = pairs[i];
            at++;
        }
    }
    queued += block_total;
    workgroupBarrier();
}

// Takes one for each thread, the last ones first, and finds their hits.
fn take_from_queue() {
    let left = queued - min(queued, THREADS);
    let index = left + thread;
    var pair = vec2u(0u);
    if index < queued { pair = queue[index]; }
    find_hits_of(index < queued, pair);
    queued = left;
}
