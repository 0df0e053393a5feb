// Cluster of a chain of digis: see formulas/clusters.h. Operations are in the host's order. It
// needs `digis`, `tables`, and `follower(begin, index)`: indices count from the start of a side.
#include "arithmetic.wgsl"
#include "digi.wgsl"
#include "records.wgsl"

struct Shape { charge: f32, position: f32, position_error: f32 }

struct ClusterTables {
    charges: array<f32, CHARGE_STEPS>,
    variances: array<f32, CHARGE_STEPS>,
    single_error: f32,
    // Indexed by the charges of both digis.
    pairs: array<array<Shape, CHARGE_STEPS>, CHARGE_STEPS>,
    // Indexed by the number of digis.
    time_errors: array<f32, CHANNELS_OF_SIDE + 1u>,
}

// A chain, summed up from its first digi on.
struct ChainSums {
    size: u32,
    left: u32,
    right: u32,
    first_time: u32,
    last_time: u32,
    times: Times,
    // Sums over the digis between the ends.
    middle_charge: f32,
    middle_variance: f32,
}

fn with_digi(before: ChainSums, digi: vec2u) -> ChainSums {
    var sums = before;
    if sums.size > 1u {
        sums.middle_charge = sum(sums.middle_charge, tables.charges[sums.right]);
        sums.middle_variance = sum(sums.middle_variance, tables.variances[sums.right]);
    }
    sums.right = digi_charge(digi);
    sums.last_time = digi_time(digi);
    sums.times = with_time(sums.times, sums.last_time);
    if sums.size == 0u {
        sums.left = sums.right;
        sums.first_time = sums.last_time;
    }
    sums.size++;
    return sums;
}

// The position of charges so uneven that the usual formula leaves the cluster.
fn centre_of_gravity(begin: u32, first: u32, charge: f32) -> f32 {
    var weighted = 0.0;
    var channel = f32(digi_channel(digis[begin + first]));
    var index = first;
    for (var continues = true; continues; continues = index != NO_SUCCESSOR) {
        let charge = tables.charges[digi_charge(digis[begin + index])];
        weighted = sum(weighted, product(charge, channel));
        channel += 1.0;
        index = follower(begin, index);
    }
    return quotient(weighted, charge);
}

fn squared_and_by_four(above: f32, mean: f32) -> f32 {
    return 0.25 * quotient(quotient(above, mean), mean);
}

fn shape_of_several(begin: u32, first: u32, sums: ChainSums) -> Shape {
    let q1 = tables.charges[sums.left];
    let q2 = tables.charges[sums.right];
    let count = f32(sums.size - 2u);
    let mean = quotient(sums.middle_charge, count);
    let variance = quotient(sums.middle_variance, count);
    let channel = digi_channel(digis[begin + first]);
    let start = f32(channel);
    let end = f32(channel + sums.size - 1u);
    let step = difference(q2, q1);
    let charge = sum(sum(q1, sums.middle_charge), q2);
    var position = 0.5 * sum(start + end, quotient(step, mean));
    if position < start || position > end { position = centre_of_gravity(begin, first, charge); }
    let left = squared_and_by_four(tables.variances[sums.left], mean);
    let right = squared_and_by_four(tables.variances[sums.right], mean);
    let of_steps = product(product(variance, step), step);
    let inner = squared_and_by_four(quotient(quotient(of_steps, mean), mean), mean);
    return Shape(charge, position, root(sum(sum(left, inner), right)));
}

fn shape_of(begin: u32, first: u32, sums: ChainSums) -> Shape {
    let channel = f32(digi_channel(digis[begin + first]));
    if sums.size == 1u { return Shape(tables.charges[sums.left], channel, tables.single_error); }
    if sums.size > 2u { return shape_of_several(begin, first, sums); }
    var pair = tables.pairs[sums.left][sums.right];
    pair.position = sum(channel + 0.5, pair.position);
    return pair;
}

// Origin of a side's positions.
fn offset_of(side: u32, sides: u32) -> f32 {
    return select(0.0, f32(CHANNELS_OF_SIDE), side >= sides / 2u);
}

// The cluster of a digi that has no neighbours.
fn cluster_of_one(digi: vec2u, offset: f32) -> Cluster {
    let position = f32(digi_channel(digi)) + offset;
    let charge = tables.charges[digi_charge(digi)];
    return Cluster(charge, 1, position, tables.single_error, digi_time(digi), tables.time_errors[1]);
}

// The cluster of the chain that a digi leads; `offset` is that of the side's positions.
fn cluster_of(begin: u32, first: u32, offset: f32) -> Cluster {
    var sums = ChainSums(0u, 0u, 0u, 0u, 0u, no_times(), 0.0, 0.0);
    var index = first;
    for (var continues = true; continues; continues = index != NO_SUCCESSOR) {
        sums = with_digi(sums, digis[begin + index]);
        index = follower(begin, index);
    }
    let shape = shape_of(begin, first, sums);
    let time = mean_time(sums.times, sums.size, sums.first_time, sums.last_time);
    let position = sum(shape.position, offset);
    let time_error = tables.time_errors[sums.size];
    return Cluster(shape.charge, i32(sums.size), position, shape.position_error, time, time_error);
}

// Results of sides while they are counted: see formulas/records.h. It needs `found`.

struct Counted { clusters: atomic<u32>, latest_error: atomic<u32> }

// Errors are seldom larger than the current maximum: only these take an atomic.
fn raise_error(side: u32, error: f32) {
    let bits = bitcast<u32>(error);
    if atomicLoad(&found[side].latest_error) < bits { atomicMax(&found[side].latest_error, bits); }
}
