#part blocks
// Start of all shaders. Blocks of one dimension may lie in a grid of two, because one dimension is
// limited: a shader returns at once if `block` is not below `arguments.blocks`. The index of a block
// in a grid of two or three dimensions is `invocation.group`.

// Index of the block in the grid, and of the thread in the block.
var<private> block: u32;
var<private> thread: u32;

struct InBlock {
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
}

fn enter(invocation: InBlock) {
    block = (invocation.group.z * invocation.groups.y + invocation.group.y) * invocation.groups.x
        + invocation.group.x;
    thread = invocation.thread;
}

// 64-bit integers are pairs of words, the low one first.
fn shifted_right(number: vec2u, bits: u32) -> vec2u {
    if bits == 0u { return number; }
    if bits >= 32u { return vec2u(number.y >> (bits - 32u), 0u); }
    return vec2u(number.x >> bits | number.y << (32u - bits), number.y >> bits);
}

fn shifted_left(number: vec2u, bits: u32) -> vec2u {
    if bits == 0u { return number; }
    if bits >= 32u { return vec2u(0u, number.x << (bits - 32u)); }
    return vec2u(number.x << bits, number.y << bits | number.x >> (32u - bits));
}

fn is_less(left: vec2u, right: vec2u) -> bool {
    return left.y < right.y || (left.y == right.y && left.x < right.x);
}

// Barrier for workgroup memory and for the block's writes to buffers.
fn block_barrier() {
    storageBarrier();
    workgroupBarrier();
}

#part lanes
// Start of all shaders with warps. A warp has LANES lanes, the minimum subgroup size of this GPU:
// it is a subgroup, or a part of one.

const WORD_LANES = 32u;

var<private> lane: u32;
var<private> warp: u32;
// The first lane of the warp in its subgroup.
var<private> warp_base: u32;

struct InWarp {
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) lanes: u32,
}

// The index of a thread is made of those of its lane and its subgroup, however a block is divided
// into subgroups.
fn enter_lanes(invocation: InWarp) {
    block = (invocation.group.z * invocation.groups.y + invocation.group.y) * invocation.groups.x
        + invocation.group.x;
    thread = invocation.subgroup * invocation.lanes + invocation.lane;
    lane = invocation.lane % LANES;
    warp = thread / LANES;
    warp_base = invocation.lane - lane;
}

#part masks_32
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

#part masks_128
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

#part whole_subgroups
// Operations on the lanes of a warp that is a full subgroup.

fn votes(vote: bool) -> Mask { return of_words(subgroupBallot(vote)); }
fn shuffled(value: u32, lane: u32) -> u32 { return subgroupShuffle(value, lane); }
fn sum_up_to_lane(value: u32) -> u32 { return subgroupInclusiveAdd(value); }
fn sum_of_warp(value: u32) -> u32 { return subgroupAdd(value); }
fn min_of_warp(value: u32) -> u32 { return subgroupMin(value); }
fn max_of_warp(value: u32) -> u32 { return subgroupMax(value); }

// Barrier for workgroup memory that lanes of a warp share.
fn warp_barrier() { subgroupBarrier(); }

#part parts_of_subgroups
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
