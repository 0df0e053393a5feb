// Follows all links with one thread: the sequential algorithm as it was first run on GPUs.
#include "resolve.h"

extern "C" __global__ void __launch_bounds__(32)
    merge_sequential(const SliceTrack* tracks, const u32* links, Relations* relations, u32 count) {
    if (threadIdx.x != 0) return;
    const Merger<Relations> merger{tracks, relations};
    for (u32 track = 0; track < count; track++) {
        if (links[track] != NONE) merger.follow(track, links[track]);
    }
}
KERNEL_EXPORT(merge_sequential)
