// Clusters of each side in order of time: entries of 8 bytes are sorted, not clusters.
//
// A block sorts a tile of a side in shared memory by a bitonic network; then tiles are
// merged, and what was merged is merged again, all blocks on equal shares. Clusters of the
// same time stay in the order of their places.
#include "formulas/records.h"
#include "merge_path.h"

// A tile of the entries of a side, as the host lists them: by where clusters of the side begin.
struct Tile {
    u32 side, first;
};

namespace {

constexpr u32 THREADS = 256;
constexpr u32 ITEMS = 8;
constexpr u32 TILE = THREADS * ITEMS;

__device__ __forceinline__ u64 key_of(const Entry& entry) { return (u64)entry.time << 32 | entry.index; }

struct Earlier {
    __device__ __forceinline__ bool operator()(const Entry& a, const Entry& b) const { return key_of(a) < key_of(b); }
};

// Sorts a power of two of keys. A barrier before; one is needed after.
__device__ __forceinline__ void sort_bitonically(u64* keys, u32 size) {
    for (u32 run = 2; run <= size; run *= 2) {
        for (u32 distance = run / 2; distance > 0; distance /= 2) {
            for (u32 pair = threadIdx.x; pair < size / 2; pair += THREADS) {
                const u32 low = 2 * pair - (pair & (distance - 1)), high = low + distance;
                const bool ascends = (low & run) == 0;
                const u64 a = keys[low], b = keys[high];
                if ((b < a) == ascends) {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            __syncthreads();
        }
    }
}

}  // namespace

// Writes an entry for each cluster, and sorts those of each tile. A block a tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    entries_sort(const Cluster* clusters, const u32* begins, const Found* found, const Tile* tiles, Entry* entries) {
    __shared__ u64 keys[TILE];
    const Tile tile = tiles[blockIdx.x];
    const u32 all = found[tile.side].clusters;
    if (tile.first >= all) return;
    const u32 count = min(TILE, all - tile.first), begin = begins[tile.side] + tile.first;
    u32 size = 1;
    while (size < count) size *= 2;
    for (u32 i = threadIdx.x; i < size; i += THREADS)
        keys[i] = i < count ? key_of({clusters[begin + i].time, tile.first + i}) : ~0ull;
    __syncthreads();
    sort_bitonically(keys, size);
    for (u32 i = threadIdx.x; i < count; i += THREADS) entries[begin + i] = {(u32)(keys[i] >> 32), (u32)keys[i]};
}
KERNEL_EXPORT(entries_sort)

// Merges pairs of sorted runs of `run` entries of each side, a multiple of a tile. A
// block a tile of what comes out.
extern "C" __global__ void __launch_bounds__(THREADS)
    entries_merge(const Entry* from, Entry* to, const u32* begins, const Found* found, const Tile* tiles, u32 run) {
    const Tile tile = tiles[blockIdx.x];
    const u32 all = found[tile.side].clusters;
    const u32 own = tile.first + threadIdx.x * ITEMS;
    if (own >= all) return;
    const u32 first = tile.first - tile.first % (2 * run);
    const u32 middle = min(all, first + run), end = min(all, middle + run);
    const Entry* entries = from + begins[tile.side];
    const u32 diagonal = own - first;
    const u32 of_left =
        merge_path(entries + first, middle - first, entries + middle, end - middle, diagonal, Earlier());
    u32 a = first + of_left, b = middle + (diagonal - of_left);
    Entry* merged = to + begins[tile.side];
    for (u32 i = own; i < min(own + ITEMS, end); i++) {
        const bool from_left = a < middle && (b >= end || !Earlier()(entries[b], entries[a]));
        merged[i] = entries[from_left ? a++ : b++];
    }
}
KERNEL_EXPORT(entries_merge)
