// Blocks with a counter for each side: see tiles.cu.
#include "../formulas/stream.wgsl"

// The launcher reckons with as many.
const MOST_SIDES = 2048u;
// Few blocks with so much memory find room at once, so they have many threads.
const THREADS = min(1024u, MOST_THREADS);

// How many digis a block has of each side.
var<workgroup> counted: array<atomic<u32>, MOST_SIDES>;

// A barrier is included.
fn clear_counters() {
    for (var side = thread; side < arguments.sides; side += THREADS) { atomicStore(&counted[side], 0u); }
    workgroupBarrier();
}

// Where counters of a side are in device memory, whose back sides begin at `backs`.
fn place_of(side: u32) -> u32 {
    let modules = arguments.sides / 2u;
    return select(arguments.backs + side - modules, side, side < modules);
}
