// Makes clusters of chains: see links.cu. A block per tile; the flags of digis with predecessors
// end with a whole word of eight.
#include "../formulas/clusters.wgsl"
#include "../formulas/found.wgsl"
#include "heads.wgsl"

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
