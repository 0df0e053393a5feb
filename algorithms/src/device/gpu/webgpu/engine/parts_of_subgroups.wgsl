// Operations on the lanes of a warp that may be a part of a subgroup.

fn votes(vote: bool) -> Mask {
    var words = subgroupBallot(vote);
    // First full words, then bits: the number of lanes of a warp is a power of two.
    if warp_base >= 64u { words = vec4u(words.zw, 0u, 0u); }
    if warp_base % 64u >= 32u { words = vec4u(words.yzw, 0u); }
    if LANES >= WORD_LANES { return of_words(words); }
    let own = words.x >> (warp_base % WORD_LANES) & ((1u << (LANES % WORD_LANES)) - 1u);
    return of_words(vec4u(own, 0u, 0u, 0u));
}

fn shuffled(value: u32, lane: u32) -> u32 { return subgroupShuffle(value, warp_base + lane); }

fn sum_up_to_lane(value: u32) -> u32 {
    var sum = value;
    for (var distance = 1u; distance < LANES; distance *= 2u) {
        let below = shuffled(sum, max(lane, distance) - distance);
        if lane >= distance { sum += below; }
    }
    return sum;
}

fn sum_of_warp(value: u32) -> u32 { return shuffled(sum_up_to_lane(value), LANES - 1u); }

fn min_of_warp(value: u32) -> u32 {
    var least = value;
    for (var distance = 1u; distance < LANES; distance *= 2u) {
        least = min(least, shuffled(least, lane ^ distance));
    }
    return least;
}

fn max_of_warp(value: u32) -> u32 { return ~min_of_warp(~value); }

// Barrier for workgroup memory that lanes of a warp share.
fn warp_barrier() { subgroupBarrier(); }
