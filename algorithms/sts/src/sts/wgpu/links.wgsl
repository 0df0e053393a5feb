// The sides that a tile has digis of: see links.cu.
#include "formulas/sides.wgsl"

const TILE = THREADS * ITEMS;

struct SidesOfTile { first: u32, last: u32 }

fn digi_count() -> u32 { return segment_offsets[arguments.sides]; }

// The side of a position, from `first` on, found by a warp, which compares one side per lane at a
// time.
fn warp_side_of(first: u32, position: u32) -> u32 {
    var low = first;
    var high = arguments.sides;
    while high - low > 1u {
        let step = (high - low + LANES - 1u) / LANES;
        let index = low + (lane + 1u) * step;
        let passed = count_of(votes(index < high && segment_offsets[index] <= position));
        low += passed * step;
        high = min(high, low + step);
    }
    return low;
}

// Each warp looks for the sides of the block's tile, which is not empty: that is faster than to wait
// for others.
fn sides_of_tile() -> SidesOfTile {
    let first = block * TILE;
    let last = min(first + TILE, digi_count()) - 1u;
    let side = warp_side_of(0u, first);
    if last < segment_offsets[side + 1u] { return SidesOfTile(side, side); }
    return SidesOfTile(side, warp_side_of(side, last));
}

fn is_one(sides: SidesOfTile) -> bool { return sides.first == sides.last; }

fn side_in(sides: SidesOfTile, index: u32) -> u32 {
    return segment_among(sides.first, sides.last - sides.first + 1u, index);
}

#part cluster_link_RULES
// Writes connectors, and a byte for each digi that follows another one: see links.cu. A block per tile.
#include "formulas/following.wgsl"
#include "formulas/rules.wgsl" RULES_sought

