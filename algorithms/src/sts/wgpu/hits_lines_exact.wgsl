// Lines of clusters, by the exact rules.
#include "formulas/exact/pairs.wgsl"
#include "pairs/lines.wgsl"

@compute @workgroup_size(LINE_THREADS)
fn hits_lines_exact(invocation: InBlock) {
    enter(invocation);
    if block < arguments.blocks { write_line(jobs[block]); }
}
