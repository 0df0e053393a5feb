// One pass, a block for a tile of digis. Full windows are flagged by a bit for each digi in shared
// memory, set by ballots. A full window is surely a trigger if it would be free even after a
// trigger at the previous full window: its thread follows those after it within the tile, up to the
// next sure one. The thread that leaves the tile publishes the earliest next index to the next
// tile, so tiles wait for the previous one only, and only if there are full windows before their
// first sure trigger. Events are cut, indexed by look-back, and copied by the whole block.
//
// Blocks take tiles by tickets, so every tile that is waited for has already started.
//
// Static shared memory (0.9 KiB): three bits for each digi.
#include "scan.h"
#include "building/events.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 EACH = 8;
constexpr u32 TILE = THREADS * EACH;
constexpr u32 BITS = 32;
constexpr u32 WORDS = TILE / BITS;
// Status of a tile that knows the earliest index of the next trigger: this flag, plus the index.
constexpr u64 KNOWN = 0x100000000;

// A bit for each digi of a tile.
struct Bits {
    u32 words[WORDS];

    __device__ __forceinline__ bool has(u32 bit) const { return words[bit / BITS] >> bit % BITS & 1; }

    // The first bit that is set from one on; TILE if none is.
    __device__ __forceinline__ u32 next(u32 bit) const {
        if (bit >= TILE) return TILE;
        u32 word = bit / BITS, set = words[word] & ~0u << bit % BITS;
        while (set == 0 && ++word < WORDS) set = words[word];
        return set == 0 ? TILE : word * BITS + (u32)__ffs((int)set) - 1;
    }

    // The last bit that is set before one; TILE if none is.
    __device__ __forceinline__ u32 last_before(u32 bit) const {
        u32 word = bit / BITS, set = words[word] & ((1u << bit % BITS) - 1);
        while (set == 0 && word > 0) set = words[--word];
        return set == 0 ? TILE : word * BITS + BITS - 1 - (u32)__clz((int)set);
    }

    // All lanes of a warp set their bits, which are side by side.
    __device__ __forceinline__ void set(u32 bit, bool value) {
        const lanemask_t all = __ballot_sync(FULL_MASK, value);
        const u32 lane = threadIdx.x % LANES;
        if (lane % BITS == 0) words[bit / BITS] = (u32)(all >> lane);
    }
};

// Digis of a tile; bits count from its first one.
struct Tile {
    u32 number, begin, end;
    Bits full, sure, triggers;
};

// True if a full window is surely a trigger.
PORTABLE_INLINE bool is_sure(const Stream& stream, const Tile& tile, u32 bit) {
    const u32 last = tile.full.last_before(bit), full = tile.begin + bit;
    if (last < TILE) return stream.is_free(tile.begin + last, full);
    return tile.begin == 0 || stream.is_free(tile.begin - 1, full);
}

// True if the next trigger may be at the end of the tile, whatever happened before it: then no
// later tile depends on the triggers of this tile if it has no full window.
PORTABLE_INLINE bool is_forgotten_at_end(const Stream& stream, const Tile& tile) {
    return tile.begin > 0 && tile.end < stream.count && stream.is_free(tile.begin - 1, tile.end);
}

// Follows triggers from one of the tile on, up to the next sure one. Publishes the earliest next
// index to the next tile if that is not in this one.
PORTABLE_INLINE void follow(const Stream& stream, Tile& tile, u32 trigger, u64* state) {
    while (true) {
        atomicOr(&tile.triggers.words[trigger / BITS], 1u << trigger % BITS);
        const u32 earliest = stream.earliest_after(tile.begin + trigger);
        trigger = tile.full.next(earliest - tile.begin);
        if (trigger == TILE) {
            store_relaxed(state, KNOWN | earliest);
            return;
        }
        if (tile.sure.has(trigger)) return;
    }
}

