// Each message is read once and each digi written once, 16 bytes at a time.
//
// A tile is a piece of a microslice for each warp, all of one board. A warp loads its full piece,
// finds by ballots which epochs start in it, and gets the epoch before it from earlier pieces.
// Everything else follows from a hit's own bits by lookup in shared memory; hits for which the
// lookup is not exact are computed step by step. Digis wait in shared memory until those of all
// tiles before are counted, and are then written to their offsets.
//
// Blocks take tiles by tickets, so every tile that is waited for has already started. A block keeps
// the tables of a board for its next tile, if that is of the same one.
//
// Dynamic shared memory (50.6 KiB): tables of a board, 16.5 KiB; digis, one per message, 34 KiB.
#include "scan.h"
#include "pieces.h"
#include "words.h"

// Arguments of unpacking.
struct TileUnpacking {
    RawPieces input;
    u64* digis;
};

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;
// On a multiprocessor at a time.
constexpr u32 BLOCKS = 4;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
// More registers would be needed than these have.
constexpr u32 COMPILED_FOR = BLOCKS - 1;
#else
constexpr u32 COMPILED_FOR = BLOCKS;
#endif

// Index of a waiting digi. Lanes usually have four consecutive ones, so without a gap after each 16
// all lanes would write to the same banks.
constexpr u32 WITHOUT_GAP = 16;
constexpr u32 WAITING = LANES * MESSAGES_OF_LANE / WITHOUT_GAP * (WITHOUT_GAP + 1);
PORTABLE_INLINE u32 waiting_index(u32 index) { return index + index / WITHOUT_GAP; }

struct __align__(16) Shared {
    Lookup lookup;
    u64 digis[WARPS][WAITING];
    u32 found[LANES];  // digis of each warp
    u32 tile, before;
};

// All messages at once; digis go to `digis`, in the order of the messages.
PORTABLE_INLINE PieceCounts look_up_in_order(const LookedUp& hits, const u32 (&messages)[ROWS][MESSAGES_AT_ONCE],
                                       u32 messages_in_all, const Epochs& epochs, Epoch before, u64* digis) {
    const lanemask_t lanes_below = lanemask_lt(threadIdx.x % LANES);
    PieceCounts found;
    // In the lower half hits and TS_MSBs, in the upper one hits of unknown e-links.
    u32 counted = 0;
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        // Epoch numbers only grow.
        u32 number = max(epochs.known[row], before.number);
        u64 lane_digis[MESSAGES_AT_ONCE];
        bool is_digi[MESSAGES_AT_ONCE];
        u32 index = found.digis;
#pragma unroll
        for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
            const u32 message = messages[row][i];
            if (is_ts_msb(message)) number = number_of(message);
            counted += is_hit(message) || is_ts_msb(message);
            is_digi[i] = hits.find(message, number, counted, lane_digis[i]);
            const lanemask_t all = __ballot_sync(FULL_MASK, is_digi[i]);
            index += (u32)popc(all & lanes_below);
            found.digis += (u32)popc(all);
        }
#pragma unroll
        for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
            if (is_digi[i]) digis[waiting_index(index++)] = lane_digis[i];
        }
    }
    counted = __reduce_add_sync(FULL_MASK, counted);
    found.other = messages_in_all - (counted & 0xffff);
    found.elink = counted >> 16;
    return found;
}

// Digis of a warp's piece, one after the other.
struct InOrder {
    Counts* counts;
    u64* digis;
    u32 found = 0;

    __device__ __forceinline__ Epoch epoch_before(u64* epochs, u32 index, u32 number, const u8* content,
                                                  const Epochs& piece_epochs) {
        return wait_for_epoch_before(epochs, index, number, content, piece_epochs);
    }

    __device__ __forceinline__ PieceCounts look_up(const LookedUp& hits, const u32 (&messages)[ROWS][MESSAGES_AT_ONCE],
                                             u32 messages_in_all, const Epochs& epochs, Epoch before) {
        return look_up_in_order(hits, messages, messages_in_all, epochs, before, digis);
    }

    __device__ __forceinline__ void take(lanemask_t with_digi, u32 before, u32, u64 digi) {
        const u32 lane = threadIdx.x % LANES;
        if (with_digi >> lane & 1) digis[waiting_index(before + (u32)popc(with_digi & lanemask_lt(lane)))] = digi;
    }

    __device__ __forceinline__ void count(u32 job, const PieceCounts& all) {
        all.add_to(counts[job]);
        found = all.digis;
    }
};

// Unpacks the tiles of all pieces. A piece for each warp of each tile; `states` has a word for each
// tile before those of pieces.
PORTABLE_INLINE void unpack(const TileUnpacking& all) {
    SMEM_DYN(Shared, shared);
    const RawPieces& input = all.input;
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    u64* warp_digis = shared->digis[warp];
    u64* sums = input.states + 1;
    u32 kept_board = NO_BOARD;
    while (true) {
        if (threadIdx.x == 0) shared->tile = (u32)atomicAdd(input.states, 1ull);
        __syncthreads();
        const u32 tile = shared->tile;
        if (tile >= input.tiles) return;
        if (input.tile_boards[tile] != kept_board) {
            kept_board = input.tile_boards[tile];
            keep<THREADS>(shared->lookup, input.boards[kept_board].lookup);
        }
        InOrder in_order = {input.counts, warp_digis};
        unpack_piece(input, sums + input.tiles, tile * WARPS + warp, shared->lookup, in_order);
        const u32 found = in_order.found;
        if (lane == 0) shared->found[warp] = found;
        __syncthreads();
        const u32 of_lane = lane < WARPS ? shared->found[lane] : 0;
        if (warp == 0) {
            const u32 before = sum_before(sums, tile, __reduce_add_sync(FULL_MASK, of_lane));
            if (lane == 0) shared->before = before;
        }
        __syncthreads();
        const u32 index = shared->before + __reduce_add_sync(FULL_MASK, lane < warp ? of_lane : 0u);
        write_each_word<LANES>(all.digis + index, found, [&](u32 i) { return warp_digis[waiting_index(i)]; }, lane);
        // All have read what the next tile changes.
        __syncthreads();
    }
}

}  // namespace

KERNEL_INSTANCE(unpack_tiles, TileUnpacking, (THREADS, COMPILED_FOR), unpack)
KERNEL_SHARED(unpack_tiles, Shared)
