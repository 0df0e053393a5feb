// Blocks with a counter for each side: see tiles.cu.
#include "../formulas/stream.wgsl"

// The launcher assumes this value.
const MAX_SIDES = 2048u;
// Few blocks with so much memory fit at once, so they have many threads.
const THREADS = min(1024u, MAX_THREADS);

// Number of a block's digis of each side.
var<workgroup> counted: array<atomic<u32>, MAX_SIDES>;

// Includes a barrier.
fn clear_counters() {
    for (var side = thread; side < arguments.sides; side += THREADS) { atomicStore(&counted[side], 0u); }
    workgroupBarrier();
}

// Index of a side's counter in device memory, where back sides start at `backs`.
fn counter_of(side: u32) -> u32 {
    let modules = arguments.sides / 2u;
    return select(arguments.backs + side - modules, side, side < modules);
}
