// nvcc: -fmad=false
//
// recobench: clusters in two passes over the digis, without a table of channels and with hardly any
// atomics.
//
// Digis are in order of channel and time, so a digi's successor is about a channel's length after
// it: it is found by exponential search, whose steps neighbouring threads take together. The flag
// of a digi with a predecessor is a byte of its own, so connectors need not be zero at the start.
// Then blocks gather the chain heads of their tile, follow these without idle lanes, and reserve
// the indices of their clusters by one atomic per side.
#include "digi.h"
#include "formulas/clusters.h"
#include "formulas/rules.h"
#include "scan.h"

// Successors of digis by exponential search: see sts/clusters/connectors.rs.

// The first index for which `enough` holds, if it holds for all after it; `end` if for none.
// Exponential search: the number of steps depends on the distance, not on the length of the range.
template <class Enough> __device__ __forceinline__ u32 leap_to(u32 from, u32 end, Enough enough) {
    u32 low = from, high = from, leap = 4;
    for (high += leap; high < end && !enough(high); high += leap) {
        low = high + 1;
        leap *= 2;
    }
    return lower_bound(low, min(high, end), [&](u32 index) { return !enough(index); });
}

// Lower limit that a digi of the next channel has to reach to be not too early to follow another
// one.
template <class Rules> struct Sought {
    u32 channel;
    typename Rules::Earliest earliest;

    __device__ __forceinline__ Sought(u64 digi, const Window& window)
        : channel(digi_channel(digi) + 1), earliest(window, digi_time(digi)) {}
    __device__ __forceinline__ bool is_reached(u64 digi) const {
        const u32 other = digi_channel(digi);
        return other > channel || (other == channel && earliest.is_reached(digi_time(digi)));
    }
};

// With integer times, channel and time are compared as one number.
template <> struct Sought<Exact> {
    u32 channel;
    u64 min_key;

    __device__ __forceinline__ Sought(u64 digi, const Window& window) : channel(digi_channel(digi) + 1) {
        min_key = ((u64)channel << TIME_BITS) + Exact::Earliest(window, digi_time(digi)).min_time;
    }
    __device__ __forceinline__ bool is_reached(u64 digi) const { return digi_key(digi) >= min_key; }
};

// The digis of a side in order of channel and time, and the output arrays of links. Indices count
// from the side's first digi.
struct Followers {
    const u64* digis;
    u32* connectors;
    u32 count;
    // Flags of all sides, and the offset of this side.
    u8* follows;
    u32 begin;

    __device__ __forceinline__ u32 channel(u32 index) const { return digi_channel(digis[index]); }
    __device__ __forceinline__ u32 time(u32 index) const { return digi_time(digis[index]); }

    // True if the digi at the next index is of the same channel, and so near that both may choose
    // the same successor.
    __device__ __forceinline__ bool is_crowded(u32 index, const Window& window) const {
        const u64 digi = digis[index], next = digis[index + 1];
        return digi_channel(digi) == digi_channel(next) && digi_time(next) - digi_time(digi) <= window.crowd_ns;
    }

    // Links a digi with the earliest near one of the next channel, searched from index `from` on;
    // returns the first index that remains for later digis of its channel.
    template <class Rules> __device__ __forceinline__ u32 link_one(u32 index, u32 from, const Window& window) const {
        const u64 digi = digis[index];
        const Sought<Rules> sought(digi, window);
        const u32 found = leap_to(from, count, [&](u32 other) { return sought.is_reached(digis[other]); });
        const bool is_near =
            found < count && channel(found) == sought.channel && Rules::not_after(window, digi_time(digi), time(found));
        connectors[index] = is_near ? found : NO_SUCCESSOR;
        if (!is_near) return found;
        mark<Rules>(found);
        return found + 1;
    }

    // Flags that a digi has a predecessor; several threads may flag a shared one.
    template <class Rules> __device__ __forceinline__ void mark(u32 index) const {
        const u32 byte = begin + index;
        if constexpr (Rules::SUCCESSORS == Successors::SHARED) {
            atomicOr(reinterpret_cast<u32*>(follows) + byte / 4, 1u << 8 * (byte % 4));
        } else {
            follows[byte] = 1;
        }
    }

