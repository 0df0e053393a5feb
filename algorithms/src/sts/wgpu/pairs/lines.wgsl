// Writes the lines of all clusters, their data for hits, and the partners of fronts, in the order
// of entries: see pairs.cu. A block per job: some clusters of any side.
#include "../formulas/lines.wgsl"
#include "partners.wgsl"

struct Arguments { blocks: u32, modules: u32, cut_kind: u32, cut: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(1) var<storage, read> entries: array<Entry>;
@group(0) @binding(2) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> found: array<Found>;
@group(0) @binding(4) var<storage, read> sensors: array<Sensor>;
@group(0) @binding(8) var<storage, read> jobs: array<Job>;
@group(0) @binding(9) var<storage, read_write> lines: array<Line>;
@group(0) @binding(10) var<storage, read_write> values: array<Measured>;
@group(0) @binding(11) var<storage, read_write> partners: array<Partners>;

fn write_line(job: Job) {
    let index = job.first + thread;
    if index >= found[job.segment].clusters { return; }
    sensor = sensors[job.segment % arguments.modules];
    let begin = segment_offsets[job.segment];
    let cluster = clusters[begin + entries[begin + index].index];
    if job.segment < arguments.modules {
        let back = arguments.modules + job.segment;
        let latest = bitcast<f32>(found[back].latest_error);
        lines[begin + index] = line_of(sensor.front, 0, cluster);
        values[begin + index] = measured(cluster, reach_of(cluster.time_error, latest));
        partners[begin + index] = partners_of(cluster, back);
    } else {
        values[begin + index] = measured(cluster, 0.0);
        lines[begin + index] = line_of(sensor.back, i32(CHANNELS_OF_SIDE), cluster);
    }
}
