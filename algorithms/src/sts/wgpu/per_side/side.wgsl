// Clusters by a block per side, which runs the three steps one after the other: see per_side.cu.
#include "../formulas/channels.wgsl"
#include "../formulas/clusters.wgsl"
#include "../formulas/connecting.wgsl"
#include "../formulas/found.wgsl"

struct Arguments { blocks: u32, sides: u32, window_ns: u32, whole_ns: u32, crowd_ns: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> channels: array<u32>;
@group(0) @binding(3) var<storage, read_write> connectors: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read> tables: ClusterTables;
@group(0) @binding(6) var<storage, read_write> clusters: array<Cluster>;
@group(0) @binding(7) var<storage, read_write> found: array<Counted>;

// All GPUs support this many threads.
const THREADS = 256u;

fn follower(begin: u32, index: u32) -> u32 { return atomicLoad(&connectors[begin + index]) & ~FOLLOWS; }

// The cluster of the chain that a digi leads, if it does.
fn follow(begin: u32, index: u32) {
    if (atomicLoad(&connectors[begin + index]) & FOLLOWS) != 0u { return; }
    let cluster = cluster_of(begin, index, offset_of(block, arguments.blocks));
    clusters[begin + atomicAdd(&found[block].clusters, 1u)] = cluster;
    raise_error(block, cluster.time_error);
}

fn find_clusters() {
    let side = side_of(block);
    for (var index = thread; index < side.count; index += THREADS) { find_channels(side, index); }
    block_barrier();
    for (var index = thread; index < side.count; index += THREADS) { connect(side, index); }
    block_barrier();
    for (var index = thread; index < side.count; index += THREADS) { follow(side.begin, index); }
}