    // Links a digi; if digis choose one after the other, all of a run if this is its first.
    template <class Rules> __device__ __forceinline__ void link(u32 index, const Window& window) const {
        if constexpr (Rules::SUCCESSORS == Successors::SHARED) {
            link_one<Rules>(index, index + 1, window);
        } else {
            link_run<Rules>(index, window);
        }
    }

    template <class Rules> __device__ __forceinline__ void link_run(u32 index, const Window& window) const {
        if (index > 0 && is_crowded(index - 1, window)) return;
        u32 free = link_one<Rules>(index, index + 1, window);
        for (; index + 1 < count && is_crowded(index, window); index++)
            free = link_one<Rules>(index + 1, max(free, index + 2), window);
    }
};

namespace {

constexpr u32 THREADS = 128;
// Digis of a thread. When heads are gathered they are neighbours: a word of bytes.
constexpr u32 ITEMS = 8;
constexpr u32 TILE = THREADS * ITEMS;
// On a multiprocessor at a time: how many registers threads have is a matter of them.
constexpr u32 BLOCKS = 10;
static_assert(ITEMS == sizeof(u64), "a thread reads a word");

// Tiles that blocks take: all of them, or those that are listed because they have digis of sides of
// at least `min_digis` digis; smaller ones are processed by another kernel.
enum class Tiles { ALL, LISTED };

// The digis of the block's tile.
struct Tile {
    u32 first, end;

    __device__ __forceinline__ bool is_empty() const { return first >= end; }
};

template <Tiles TILES> __device__ __forceinline__ Tile block_tile(const ClusterFinding& all) {
    const u32 first = (TILES == Tiles::LISTED ? all.listed[blockIdx.x] : blockIdx.x) * TILE;
    return {first, min(first + TILE, all.side_offsets[all.sides])};
}

// The sides that a tile has digis of.
struct SidesOfTile {
    const u32* side_offsets;
    u32 first, last;

    __device__ __forceinline__ bool is_one() const { return first == last; }
    __device__ __forceinline__ u32 of(u32 index) const {
        return is_one() ? first : first + segment_of(side_offsets + first, last - first + 1, index);
    }
};

// Each warp looks for the sides of the block's tile, which is not empty: that is faster than to wait
// for others.
__device__ __forceinline__ SidesOfTile sides_of_tile(const ClusterFinding& all, const Tile& tile) {
    const u32 last = tile.end - 1;
    const u32 first_side = warp_segment_of(all.side_offsets, all.sides, tile.first);
    const u32* side_offsets = all.side_offsets + first_side;
    const bool is_one = last < side_offsets[1];
    return {all.side_offsets, first_side,
            is_one ? first_side : first_side + warp_segment_of(side_offsets, all.sides - first_side, last)};
}

// Writes connectors, and a byte for each digi that follows another one; these bytes are zero at the
// start. A block per tile.
template <class Rules, Tiles TILES> __device__ __forceinline__ void link_tile(const ClusterFinding& all) {
    const Tile tile = block_tile<TILES>(all);
    if (tile.is_empty()) return;
    const SidesOfTile sides = sides_of_tile(all, tile);
    for (u32 index = tile.first + threadIdx.x; index < tile.end; index += THREADS) {
        const u32 side = sides.of(index), begin = all.side_offsets[side];
        const u32 digis = all.side_offsets[side + 1] - begin;
        if (TILES == Tiles::LISTED && digis < all.min_digis) {
            // A digi with a predecessor is not the head of a chain.
            all.follows[index] = 1;
            continue;
        }
        const Followers followers = {all.digis + begin, all.connectors + begin, digis, all.follows, begin};
        followers.link<Rules>(index - begin, all.window);
    }
}

// Heads of a tile's chains: the offset of each in the tile, in ascending order.
struct Heads {
    u32 first, count;
    const u16* list;

    __device__ __forceinline__ u32 index(u32 rank) const { return first + list[rank]; }

