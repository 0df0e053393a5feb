// Times to bins of equal lengths: see time_bins/sorting.h.
#include "arithmetic.wgsl"

// The first time, and what a time is multiplied by, in units of 2^-32 bins.
struct Scale { first: u32, factor: u32 }

// From the first time and the complement of the last one. Rounding must not lead beyond the last
// bin. If the range of times is smaller than the number of bins, the largest factor gives each time
// a bin, or nearly so.
fn scale_of(first: u32, last_complement: u32, bins: u32) -> Scale {
    const DOWN = 1.0 - 1.0 / 1048576.0;
    // The largest that fits into 32 bits.
    const MAX_COUNT = 4294967040.0;
    let times = sum(f32(~last_complement - first), 1.0);
    return Scale(first, u32(min(quotient(f32(bins) * (4294967296.0 * DOWN), times), MAX_COUNT)));
}

// The upper half of a product.
fn bin_of(scale: Scale, time: u32) -> u32 {
    let a = time - scale.first;
    let b = scale.factor;
    let low = (a & 0xffffu) * (b & 0xffffu);
    let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u);
}
