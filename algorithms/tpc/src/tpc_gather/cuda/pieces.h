// Arrays of clusters in pieces, as described by the host, and copies of unaligned bytes.
#pragma once
#include "portable.h"

// Kinds of the pieces of an array. An array without gaps is cut into tiles.
constexpr u32 WHOLE = 0, ATTACHED = 1, DIFFERENCES = 2, UNATTACHED = 3;

struct Array {
    u64 from;   // byte offset in the source
    u64 to;     // and in the target
    u32 bytes;  // of the packed array
    u32 width;  // bytes of an entry
    u32 pieces;
    u32 unused;
};

// Some bytes, and their destination.
struct Piece {
    u64 from, to;
    u32 bytes;
};

// The pieces of tracks or of rows.
struct Pieces {
    const u32* starts;
    const u32* offsets;  // with that of the end
    u32 count;
};

// The complete input.
struct Clusters {
    const Array* arrays;
    Pieces tracks, rows;

    // Bytes of a tile of an array without gaps.
    static constexpr u32 TILE = 4096;

    __device__ __forceinline__ u32 count(const Array& array) const {
        if (array.pieces == WHOLE) return (array.bytes + TILE - 1) / TILE;
        return array.pieces == UNATTACHED ? rows.count : tracks.count;
    }

    __device__ __forceinline__ Piece piece(const Array& array, u32 number) const {
        if (array.pieces == WHOLE) {
            const u32 done = number * TILE;
            return {array.from + done, array.to + done, min(TILE, array.bytes - done)};
        }
        const Pieces& pieces = array.pieces == UNATTACHED ? rows : tracks;
        // The first cluster of a track has no difference to a previous one.
        const u32 left_out = array.pieces == DIFFERENCES;
        const u32 offset = pieces.offsets[number];
        const u32 entries = pieces.offsets[number + 1] - offset - left_out;
        const u64 first = pieces.starts[number] + left_out, packed = offset - left_out * number;
        return {array.from + first * array.width, array.to + packed * array.width, entries * array.width};
    }
};

// Copies entry by entry; both sides are aligned to entries. Each participating thread has a rank.
template <class T>
__device__ __forceinline__ void copy_entries(u8* to, const u8* from, u32 bytes, u32 rank, u32 ranks) {
    for (u32 i = rank; i < bytes / (u32)sizeof(T); i += ranks)
        reinterpret_cast<T*>(to)[i] = reinterpret_cast<const T*>(from)[i];
}
