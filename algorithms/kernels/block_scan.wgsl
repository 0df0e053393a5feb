// Prefix sums over a block: see block_scan.h. There may be as many warps as the smallest
// subgroups make.

const MOST_WARPS = THREADS / LEAST_LANES;
const_assert THREADS >= MOST_LANES;

var<workgroup> warp_sums: array<u32, MOST_WARPS>;
// The sum over all threads, after `block_exclusive_sum`.
var<private> block_total: u32;

// Warps of the block.
fn warps() -> u32 { return THREADS / lanes; }

// The sum over the threads below this one. All threads take part; a barrier is needed before
// `warp_sums` is used again.
fn block_exclusive_sum(value: u32) -> u32 {
    let inclusive = subgroupInclusiveAdd(value);
    if lane == lanes - 1u { warp_sums[warp] = inclusive; }
    workgroupBarrier();
    var before = inclusive - value;
    block_total = 0u;
    for (var other = 0u; other < warps(); other++) {
        let sum = warp_sums[other];
        before += select(0u, sum, other < warp);
        block_total += sum;
    }
    return before;
}
