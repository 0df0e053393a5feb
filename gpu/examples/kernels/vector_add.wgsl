#part vector_add
// The same in WGSL, for wgpu. The number of blocks precedes the arguments that are no pointers.
struct Arguments { blocks: u32, count: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;

@compute @workgroup_size(THREADS)
fn vector_add(invocation: InBlock) {
    enter(invocation);
    let i = block * THREADS + thread;
    if block < arguments.blocks && i < arguments.count { z[i] = x[i] + y[i]; }
}
