// The pages of a tile of a fragment: see place.cu. In the shaders that count and that list them,
// the first bindings are extents and fragments.
#include "block_scan.wgsl"

@group(0) @binding(0) var<storage, read> extents: array<vec2u>;
// First time bin, time bins, and two words that are not needed here.
@group(0) @binding(1) var<storage, read> fragments: array<vec4u>;

var<private> first_page: u32;
var<private> fragment: vec4u;

fn enter_tile() {
    first_page = block % arguments.tiles * TILE + thread * PAGES_EACH;
    fragment = fragments[block / arguments.tiles];
}

// Samples of this thread's page that the fragment needs.
fn samples_of(i: u32) -> u32 {
    if first_page + i >= arguments.pages { return 0u; }
    let extent = extents[first_page + i];
    let end = extent.x + (extent.y >> 16u);
    let touches = extent.x < fragment.x + fragment.y && end > fragment.x;
    return select(0u, extent.y & 0xffffu, touches);
}

// Jobs and samples of this thread's pages.
fn own_sums() -> vec2u {
    var own = vec2u(0u);
    for (var i = 0u; i < PAGES_EACH; i++) {
        let samples = samples_of(i);
        own += vec2u(select(0u, 1u, samples > 0u), samples);
    }
    return own;
}