    // Number of heads before a position.
    __device__ __forceinline__ u32 before(u32 end) const {
        return lower_bound(0, count, [&](u32 rank) { return index(rank) < end; });
    }
};

// Chains of a single digi and others are apart: where threads have different things to do,
// they wait for each other.
struct HeadsOfTile {
    Heads singles, others;
};

// Chain heads among a thread's digis: a bit each.
struct ThreadHeads {
    u32 singles = 0, others = 0;

    __device__ __forceinline__ ThreadHeads(const u32* connectors, const u8* follows, u32 first, u32 count) {
        if (first >= count) return;
        const u64 word = reinterpret_cast<const u64*>(follows)[first / ITEMS];
        u32 followers[ITEMS];
        load(connectors, first, count, followers);
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            const bool is_head = first + i < count && (word >> 8 * i & 0xff) == 0,
                       is_single = followers[i] == NO_SUCCESSOR;
            singles |= (u32)(is_head && is_single) << i;
            others |= (u32)(is_head && !is_single) << i;
        }
    }

  private:
    // All at once, but for the last ones: what is needed of them is in the same lines of memory.
    __device__ __forceinline__ static void load(const u32* connectors, u32 first, u32 count, u32 (&followers)[ITEMS]) {
        if (first + ITEMS <= count) {
            const uint4* words = reinterpret_cast<const uint4*>(connectors + first);
            const uint4 low = words[0], high = words[1];
            followers[0] = low.x, followers[1] = low.y, followers[2] = low.z, followers[3] = low.w;
            followers[4] = high.x, followers[5] = high.y, followers[6] = high.z, followers[7] = high.w;
        } else {
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) followers[i] = first + i < count ? connectors[first + i] : NO_SUCCESSOR;
        }
    }
};

// Writes the offsets of a thread's heads to a list.
__device__ __forceinline__ void write_heads(u32 heads, u16* list) {
    for (u32 i = 0; i < ITEMS; i++) {
        if (heads >> i & 1) *list++ = (u16)(threadIdx.x * ITEMS + i);
    }
}

// Gathers the heads of the block's tile, singles first. All threads take part; a barrier is
// included.
__device__ __forceinline__ HeadsOfTile gather_heads(const ClusterFinding& all, u32 first, u16* list, u32* warp_sums) {
    static_assert(TILE < 1 << 16, "two counts share a word");
    const u32 count = all.side_offsets[all.sides];
    const ThreadHeads thread_heads(all.connectors, all.follows, first + threadIdx.x * ITEMS, count);
    u32 total;
    const u32 counts = __popc(thread_heads.others) << 16 | __popc(thread_heads.singles);
    const u32 before = block_exclusive_sum<THREADS>(counts, warp_sums, total);
    const u32 singles = total & 0xffff, others = total >> 16;
    write_heads(thread_heads.singles, list + (before & 0xffff));
    write_heads(thread_heads.others, list + singles + (before >> 16));
    __syncthreads();
    return {{first, singles, list}, {first, others, list + singles}};
}

// Reserves indices for the clusters of each side: `cluster_indices` has the first one at the rank
// of the side's first head.
__device__ __forceinline__ void reserve_clusters(const Heads& heads, const SidesOfTile& sides, Found* found,
                                                 u32* cluster_indices) {
    for (u32 rank = threadIdx.x; rank < heads.count; rank += THREADS) {
        const u32 side = sides.of(heads.index(rank));
        if (rank > 0 && heads.index(rank - 1) >= sides.side_offsets[side]) continue;
        cluster_indices[rank] = atomicAdd(&found[side].clusters, heads.before(sides.side_offsets[side + 1]) - rank);
    }
}

// The largest error of a side. Few words are updated by many threads, so a tile with a single side
// reduces within the block first.
struct LatestError {
    Found* found;
    bool is_one_side;
    u32 thread_error = 0;

    __device__ __forceinline__ LatestError(const SidesOfTile& sides, Found* found)
        : found(found), is_one_side(sides.is_one()) {}

    __device__ __forceinline__ void note(u32 side, float error) {
        const u32 bits = __float_as_uint(error);
        if (is_one_side) {
            thread_error = max(thread_error, bits);
        } else {
            atomicMax(&found[side].latest_error, bits);
        }
    }

