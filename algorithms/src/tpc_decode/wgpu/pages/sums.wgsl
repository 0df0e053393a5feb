// Jobs and samples before those of a thread, and the total of the workgroup.
#include "block_scan.wgsl"

var<private> all_sums: vec2u;

fn exclusive_sums(own: vec2u) -> vec2u {
    let jobs = block_exclusive_sum(own.x);
    all_sums.x = block_total;
    workgroupBarrier();
    let samples = block_exclusive_sum(own.y);
    all_sums.y = block_total;
    workgroupBarrier();
    return vec2u(jobs, samples);
}
