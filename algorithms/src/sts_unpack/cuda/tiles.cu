// Each message is read once and each digi written once, 16 bytes at a time.
//
// A tile is a piece of a microslice for each warp, all of one board. A warp loads its piece as a
// whole, finds by ballots which epochs begin in it, and learns from the pieces before which one it
// begins in. What else follows from a hit's own bits is looked up in shared memory; hits for which
// that is not right go step by step. Digis wait in shared memory until those of all tiles before are
// counted, and then go to their places.
//
// Blocks take tiles by tickets: whoever is waited for has begun. A block keeps the tables of a board
// for its next tile, which is mostly of the same one.
//
// Dynamic shared memory (56.6 KiB): tables of a board, 24.3 KiB; digis, a place a message, 32 KiB.
#include "look_back.h"
#include "streams.h"
#include "tiles/unpack.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;

struct __align__(16) Shared {
    Lookup lookup;
    u64 digis[THREADS * MESSAGES_OF_LANE];
    u32 found[LANES];  // digis of each warp
    u32 tile, before;
};

PORTABLE_INLINE void keep(Lookup& kept, const Lookup& lookup) {
    const uint4* from = reinterpret_cast<const uint4*>(&lookup);
    uint4* to = reinterpret_cast<uint4*>(&kept);
    for (u32 i = threadIdx.x; i < sizeof(Lookup) / sizeof(uint4); i += THREADS) to[i] = from[i];
    __syncthreads();
}

// What all pieces are made of.
struct Input {
    const u8* bytes;
    const Job* jobs;
    const Board* boards;
    u32 rules;
    u64* epochs;
    Counts* counts;
};

// Unpacks a piece, and says how many digis it has.
PORTABLE_INLINE u32 unpack(const Input& input, const Piece* pieces, u32 place, const Lookup& lookup, u64* digis) {
    const Piece piece = pieces[place];
    if (piece.job == NO_JOB) return 0;
    const Job job = input.jobs[piece.job];
    const bool counts = piece.number == 0 && threadIdx.x % LANES == 0;
    if (has_wrong_size(job)) {
        if (counts) input.counts[piece.job].size = 1;
        return 0;
    }
    const Messages messages(input.bytes, job, piece.number);
    u32 own[ROWS][MESSAGES_AT_ONCE];
    messages.load(own);
    const u8* content = input.bytes + job.begin;
    if (has_wrong_first_messages(content)) {
        if (counts) input.counts[piece.job].first = 1;
        return 0;
    }
    const Epochs epochs(own);
    const Epoch before = epoch_before(input.epochs, place, piece.number, content, epochs);
    const Epoch behind = epochs.behind(before);
    const u64 cycle = first_of_cycle(job);
    const Board& board = input.boards[job.board];
    const u64 begin = before.since_start(cycle);
    const bool has_one_cycle = before.wraps == behind.wraps;
    Found found;
    if (has_one_cycle && is_inner(begin, board) && is_inner(behind.since_start(cycle), board)) {
        const LookedUp hits = {lookup, (u32)(begin - before.number) * (u32)EPOCH_NS};
        found = unpack_looked_up(hits, own, messages.count(), epochs, before, digis);
    } else {
        found = unpack_step_by_step(messages, cycle, before, board, input.rules, digis);
    }
    found.add_to(input.counts[piece.job]);
    return found.digis;
}

}  // namespace

// A piece for each warp of each tile. `states` has a word for tickets, one for each tile and one for
// each piece; these and `counts` are 0 before.
extern "C" __global__ void __launch_bounds__(THREADS, 3)
    unpack_tiles(const u8* bytes, const Job* jobs, const Board* boards, u32 rules, const Piece* pieces,
                 const u32* tile_boards, u32 tiles, u64* states, Counts* counts, u64* digis) {
    SMEM_DYN(Shared, shared);
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    u64* own = shared->digis + warp * LANES * MESSAGES_OF_LANE;
    u64* sums = states + 1;
    const Input input = {bytes, jobs, boards, rules, sums + tiles, counts};
    u32 kept_board = NO_BOARD;
    while (true) {
        if (threadIdx.x == 0) shared->tile = (u32)atomicAdd(states, 1ull);
        __syncthreads();
        const u32 tile = shared->tile;
        if (tile >= tiles) return;
        if (tile_boards[tile] != kept_board) {
            kept_board = tile_boards[tile];
            keep(shared->lookup, boards[kept_board].lookup);
        }
        const u32 found = unpack(input, pieces, tile * WARPS + warp, shared->lookup, own);
        if (lane == 0) shared->found[warp] = found;
        __syncthreads();
        const u32 of_lane = lane < WARPS ? shared->found[lane] : 0;
        if (warp == 0) {
            const u32 before = sum_before(sums, tile, __reduce_add_sync(FULL_MASK, of_lane));
            if (lane == 0) shared->before = before;
        }
        __syncthreads();
        const u32 place = shared->before + __reduce_add_sync(FULL_MASK, lane < warp ? of_lane : 0u);
        write_each_word<LANES>(digis + place, found, [&](u32 i) { return own[i]; }, lane);
        // All have read what the next tile changes.
        __syncthreads();
    }
}
KERNEL_EXPORT(unpack_tiles)
KERNEL_SHARED(unpack_tiles, Shared)
