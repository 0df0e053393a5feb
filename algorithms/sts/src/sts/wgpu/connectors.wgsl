#part cluster_channels
// Offsets of the channels of each side: see connectors.cu. A thread per digi.
#include "formulas/connecting.wgsl" channels
#include "formulas/sides.wgsl"

struct Arguments { blocks: u32, sides: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> channels: array<u32>;

@compute @workgroup_size(THREADS)
fn cluster_channels(invocation: InBlock) {
    enter(invocation);
    let index = block * THREADS + thread;
    if block >= arguments.blocks || index >= segment_offsets[arguments.sides] { return; }
    let side = side_of(segment_of(arguments.sides, index));
    find_channels(side, index - side.begin);
}

#part cluster_connect_walk_RULES
// Writes connectors, which are zero at the start: see connectors.cu. A thread a digi.
#include "formulas/connecting.wgsl" links
#include "formulas/sides.wgsl"
#include "formulas/rules.wgsl" RULES_window

struct Arguments { blocks: u32, sides: u32, window_ns: u32, whole_ns: u32, crowd_ns: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> channels: array<u32>;
@group(0) @binding(3) var<storage, read_write> connectors: array<atomic<u32>>;

fn digi_index() -> u32 { return block * THREADS + thread; }
fn has_digi() -> bool { return block < arguments.blocks && digi_index() < segment_offsets[arguments.sides]; }

fn connect_in(number: u32) {
    let side = side_of(number);
    connect(side, digi_index() - side.begin);
}

@compute @workgroup_size(THREADS)
fn cluster_connect_walk_RULES(invocation: InBlock) {
    enter(invocation);
    if has_digi() { connect_in(segment_by_walk(digi_index())); }
}

#part cluster_follow_RULES
// Makes clusters of chains, in an order left to chance: see connectors.cu. A thread a digi.
#include "formulas/clusters.wgsl"
#include "formulas/sides.wgsl"
#include "formulas/rules.wgsl" RULES_times

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

@compute @workgroup_size(THREADS)
fn cluster_follow_RULES(invocation: InBlock) {
    enter(invocation);
    follow_own();
}
