// Lines of clusters, as published.
#include "formulas/published/pairs.wgsl"
#include "pairs/lines.wgsl"

@compute @workgroup_size(LINE_THREADS)
fn hits_lines_published(invocation: InBlock) {
    enter(invocation);
    if block < arguments.blocks { write_line(jobs[block]); }
}
