// Sets of up to 32 lanes.
alias Mask = u32;
const NO_LANES: Mask = 0u;

fn of_words(words: vec4u) -> Mask { return words.x; }
fn count_of(mask: Mask) -> u32 { return countOneBits(mask); }
fn is_none(mask: Mask) -> bool { return mask == 0u; }
fn first_of(mask: Mask) -> u32 { return firstTrailingBit(mask); }
fn last_of(mask: Mask) -> u32 { return firstLeadingBit(mask); }
fn has(mask: Mask, lane: u32) -> bool { return (mask >> lane & 1u) != 0u; }
fn lanes_below(lane: u32) -> Mask { return (1u << lane) - 1u; }
fn only_lane(lane: u32) -> Mask { return 1u << lane; }
