// The buckets of a large side: see time_bins/large.h. It needs `extents`.
#include "scale.wgsl"

fn scale_of_side(side: u32) -> Scale {
    return scale_of(extents[2u * side], extents[2u * side + 1u], BUCKETS);
}
