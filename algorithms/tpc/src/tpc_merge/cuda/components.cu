// Connected components of slice tracks: lock-free hooking of the larger root onto the smaller one
// by compare-and-swap, then pointer jumping (Sutton, Ben-Nun, Barak 2018). Links to smaller ones
// are in the trees from the beginning (Jaiganesh and Burtscher 2018).
//
// Parents only become smaller, so a thread that reads an old one is still in the same tree.
#include "tracks.h"

namespace {

constexpr u32 THREADS = 256;

__device__ __forceinline__ u32 own_track() { return blockIdx.x * THREADS + threadIdx.x; }

// The root of a slice track's tree; each node on the path gets a parent nearer to the root.
__device__ __forceinline__ u32 root_of(u32* parents, u32 track) {
    u32 above = load_relaxed(parents + track);
    while (above != track) {
        const u32 next = load_relaxed(parents + above);
        if (next == above) return above;
        // A smaller parent is never replaced by a larger one, whatever the order of the threads.
        atomicMin(parents + track, next);
        track = above;
        above = next;
    }
    return track;
}

__device__ __forceinline__ void join(u32* parents, u32 one, u32 other) {
    one = root_of(parents, one);
    other = root_of(parents, other);
    while (one != other) {
        const u32 low = min(one, other), high = max(one, other);
        const u32 before = atomicCAS(parents + high, high, low);
        if (before == high) return;
        one = root_of(parents, before);
        other = root_of(parents, low);
    }
}

}  // namespace

// The parent of every slice track is the target of its link, if that is smaller, or itself.
extern "C" __global__ void __launch_bounds__(THREADS) merge_setup(const u32* links, u32* parents, u32 tracks) {
    const u32 track = own_track();
    if (track < tracks) parents[track] = min(track, links[track]);
}
KERNEL_EXPORT(merge_setup)

// Joins each slice track with its link, the previous piece and the leg below. Few have more than
// one of these: each lane loops over those that it has, and does not wait for those of other lanes.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_hook(const u32* links, const Relations* relations, u32* parents, u32 tracks) {
    const u32 track = own_track();
    if (track >= tracks) return;
    const uint4 related = reinterpret_cast<const uint4*>(relations)[track];
    u32 link = links[track], before = related.x, below = related.z;
    if (link < track) link = NONE;
    for (;;) {
        const u32 one = link != NONE ? link : before != NONE ? before : below;
        if (one == NONE) return;
        join(parents, track, one);
        if (link != NONE) link = NONE;
        else if (before != NONE) before = NONE;
        else below = NONE;
    }
}
KERNEL_EXPORT(merge_hook)

// Replaces each parent by the root.
extern "C" __global__ void __launch_bounds__(THREADS) merge_jump(u32* parents, u32 tracks) {
    const u32 track = own_track();
    if (track >= tracks) return;
    u32 root = load_relaxed(parents + track);
    for (u32 above; (above = load_relaxed(parents + root)) != root; root = above) {
    }
    store_relaxed(parents + track, root);
}
KERNEL_EXPORT(merge_jump)
