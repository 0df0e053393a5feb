// Sets of up to 128 lanes.
alias Mask = vec4u;
const NO_LANES: Mask = vec4u(0u);

fn of_words(words: vec4u) -> Mask { return words; }

fn count_of(mask: Mask) -> u32 {
    let counts = countOneBits(mask);
    return counts.x + counts.y + counts.z + counts.w;
}

fn is_none(mask: Mask) -> bool { return all(mask == NO_LANES); }

fn first_of(mask: Mask) -> u32 {
    if mask.x != 0u { return firstTrailingBit(mask.x); }
    if mask.y != 0u { return 32u + firstTrailingBit(mask.y); }
    if mask.z != 0u { return 64u + firstTrailingBit(mask.z); }
    return 96u + firstTrailingBit(mask.w);
}

fn last_of(mask: Mask) -> u32 {
    if mask.w != 0u { return 96u + firstLeadingBit(mask.w); }
    if mask.z != 0u { return 64u + firstLeadingBit(mask.z); }
    if mask.y != 0u { return 32u + firstLeadingBit(mask.y); }
    return firstLeadingBit(mask.x);
}

fn has(mask: Mask, lane: u32) -> bool { return (mask[lane / 32u] >> (lane % 32u) & 1u) != 0u; }

fn lanes_below(lane: u32) -> Mask {
    let own = (1u << (lane % 32u)) - 1u;
    let word = vec4u(lane / 32u);
    let number = vec4u(0u, 1u, 2u, 3u);
    return select(select(NO_LANES, vec4u(own), number == word), vec4u(~0u), number < word);
}

fn only_lane(lane: u32) -> Mask {
    let word = vec4u(lane / 32u);
    return select(NO_LANES, vec4u(1u << (lane % 32u)), vec4u(0u, 1u, 2u, 3u) == word);
}