    // All threads take part, whatever the sides are.
    __device__ __forceinline__ void publish(u32 side, u32* warp_errors) {
        const u32 warp = threadIdx.x / LANES, largest = warp_max(thread_error);
        __syncthreads();
        if (threadIdx.x % LANES == 0) warp_errors[warp] = largest;
        __syncthreads();
        if (threadIdx.x != 0 || !is_one_side) return;
        for (u32 other = 1; other < THREADS / LANES; other++) thread_error = max(thread_error, warp_errors[other]);
        atomicMax(&found[side].latest_error, max(thread_error, largest));
    }
};

// Makes a cluster of each chain: `cluster_at(side, index)` returns its destination.
template <class ClusterAt>
__device__ __forceinline__ void follow_heads(const ClusterFinding& all, const Heads& heads, const SidesOfTile& sides,
                                             const u32* cluster_indices, const Turns& turns, LatestError& error,
                                             ClusterAt cluster_at) {
    for (u32 rank = turns.take(); rank - threadIdx.x % LANES < heads.count; rank = turns.take()) {
        if (rank >= heads.count) continue;
        const u32 index = heads.index(rank), side = sides.of(index), begin = all.side_offsets[side];
        const Cluster cluster = cluster_at(side, index - begin);
        const u32 leader = begin <= heads.first ? 0 : heads.before(begin);
        all.clusters[begin + cluster_indices[leader] + rank - leader] = cluster;
        error.note(side, cluster.time_error);
    }
}

// Makes clusters of chains. A block per tile.
template <class Rules, Tiles TILES> __device__ __forceinline__ void follow_tile(const ClusterFinding& all) {
    __shared__ u32 warp_sums[LANES];
    __shared__ u16 list[TILE];
    __shared__ u32 cluster_indices[TILE];
    __shared__ u32 turns[2];
    const Tile tile = block_tile<TILES>(all);
    if (tile.is_empty()) return;
    if (threadIdx.x < 2) turns[threadIdx.x] = 0;
    const HeadsOfTile heads = gather_heads(all, tile.first, list, warp_sums);
    const SidesOfTile sides = sides_of_tile(all, tile);
    u32* other_indices = cluster_indices + heads.singles.count;
    reserve_clusters(heads.singles, sides, all.found, cluster_indices);
    reserve_clusters(heads.others, sides, all.found, other_indices);
    __syncthreads();
    LatestError error(sides, all.found);
    // Long ones first, so that no warp is left with them at the end.
    follow_heads(all, heads.others, sides, other_indices, {turns}, error, [&](u32 side, u32 index) {
        const DigisOfSide digis(all.digis, all.connectors, nullptr, all.side_offsets, side);
        return cluster_of<Rules>(digis, index, all.offset(side), *all.tables);
    });
    follow_heads(all, heads.singles, sides, cluster_indices, {turns + 1}, error, [&](u32 side, u32 index) {
        return cluster_of_one(all.digis[all.side_offsets[side] + index], all.offset(side), *all.tables);
    });
    error.publish(sides.first, warp_sums);
}

}  // namespace

KERNEL_INSTANCE(cluster_link_exact, ClusterFinding, (THREADS), link_tile<Exact, Tiles::ALL>)
KERNEL_INSTANCE(cluster_link_published, ClusterFinding, (THREADS), link_tile<Published, Tiles::ALL>)
KERNEL_INSTANCE(cluster_heads_exact, ClusterFinding, (THREADS, BLOCKS), follow_tile<Exact, Tiles::ALL>)
KERNEL_INSTANCE(cluster_heads_published, ClusterFinding, (THREADS, BLOCKS), follow_tile<Published, Tiles::ALL>)
KERNEL_INSTANCE(cluster_link_larger_exact, ClusterFinding, (THREADS), link_tile<Exact, Tiles::LISTED>)
KERNEL_INSTANCE(cluster_link_larger_published, ClusterFinding, (THREADS), link_tile<Published, Tiles::LISTED>)
KERNEL_INSTANCE(cluster_heads_larger_exact, ClusterFinding, (THREADS, BLOCKS), follow_tile<Exact, Tiles::LISTED>)
KERNEL_INSTANCE(cluster_heads_larger_published, ClusterFinding, (THREADS, BLOCKS),
                follow_tile<Published, Tiles::LISTED>)
