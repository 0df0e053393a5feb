// Prefix sums over a block: see block_scan.h. A block consists of full subgroups.

const WARPS = THREADS / LANES;
const_assert THREADS % SUBGROUP_LANES == 0u;

var<workgroup> warp_sums: array<u32, WARPS>;
// Sum over all threads, after `block_exclusive_sum`.
var<private> block_total: u32;

// Exclusive prefix sum over the threads of the block. All threads must call it; a barrier is needed
// before `warp_sums` is used again.
fn block_exclusive_sum(value: u32) -> u32 {
    let inclusive = sum_up_to_lane(value);
    if lane == LANES - 1u { warp_sums[warp] = inclusive; }
    workgroupBarrier();
    var before = inclusive - value;
    if WARPS <= LANES {
        var others = 0u;
        if lane < WARPS { others = warp_sums[lane]; }
        let scanned = sum_up_to_lane(others);
        block_total = shuffled(scanned, WARPS - 1u);
        return before + shuffled(scanned - others, warp);
    }
    block_total = 0u;
    for (var other = 0u; other < WARPS; other++) {
        let sum = warp_sums[other];
        before += select(0u, sum, other < warp);
        block_total += sum;
    }
    return before;
}

// Number of lower threads for which `yes` is true; `block_total` is the number of all such threads.
// Barriers are as for `block_exclusive_sum`.
fn votes_before(yes: bool) -> u32 {
    let ballot = votes(yes);
    if lane == 0u { warp_sums[warp] = count_of(ballot); }
    workgroupBarrier();
    var before = count_of(ballot & lanes_below(lane));
    block_total = 0u;
    for (var other = 0u; other < WARPS; other++) {
        let count = warp_sums[other];
        before += select(0u, count, other < warp);
        block_total += count;
    }
    return before;
}
