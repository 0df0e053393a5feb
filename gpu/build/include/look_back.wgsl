// Single-pass prefix sums by decoupled look-back: see look_back.h. It needs `states`, two words per
// tile, of which the first is the status: a sum of 30 bits, and its kind in the upper bits. WebGPU
// guarantees no forward progress for blocks that wait: blocks of earlier tiles must have started,
// and started blocks must make progress, as they do on GPUs.

const SUM_OF_TILE = 0x40000000u;
const SUM_UP_TO_TILE = 0x80000000u;
const SUM_MASK = 0x3fffffffu;

fn wait_for_state(tile: u32) -> u32 {
    var state = atomicLoad(&states[tile]);
    while state < SUM_OF_TILE { state = atomicLoad(&states[tile]); }
    return state;
}

// Returns the exclusive prefix of a tile whose own sum is `sum`, in all lanes. The status words of
// the tiles start at index `first`. Called by one full warp, which reads the status of LANES tiles
// at a time.
fn sum_before(first: u32, tile: u32, sum: u32) -> u32 {
    if lane == 0u {
        atomicStore(&states[first + 2u * tile], select(SUM_OF_TILE, SUM_UP_TO_TILE, tile == 0u) | sum);
    }
    var before = 0u;
    for (var next = tile; next > 0u; next -= min(next, LANES)) {
        // Lanes read the tiles below `next`, the nearest first.
        var state = SUM_UP_TO_TILE;
        if lane < next { state = wait_for_state(first + 2u * (next - 1u - lane)); }
        let ends = votes(state >= SUM_UP_TO_TILE);
        var last = LANES - 1u;
        if !is_none(ends) { last = first_of(ends); }
        before += sum_of_warp(select(0u, state & SUM_MASK, lane <= last));
        if !is_none(ends) { break; }
    }
    if lane == 0u && tile > 0u { atomicStore(&states[first + 2u * tile], SUM_UP_TO_TILE | (before + sum)); }
    return before;
}