struct Arguments { blocks: u32, sides: u32, window_ns: u32, whole_ns: u32, crowd_ns: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> connectors: array<u32>;
@group(0) @binding(4) var<storage, read_write> follows: array<atomic<u32>>;

fn link_tile() {
    let first = block * TILE;
    let end = min(first + TILE, digi_count());
    if block >= arguments.blocks || first >= end { return; }
    let sides = sides_of_tile();
    for (var index = first + thread; index < end; index += THREADS) {
        let side = side_in(sides, index);
        let begin = segment_offsets[side];
        link(Followers(begin, segment_offsets[side + 1u] - begin), index - begin);
    }
}

@compute @workgroup_size(THREADS)
fn cluster_link_RULES(invocation: InWarp) {
    enter_lanes(invocation);
    link_tile();
}

#part cluster_heads_RULES
// The first digis of a tile's chains: see links.cu. Chains of a single digi and others are apart.
#include "block_scan.wgsl"
#include "formulas/clusters.wgsl"
#include "formulas/rules.wgsl" RULES_times

// In ascending order, from a number of the list on; `first` is the tile's first digi.
struct Heads { first: u32, count: u32, list: u32 }
struct HeadsOfTile { singles: Heads, others: Heads }
// Chain heads among a thread's digis: a bit each.
struct ThreadHeads { singles: u32, others: u32 }

// Offset of each head in the tile, and the indices reserved for clusters.
var<workgroup> head_list: array<u32, TILE>;
var<workgroup> cluster_indices: array<u32, TILE>;

fn digi_index(heads: Heads, rank: u32) -> u32 { return heads.first + head_list[heads.list + rank]; }

// Number of heads before a position.
fn heads_before(heads: Heads, end: u32) -> u32 {
    var low = 0u;
    var high = heads.count;
    while low < high {
        let middle = (low + high) / 2u;
        if digi_index(heads, middle) < end { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

fn heads_of_thread(first: u32, count: u32) -> ThreadHeads {
    var thread_heads = ThreadHeads(0u, 0u);
    if first >= count { return thread_heads; }
    let bytes = follows[first / ITEMS];
    for (var i = 0u; i < ITEMS && first + i < count; i++) {
        if (shifted_right(bytes, 8u * i).x & 0xffu) != 0u { continue; }
        if connectors[first + i] == NO_SUCCESSOR { thread_heads.singles |= 1u << i; } else { thread_heads.others |= 1u << i; }
    }
    return thread_heads;
}

// Writes the offsets of a thread's heads to the list.
fn write_heads(heads: u32, list: u32) {
    var at = list;
    for (var i = 0u; i < ITEMS; i++) {
        if (heads >> i & 1u) != 0u {
            head_list[at] = thread * ITEMS + i;
            at++;
        }
    }
}

// Gathers the heads of the block's tile, singles first: two counts share a word. All threads take
// part; a barrier is included.
fn gather_heads() -> HeadsOfTile {
    let first = block * TILE;
    let thread_heads = heads_of_thread(first + thread * ITEMS, digi_count());
    let counts = countOneBits(thread_heads.others) << 16u | countOneBits(thread_heads.singles);
    let before = block_exclusive_sum(counts);
    let singles = block_total & 0xffffu;
    write_heads(thread_heads.singles, before & 0xffffu);
    write_heads(thread_heads.others, singles + (before >> 16u));
    workgroupBarrier();
    return HeadsOfTile(Heads(first, singles, 0u), Heads(first, block_total >> 16u, singles));
}

// Reserves indices for the clusters of each side: `cluster_indices` has the first one at the rank
// of the side's first head.
fn reserve_clusters(heads: Heads, sides: SidesOfTile) {
    for (var rank = thread; rank < heads.count; rank += THREADS) {
        let side = side_in(sides, digi_index(heads, rank));
        if rank > 0u && digi_index(heads, rank - 1u) >= segment_offsets[side] { continue; }
        let count = heads_before(heads, segment_offsets[side + 1u]) - rank;
        cluster_indices[heads.list + rank] = atomicAdd(&found[side].clusters, count);
    }
}

// Index of a head's cluster.
fn index_of_cluster(heads: Heads, rank: u32, begin: u32) -> u32 {
    var leader = 0u;
    if begin > heads.first { leader = heads_before(heads, begin); }
    return begin + cluster_indices[heads.list + leader] + rank - leader;
}

// Makes clusters of chains: see links.cu. A block per tile; the flags of digis with predecessors
// end with a whole word of eight.

struct Arguments { blocks: u32, sides: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> connectors: array<u32>;
@group(0) @binding(4) var<storage, read> follows: array<vec2u>;
@group(0) @binding(5) var<storage, read> tables: ClusterTables;
@group(0) @binding(6) var<storage, read_write> clusters: array<Cluster>;
@group(0) @binding(7) var<storage, read_write> found: array<Counted>;

const ITEMS = 8u;

const SINGLES = 0u;
const OTHERS = 1u;

// The rank of each list that is the next to be taken.
var<workgroup> turns: array<atomic<u32>, 2>;
// The bits of the largest error of this thread's clusters, if the tile has a single side.
var<private> thread_error: u32;

fn follower(begin: u32, index: u32) -> u32 { return connectors[begin + index]; }

// Few words are updated by many threads, so a tile with a single side reduces within the block
// first.
fn note_error(sides: SidesOfTile, side: u32, error: f32) {
    let bits = bitcast<u32>(error);
    if is_one(sides) { thread_error = max(thread_error, bits); } else { atomicMax(&found[side].latest_error, bits); }
}

// All threads take part, whatever the sides are.
fn tell_error(sides: SidesOfTile) {
    let largest = max_of_warp(thread_error);
    workgroupBarrier();
    if lane == 0u { warp_sums[warp] = largest; }
    workgroupBarrier();
    if thread != 0u || !is_one(sides) { return; }
    for (var other = 0u; other < WARPS; other++) { thread_error = max(thread_error, warp_sums[other]); }
    atomicMax(&found[sides.first].latest_error, thread_error);
}

// Dynamic distribution of the ranks of a list to warps, one per lane at a time: some chains are
// longer than others.
fn take_turn(list: u32) -> u32 {
    var first = 0u;
    if lane == 0u { first = atomicAdd(&turns[list], LANES); }
    return shuffled(first, 0u) + lane;
}

fn follow_singles(heads: Heads, sides: SidesOfTile) {
    for (var rank = take_turn(SINGLES); rank - lane < heads.count; rank = take_turn(SINGLES)) {
        if rank < heads.count {
            let index = digi_index(heads, rank);
            let side = side_in(sides, index);
            let cluster = cluster_of_one(digis[index], offset_of(side, arguments.sides));
            clusters[index_of_cluster(heads, rank, segment_offsets[side])] = cluster;
            note_error(sides, side, cluster.time_error);
        }
    }
}

fn follow_others(heads: Heads, sides: SidesOfTile) {
    for (var rank = take_turn(OTHERS); rank - lane < heads.count; rank = take_turn(OTHERS)) {
        if rank < heads.count {
            let index = digi_index(heads, rank);
            let side = side_in(sides, index);
            let begin = segment_offsets[side];
            let cluster = cluster_of(begin, index - begin, offset_of(side, arguments.sides));
            clusters[index_of_cluster(heads, rank, begin)] = cluster;
            note_error(sides, side, cluster.time_error);
        }
    }
}

fn follow_tile() {
    if block >= arguments.blocks || block * TILE >= digi_count() { return; }
    if thread < 2u { atomicStore(&turns[thread], 0u); }
    let heads = gather_heads();
    let sides = sides_of_tile();
    reserve_clusters(heads.singles, sides);
    reserve_clusters(heads.others, sides);
    workgroupBarrier();
    // Long ones first, so that no warp is left with them at the end.
    follow_others(heads.others, sides);
    follow_singles(heads.singles, sides);
    tell_error(sides);
}

@compute @workgroup_size(THREADS)
fn cluster_heads_RULES(invocation: InWarp) {
    enter_lanes(invocation);
    follow_tile();
}
