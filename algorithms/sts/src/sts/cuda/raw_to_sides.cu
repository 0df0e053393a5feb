// recobench: from raw data to digis by module side, with no stream in between.
//
// The side of a digi follows from its e-link, and a board has few sides: a slot for each of them.
// One kernel reads all messages as `unpack_tiles` does, but only counts: a tile reserves offsets on
// its sides for all its digis by one atomic per side, and stores the offsets of each piece. The
// other one reads the messages again, with a known epoch before each piece, and writes each digi to
// its offset. The order of digis of a side is unspecified: they are sorted later anyway.
//
// Dynamic shared memory (19 KiB): tables of a board, 17 KiB; a word for each warp and slot, 2 KiB.
#include "../../sts_unpack/cuda/pieces.h"
#include "formulas/stream.h"
#include "radix_rank.h"

// The module sides that a board reads out: a slot each, which the e-link determines.

// The slot of each e-link, and the side of each slot.
struct Slots {
    u32 of_elinks[ELINKS];
    u32 sides[ELINKS];
    u32 count;
};

// Iterates over the digis of a warp's piece, each with its offset among those of its slot.
// `of_slots` has a word for each slot, which is incremented for each of its digis. Slot indices
// have `BITS` bits.
template <u32 BITS, class To>
struct BySlot {
    const Slots& slots;
    u32* of_slots;

    __device__ __forceinline__ BySlot(const Slots& slots, u32* of_slots) : slots(slots), of_slots(of_slots) {}

    __device__ __forceinline__ PieceCounts look_up(const LookedUp& hits, const u32 (&messages)[ROWS][MESSAGES_AT_ONCE],
                                             u32 messages_in_all, const Epochs& epochs, Epoch before) {
        PieceCounts found;
        // In the lower half hits and TS_MSBs, in the upper one hits of unknown e-links.
        u32 counted = 0;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            // Epoch numbers only grow.
            u32 number = max(epochs.known[row], before.number);
#pragma unroll
            for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
                const u32 message = messages[row][i];
                if (is_ts_msb(message)) number = number_of(message);
                counted += is_hit(message) || is_ts_msb(message);
                u64 digi;
                const bool is_digi = hits.find(message, number, counted, digi);
                const lanemask_t all = __ballot_sync(FULL_MASK, is_digi);
                take(all, found.digis, message, digi);
                found.digis += (u32)popc(all);
            }
        }
        counted = __reduce_add_sync(FULL_MASK, counted);
        found.other = messages_in_all - (counted & 0xffff);
        found.elink = counted >> 16;
        return found;
    }

    __device__ __forceinline__ void take(lanemask_t with_digi, u32, u32 hit, u64 digi) {
        const u32 lane = threadIdx.x % LANES;
        const u32 slot = slots.of_elinks[elink_of(hit)];
        const lanemask_t same = lanes_with<BITS>(slot) & with_digi;
        const bool has_digi = with_digi >> lane & 1;
        const u32 rank = (u32)popc(same & lanemask_lt(lane));
        const u32 offset = of_slots[slot] + rank;
        __syncwarp();
        if (has_digi && rank == 0) of_slots[slot] = offset + (u32)popc(same);
        __syncwarp();
        if (has_digi) static_cast<To*>(this)->put(offset, digi);
    }
};

// Arguments of unpacking to sides.
struct RawToSides {
    RawPieces input;
    // Slots of each board.
    const Slots* slots;
    // Counts of the digis of sides so far, which are 0 at the start.
    u32* totals;
    // `slots_of_piece` words for each piece of each tile: the offset of its digis among those of the
    // side.
    u32* piece_offsets;
    const u32* side_offsets;
    u64* digis;
    u32 slots_of_piece, tiles_of_block;
};

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;
// On a multiprocessor at a time: of those that count, and of those that write.
constexpr u32 COUNTING = 4;
constexpr u32 WRITING = 3;
// Bits of the slot index that are enough for most boards.
constexpr u32 FEW_BITS = 3;
constexpr u32 ALL_BITS = 6;

struct __align__(16) Shared {
    Lookup lookup;
    Slots slots;
    u32 of_warps[WARPS][ELINKS];
    u32 tile;
};

PORTABLE_INLINE void keep_board(Shared& shared, const Board& board, const Slots& slots) {
    for (u32 i = threadIdx.x; i < sizeof(Slots) / sizeof(u32); i += THREADS)
        reinterpret_cast<u32*>(&shared.slots)[i] = reinterpret_cast<const u32*>(&slots)[i];
    keep<THREADS>(shared.lookup, board.lookup);
}

// Counts the digis of a warp's piece by slot.
template <u32 BITS>
struct Count : BySlot<BITS, Count<BITS>> {
    Counts* counts;

    __device__ __forceinline__ Count(const Slots& slots, u32* of_slots, Counts* counts)
        : BySlot<BITS, Count>(slots, of_slots), counts(counts) {}

    __device__ __forceinline__ Epoch epoch_before(u64* epochs, u32 index, u32 number, const u8* content,
                                                  const Epochs& piece_epochs) {
        return wait_for_epoch_before(epochs, index, number, content, piece_epochs);
    }
    __device__ __forceinline__ void put(u32, u64) {}
    __device__ __forceinline__ void count(u32 job, const PieceCounts& found) { found.add_to(counts[job]); }
};

