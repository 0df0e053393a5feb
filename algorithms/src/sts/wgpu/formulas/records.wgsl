// What stages leave in device memory: see formulas/records.h.

struct Cluster {
    charge: f32,
    size: i32,
    position: f32,
    position_error: f32,
    time: u32,
    time_error: f32,
}

// What a hit takes of a cluster, beside where it is; of a front: how far off in time its partners are at
// most, whatever their errors.
struct Measured { time: u32, time_error: f32, position_error: f32, reach: f32 }

fn measured(cluster: Cluster, reach: f32) -> Measured {
    return Measured(cluster.time, cluster.time_error, cluster.position_error, reach);
}

struct Entry { time: u32, index: u32 }

struct Hit {
    x: f32, y: f32, z: f32,
    time: u32,
    dx: f32, dy: f32, dz: f32, dxy: f32,
    time_error: f32, du: f32, dv: f32,
    address: u32,
}

// What was found on a side: how many clusters, and the bits of the largest error of their times.
struct Found { clusters: u32, latest_error: u32 }
