// Unpacking of a piece of a microslice, from its bytes to a consumer of digis.
#pragma once
#include "hits.h"

// Pieces of microslices to unpack.
struct RawPieces {
    const u8* bytes;
    const Job* jobs;
    const Board* boards;
    // One for each warp of each tile.
    const Piece* pieces;
    const u32* tile_boards;
    // Status words, which are 0 at the start: one for tickets, then those of the kernel, with one for
    // each piece at the end.
    u64* states;
    // Counts of each microslice, which are 0 at the start.
    Counts* counts;
    u32 rules, tiles;
};

// Copies what is looked up into shared memory, by a block. Includes a barrier.
template <u32 THREADS> PORTABLE_INLINE void keep(Lookup& cache, const Lookup& lookup) {
    const uint4* from = reinterpret_cast<const uint4*>(&lookup);
    uint4* to = reinterpret_cast<uint4*>(&cache);
    for (u32 i = threadIdx.x; i < sizeof(Lookup) / sizeof(uint4); i += THREADS) to[i] = from[i];
    __syncthreads();
}

// Processes a piece with a whole warp. `digis` provides the epoch before it, and takes the hits, by
// either algorithm, and the counts: for a microslice that is refused, those of its first piece
// report that.
template <class Digis>
PORTABLE_INLINE void unpack_piece(const RawPieces& input, u64* states, u32 index, const Lookup& lookup, Digis& digis) {
    const Piece piece = input.pieces[index];
    if (piece.job == NO_JOB) return;
    const Job job = input.jobs[piece.job];
    Found found;
    if (has_wrong_size(job)) {
        found.size = piece.number == 0;
        return digis.count(piece.job, found);
    }
    const Messages messages(input.bytes, job, piece.number);
    u32 words[ROWS][MESSAGES_AT_ONCE];
    messages.load(words);
    const u8* content = input.bytes + job.begin;
    if (has_wrong_first_messages(content)) {
        found.first = piece.number == 0;
        return digis.count(piece.job, found);
    }
    const Epochs epochs(words);
    const Epoch before = digis.epoch_before(states, index, piece.number, content, epochs);
    const Epoch behind = epochs.behind(before);
    const u64 cycle = first_of_cycle(job);
    const Board& board = input.boards[job.board];
    const u64 begin = before.since_start(cycle);
    const bool has_one_cycle = before.wraps == behind.wraps;
    if (has_one_cycle && is_inner(begin, board) && is_inner(behind.since_start(cycle), board)) {
        const LookedUp hits = {lookup, (u32)(begin - before.number) * (u32)EPOCH_NS};
        found = digis.look_up(hits, words, messages.count(), epochs, before);
    } else {
        found = step_by_step(messages, cycle, before, board, input.rules, digis);
    }
    digis.count(piece.job, found);
}