// Triggers before the first sure one, which depend on the previous tile.
PORTABLE_INLINE void follow_from_before(const Stream& stream, Tile& tile, u64* states) {
    u64* state = &states[tile.number];
    const u32 first_sure = tile.sure.next(0), first_full = tile.full.next(0);
    // A sure trigger is a full window: nothing is before it.
    if (first_full == first_sure && first_sure < TILE) return;
    if (first_full == TILE && is_forgotten_at_end(stream, tile)) {
        store_relaxed(state, KNOWN | tile.end);
        return;
    }
    const u32 earliest = tile.number == 0 ? stream.rules.reach : (u32)wait_for_state(state - 1);
    const u32 first = tile.full.next(max(earliest, tile.begin) - tile.begin);
    if (first < first_sure) {
        follow(stream, tile, first, state);
    } else if (first_sure == TILE) {
        store_relaxed(state, KNOWN | earliest);
    }
}

}  // namespace

// A block for each tile. `states` has a word for tickets and three for each tile, all 0 before.
extern "C" __global__ void __launch_bounds__(THREADS)
    events_fused(const __grid_constant__ Stream stream, u64* states, const __grid_constant__ EventOutput output) {
    __shared__ Tile tile;
    __shared__ u32 warp_sums[LANES];
    __shared__ u32 events_before, copies_before;
    if (threadIdx.x == 0) {
        tile.number = (u32)atomicAdd(states, 1ull);
        tile.begin = tile.number * TILE;
        tile.end = min(stream.count, tile.begin + TILE);
    }
    if (threadIdx.x < WORDS) tile.triggers.words[threadIdx.x] = 0;
    __syncthreads();
    const u32 number = tile.number, begin = tile.begin, tiles = gridDim.x;
    u64 *nexts = states + 1, *event_sums = nexts + tiles, *copy_sums = event_sums + tiles;
    for (u32 bit = threadIdx.x; bit < TILE; bit += THREADS) tile.full.set(bit, stream.is_full(begin + bit));
    __syncthreads();
    for (u32 bit = threadIdx.x; bit < TILE; bit += THREADS)
        tile.sure.set(bit, tile.full.has(bit) && is_sure(stream, tile, bit));
    __syncthreads();
    for (u32 bit = threadIdx.x; bit < TILE; bit += THREADS) {
        if (tile.sure.has(bit)) follow(stream, tile, bit, &nexts[number]);
    }
    if (threadIdx.x == 0) follow_from_before(stream, tile, nexts);
    __syncthreads();

    // Each thread has the triggers of `EACH` consecutive digis.
    const u32 first_bit = threadIdx.x * EACH;
    const u32 trigger_bits = tile.triggers.words[first_bit / BITS] >> first_bit % BITS & ((1u << EACH) - 1);
    const auto event_of = [&](u32 left) { return stream.event(begin + first_bit + (u32)__ffs((int)left) - 1); };
    u32 copy_count = 0;
    for (u32 left = trigger_bits; left != 0; left &= left - 1) {
        const Event event = event_of(left);
        copy_count += event.end - event.begin;
    }
    u32 tile_events, tile_copies;
    u32 event_index = block_exclusive_sum<THREADS>((u32)__popc(trigger_bits), warp_sums, tile_events);
    __syncthreads();
    u32 first_copy = block_exclusive_sum<THREADS>(copy_count, warp_sums, tile_copies);
    if (threadIdx.x < LANES) {
        const u32 events = sum_before(event_sums, number, tile_events);
        const u32 copies = sum_before(copy_sums, number, tile_copies);
        if (threadIdx.x == 0) {
            events_before = events;
            copies_before = copies;
        }
    }
    __syncthreads();
    event_index += events_before;
    first_copy += copies_before;
    for (u32 left = trigger_bits; left != 0; left &= left - 1) {
        Event event = event_of(left);
        event.first_copy = first_copy;
        first_copy += event.end - event.begin;
        if (event_index < output.capacities.events) output.events[event_index] = event;
        event_index++;
    }
    if (number == tiles - 1 && threadIdx.x == 0) {
        output.totals->events = events_before + tile_events;
        output.totals->copies = copies_before + tile_copies;
    }
    __syncthreads();
    const u32 end = min(events_before + tile_events, output.capacities.events);
    for (u32 i = events_before; i < end; i++) copy_event<THREADS>(stream.digis, output.events[i], output);
}
KERNEL_EXPORT(events_fused)
