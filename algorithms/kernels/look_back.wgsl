// Prefix sums in one pass, by decoupled look-back: see look_back.h. It needs `states`, two words
// for each tile, of which the first says it all: a sum of 30 bits, and above it what that is the
// sum of. WebGPU promises nobody who waits that others go on: tiles before must be those of blocks
// that have begun, and blocks that have begun must go on, as they do on GPUs.

const SUM_OF_TILE = 0x40000000u;
const SUM_UP_TO_TILE = 0x80000000u;
const SUM_MASK = 0x3fffffffu;

fn told_by(tile: u32) -> u32 {
    var state = atomicLoad(&states[tile]);
    while state < SUM_OF_TILE { state = atomicLoad(&states[tile]); }
    return state;
}

// The sum of all tiles before one whose own is `sum`, for all lanes. The states of tiles begin at
// `first`. One whole warp calls it, with as many tiles at a time as it has lanes.
fn sum_before(first: u32, tile: u32, sum: u32) -> u32 {
    if lane == 0u {
        atomicStore(&states[first + 2u * tile], select(SUM_OF_TILE, SUM_UP_TO_TILE, tile == 0u) | sum);
    }
    var before = 0u;
    for (var next = tile; next > 0u; next -= min(next, LANES)) {
        // Lanes look at the tiles below `next`, from the nearest on.
        var state = SUM_UP_TO_TILE;
        if lane < next { state = told_by(first + 2u * (next - 1u - lane)); }
        let ends = votes(state >= SUM_UP_TO_TILE);
        var last = LANES - 1u;
        if !is_none(ends) { last = first_of(ends); }
        before += sum_of_warp(select(0u, state & SUM_MASK, lane <= last));
        if !is_none(ends) { break; }
    }
    if lane == 0u && tile > 0u { atomicStore(&states[first + 2u * tile], SUM_UP_TO_TILE | (before + sum)); }
    return before;
}