// Writes digis to their offsets.
template <u32 BITS>
struct Put : BySlot<BITS, Put<BITS>> {
    u64* to;

    __device__ __forceinline__ Put(const Slots& slots, u32* of_slots, u64* to)
        : BySlot<BITS, Put>(slots, of_slots), to(to) {}

    __device__ __forceinline__ Epoch epoch_before(u64* epochs, u32 index, u32 number, const u8* content,
                                                  const Epochs&) {
        return known_epoch_before(epochs, index, number, content);
    }
    __device__ __forceinline__ void put(u32 offset, u64 digi) { to[offset] = of_side(digi); }
    __device__ __forceinline__ void count(u32, const PieceCounts&) {}
};

// Reserves offsets for the digis of a tile, side by side, and within a side warp by warp.
PORTABLE_INLINE void reserve_offsets(const Shared& shared, u32 slots_of_piece, u32* totals, u32* piece_offsets) {
    for (u32 slot = threadIdx.x; slot < shared.slots.count; slot += THREADS) {
        u32 sum = 0;
        for (u32 warp = 0; warp < WARPS; warp++) sum += shared.of_warps[warp][slot];
        u32 offset = sum == 0 ? 0 : atomicAdd(&totals[shared.slots.sides[slot]], sum);
        for (u32 warp = 0; warp < WARPS; warp++) {
            piece_offsets[warp * slots_of_piece + slot] = offset;
            offset += shared.of_warps[warp][slot];
        }
    }
}

// Unpacks a warp's piece. Few slots take fewer votes.
template <template <u32> class Digis, class... Rest>
PORTABLE_INLINE void unpack_by_slot(const RawToSides& all, u32 index, Shared& shared, u32* warp_slots, Rest... rest) {
    u64* epochs = all.input.states + 1;
    if (all.slots_of_piece <= 1u << FEW_BITS) {
        Digis<FEW_BITS> digis(shared.slots, warp_slots, rest...);
        unpack_piece(all.input, epochs, index, shared.lookup, digis);
    } else {
        Digis<ALL_BITS> digis(shared.slots, warp_slots, rest...);
        unpack_piece(all.input, epochs, index, shared.lookup, digis);
    }
}

// Adds the digis of each side to the totals.
PORTABLE_INLINE void count_sides(const RawToSides& all) {
    SMEM_DYN(Shared, shared);
    const RawPieces& input = all.input;
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    u32* warp_slots = shared->of_warps[warp];
    u32 kept_board = NO_BOARD;
    while (true) {
        if (threadIdx.x == 0) shared->tile = (u32)atomicAdd(input.states, 1ull);
        __syncthreads();
        const u32 tile = shared->tile;
        if (tile >= input.tiles) return;
        if (input.tile_boards[tile] != kept_board) {
            kept_board = input.tile_boards[tile];
            keep_board(*shared, input.boards[kept_board], all.slots[kept_board]);
        }
        for (u32 slot = lane; slot < all.slots_of_piece; slot += LANES) warp_slots[slot] = 0;
        __syncwarp();
        unpack_by_slot<Count>(all, tile * WARPS + warp, *shared, warp_slots, input.counts);
        __syncthreads();
        reserve_offsets(*shared, all.slots_of_piece, all.totals,
                        all.piece_offsets + (u64)tile * WARPS * all.slots_of_piece);
        // All have read what the next tile changes.
        __syncthreads();
    }
}

// Writes all digis to their sides, with channels counted on the side. Each block has
// `tiles_of_block` consecutive tiles, mostly of the same board.
PORTABLE_INLINE void write_to_sides(const RawToSides& all) {
    SMEM_DYN(Shared, shared);
    const RawPieces& input = all.input;
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    u32* warp_slots = shared->of_warps[warp];
    const u32 first = blockIdx.x * all.tiles_of_block, end = min(input.tiles, first + all.tiles_of_block);
    u32 kept_board = NO_BOARD;
    for (u32 tile = first; tile < end; tile++) {
        if (input.tile_boards[tile] != kept_board) {
            kept_board = input.tile_boards[tile];
            __syncthreads();
            keep_board(*shared, input.boards[kept_board], all.slots[kept_board]);
        }
        const u32 index = tile * WARPS + warp;
        for (u32 slot = lane; slot < shared->slots.count; slot += LANES)
            warp_slots[slot] = all.side_offsets[shared->slots.sides[slot]] +
                               all.piece_offsets[(u64)index * all.slots_of_piece + slot];
        __syncwarp();
        unpack_by_slot<Put>(all, index, *shared, warp_slots, all.digis);
        __syncwarp();
    }
}

}  // namespace

KERNEL_INSTANCE(raw_count_sides, RawToSides, (THREADS, COUNTING), count_sides)
KERNEL_SHARED(raw_count_sides, Shared)
KERNEL_INSTANCE(raw_to_sides, RawToSides, (THREADS, WRITING), write_to_sides)
KERNEL_SHARED(raw_to_sides, Shared)
