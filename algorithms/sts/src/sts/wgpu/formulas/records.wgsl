// Outputs of stages in device memory: see formulas/records.h.

struct Cluster {
    charge: f32,
    size: i32,
    position: f32,
    position_error: f32,
    time: u32,
    time_error: f32,
}

// Cluster data that hits need, except the line; for a front also the largest time difference of its
// partners, whatever their errors.
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

// Result of a side: the number of clusters, and the bits of the largest time error.
struct Found { clusters: u32, latest_error: u32 }
