// Makes clusters of chains, in an order left to chance: see connectors.cu. A thread a digi.
#include "../formulas/clusters.wgsl"
#include "../formulas/found.wgsl"
#include "../formulas/sides.wgsl"

struct Arguments { blocks: u32, sides: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> connectors: array<u32>;
@group(0) @binding(5) var<storage, read> tables: ClusterTables;
@group(0) @binding(6) var<storage, read_write> clusters: array<Cluster>;
@group(0) @binding(7) var<storage, read_write> found: array<Counted>;

fn follower(begin: u32, index: u32) -> u32 { return connectors[begin + index] & ~FOLLOWS; }

fn follow_own() {
    let index = block * THREADS + thread;
    if block >= arguments.blocks || index >= segment_offsets[arguments.sides] { return; }
    if (connectors[index] & FOLLOWS) != 0u { return; }
    let side = segment_of(arguments.sides, index);
    let begin = segment_offsets[side];
    let cluster = cluster_of(begin, index - begin, offset_of(side, arguments.sides));
    clusters[begin + atomicAdd(&found[side].clusters, 1u)] = cluster;
    raise_error(side, cluster.time_error);
}
