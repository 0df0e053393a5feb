// Packs some neighbouring arrays, while the previous ones are being copied to the host.
//
// Threads iterate over the output: each assembles aligned vectors of the packed array from the
// words of the source that contain them, for any relative alignment. So all threads have the same
// amount of work, for any length of pieces. A warp has a contiguous range of an array and searches
// for its first piece once; from then on each of its lanes has one of the next pieces, and the
// vector in which that piece starts: the thread that writes the end of the previous piece gets it
// from there.
#include "pieces.h"
#include "scan.h"

namespace {

constexpr u32 THREADS = 128;
constexpr u32 WARPS = THREADS / LANES;
constexpr u32 WORD = sizeof(u32), VECTOR = sizeof(uint4);
// Vectors that a lane has in flight, and bytes that a warp packs with them.
constexpr u32 AT_ONCE = 2, ROUND = AT_ONCE * LANES * VECTOR;

// The word that starts `shift` bits above the lowest bit of two words.
__device__ __forceinline__ u32 between(u32 low, u32 high, u32 shift) {
    return (u32)((((u64)high << 32) | low) >> shift);
}

// The vector that starts at any byte. Words that contain only some of its bytes are read, too: the
// source is padded before the first piece and after the last one.
__device__ __forceinline__ uint4 vector_at(const u8* from) {
    const u32 off = (u32)((u64)from % WORD), shift = 8 * off;
    const u32* words = reinterpret_cast<const u32*>(from - off);
    const u32 first = words[0], second = words[1], third = words[2], fourth = words[3], fifth = words[4];
    return make_uint4(between(first, second, shift), between(second, third, shift), between(third, fourth, shift),
                      between(fourth, fifth, shift));
}

// The first `bytes` bytes of one word, followed by the remaining ones of another.
__device__ __forceinline__ u32 join(u32 first, u32 other, i32 bytes) {
    const u32 kept = (u32)(((u64)1 << (8 * min(max(bytes, 0), (i32)WORD))) - 1);
    return (first & kept) | (other & ~kept);
}

__device__ __forceinline__ uint4 join(uint4 first, uint4 other, i32 bytes) {
    return make_uint4(join(first.x, other.x, bytes), join(first.y, other.y, bytes - 4),
                      join(first.z, other.z, bytes - 8), join(first.w, other.w, bytes - 12));
}

// An array in pieces, in the source and in the packed array.
struct PackedArray {
    const u8* from;
    u8* to;
    Pieces pieces;
    u32 bytes, width;  // of the packed array, and of an entry
    u32 left_out;      // entries at the start of each piece

    __device__ __forceinline__ PackedArray(const Clusters& clusters, const Array& array, const u8* source, u8* target)
        : from(source + array.from), to(target + array.to),
          pieces(array.pieces == UNATTACHED ? clusters.rows : clusters.tracks), bytes(array.bytes),
          width(array.width), left_out(array.pieces == DIFFERENCES) {}

    // The byte offset of a piece, and the end for the index after the last piece.
    __device__ __forceinline__ u32 offset(u32 piece) const {
        return (pieces.offsets[piece] - left_out * piece) * width;
    }

    // Source address of the first byte of the packed array, if all of it were of this piece.
    __device__ __forceinline__ const u8* base(u32 piece) const {
        return from + (u64)(pieces.starts[piece] + left_out) * width - offset(piece);
    }

    // The last piece that starts at a byte or before it, searched from `low` on.
    __device__ __forceinline__ u32 piece_at(u32 low, u32 byte) const {
        return lower_bound(low + 1, pieces.count, [&](u32 piece) { return offset(piece) <= byte; }) - 1;
    }
};

// Consecutive pieces of an array, one for each lane of a warp. After the last piece there are empty
// ones.
struct Neighbours {
    u32 first;       // index of the first lane's piece
    u32 offset;      // start of the lane's piece
    const u8* base;  // source address of the array's first byte, if all of it were of the lane's piece
    bool is_piece;

    __device__ __forceinline__ Neighbours(const PackedArray& array, u32 first) : first(first) {
        const u32 own = min(first + threadIdx.x % LANES, array.pieces.count);
        is_piece = own < array.pieces.count;
        offset = array.offset(own);
        base = is_piece ? array.base(own) : array.from;
    }

    // Returns true if the lane's piece starts after the round's first byte, and in the round.
    __device__ __forceinline__ bool starts_in(u32 round) const {
        return is_piece && offset > round && offset - round < ROUND;
    }

    // Returns true if more than two pieces may be in a vector of a round, or more pieces in the
    // round than the lanes have. All lanes take part.
    __device__ __forceinline__ bool are_crowded(u32 round) const {
        const bool starts = starts_in(round);
        const u32 next = __shfl_down_sync(FULL_MASK, offset, 1);
        const bool is_last = threadIdx.x % LANES == LANES - 1;
        return __any_sync(FULL_MASK, starts && (is_last || next / VECTOR == offset / VECTOR));
    }

    // The lane of the last piece that starts at a byte or before it; all lanes take part.
    __device__ __forceinline__ u32 lane_at(u32 byte) const {
        u32 lane = 0;
#pragma unroll
        for (u32 step = LANES / 2; step > 0; step /= 2)
            if (__shfl_sync(FULL_MASK, offset, (int)(lane + step)) <= byte) lane += step;
        return lane;
    }

    // The index of the last piece that starts at a byte or before it; all lanes take part.
    __device__ __forceinline__ u32 piece_at(u32 byte) const {
        return first + (u32)popc(__ballot_sync(FULL_MASK, offset <= byte)) - 1;
    }
};

// A vector of a round, as if all of it were of the piece in which it starts.
struct Part {
    uint4 vector;
    u32 next;   // the lane of the next piece
    u32 bytes;  // of the piece, from here on
};

__device__ __forceinline__ uint4 shuffled(uint4 vector, u32 lane) {
    return make_uint4(__shfl_sync(FULL_MASK, vector.x, (int)lane), __shfl_sync(FULL_MASK, vector.y, (int)lane),
                      __shfl_sync(FULL_MASK, vector.z, (int)lane), __shfl_sync(FULL_MASK, vector.w, (int)lane));
}

// Finds the source of the vector that each lane writes at `at`; all lanes take part.
__device__ __forceinline__ Part part(const Neighbours& known, u32 at, bool is_there) {
    const u32 lane = known.lane_at(at), next = min(lane + 1, LANES - 1u);
    const u32 end = __shfl_sync(FULL_MASK, known.offset, (int)next);
    const u8* base = (const u8*)__shfl_sync(FULL_MASK, (u64)known.base, (int)lane);
    return {is_there ? vector_at(base + at) : make_uint4(0, 0, 0, 0), next, end - at};
}

// Packs AT_ONCE vectors for each lane; all lanes take part, and have all pieces of the round.
// Returns the pieces of the next round.
__device__ __forceinline__ Neighbours pack(const PackedArray& array, const Neighbours& known, u32 begin, u32 vectors) {
    const u32 lane = threadIdx.x % LANES;
    uint4 head = make_uint4(0, 0, 0, 0);
    if (known.starts_in(begin)) head = vector_at(known.base + known.offset / VECTOR * VECTOR);
    Part parts[AT_ONCE];
#pragma unroll
    for (u32 i = 0; i < AT_ONCE; i++) {
        const u32 own = i * LANES + lane;
        parts[i] = part(known, begin + own * VECTOR, own < vectors);
    }
    const Neighbours next(array, known.piece_at(begin + ROUND));
    uint4* to = reinterpret_cast<uint4*>(array.to + begin);
#pragma unroll
    for (u32 i = 0; i < AT_ONCE; i++) {
        const u32 own = i * LANES + lane;
        const uint4 other = shuffled(head, parts[i].next);
        const uint4 vector = join(parts[i].vector, other, (i32)min(parts[i].bytes, VECTOR));
        if (own < vectors) to[own] = vector;
    }
    return next;
}

// The vector at a byte, with any number of pieces.
__device__ __forceinline__ uint4 vector_of_many(const PackedArray& array, u32 first, u32 at) {
    u32 piece = array.piece_at(first, at);
    uint4 vector = vector_at(array.base(piece) + at);
    while (++piece < array.pieces.count) {
        const u32 before = array.offset(piece) - at;
        if (before >= VECTOR) break;
        vector = join(vector, vector_at(array.base(piece) + at), (i32)before);
    }
    return vector;
}

// Packs like `pack`, but each lane searches for pieces itself.
__device__ __forceinline__ Neighbours pack_many(const PackedArray& array, u32 first, u32 begin, u32 vectors) {
    uint4* to = reinterpret_cast<uint4*>(array.to + begin);
#pragma unroll 1
    for (u32 i = threadIdx.x % LANES; i < vectors; i += LANES) to[i] = vector_of_many(array, first, begin + i * VECTOR);
    return Neighbours(array, array.piece_at(first, begin + ROUND));
}

// Packs some vectors of an array, from a byte on.
__device__ __forceinline__ void pack_stretch(const PackedArray& array, u32 begin, u32 vectors) {
    Neighbours known(array, array.piece_at(0, begin));
    for (u32 done = 0; done < vectors; done += ROUND / VECTOR) {
        const u32 at = begin + done * VECTOR, now = min(vectors - done, ROUND / VECTOR);
        known = known.are_crowded(at) ? pack_many(array, known.first, at, now) : pack(array, known, at, now);
    }
}

// Packs the last bytes, fewer than a vector: nothing after the end may be written.
__device__ __forceinline__ void pack_rest(const PackedArray& array) {
    const u32 begin = array.bytes / VECTOR * VECTOR;
    for (u32 at = begin + threadIdx.x; at < array.bytes; at += THREADS) array.to[at] = array.base(array.piece_at(0, at))[at];
}

// Copies an array without gaps, which is aligned on both sides.
__device__ __forceinline__ void copy_whole(const Array& array, const u8* source, u8* target) {
    const u32 thread = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    const u32 vectors = array.bytes / VECTOR, rest = vectors * VECTOR;
    copy_entries<uint4>(target + array.to, source + array.from, rest, thread, threads);
    copy_entries<u8>(target + array.to + rest, source + array.from + rest, array.bytes - rest, thread, threads);
}

// The number of rounds of the arrays of a chunk.
__device__ __forceinline__ u32 rounds_of(const Array& array) {
    return array.pieces == WHOLE ? 0 : array.bytes / ROUND + 1;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
    gather_chunk(const u8* __restrict__ source, u8* __restrict__ target, const Array* arrays,
                 const u32* track_starts, const u32* track_offsets, const u32* row_starts, const u32* row_offsets,
                 u32 first_array, u32 end_array, u32 tracks, u32 rows) {
    const Clusters clusters{arrays, {track_starts, track_offsets, tracks}, {row_starts, row_offsets, rows}};
    const u32 warps = gridDim.x * WARPS, warp = blockIdx.x * WARPS + threadIdx.x / LANES;
    u32 all = 0;
    for (u32 number = first_array; number < end_array; number++) all += rounds_of(arrays[number]);
    // Each warp has the same number of consecutive rounds.
    const u32 of_warp = (all + warps - 1) / warps, begin = min(warp * of_warp, all), end = min(begin + of_warp, all);
    u32 before = 0;
    for (u32 number = first_array; number < end_array; number++) {
        if (arrays[number].pieces == WHOLE) {
            copy_whole(arrays[number], source, target);
            continue;
        }
        const PackedArray array(clusters, arrays[number], source, target);
        const u32 behind = before + rounds_of(arrays[number]);
        const u32 own = max(begin, before), vectors = array.bytes / VECTOR, first = (own - before) * (ROUND / VECTOR);
        if (own < min(end, behind) && first < vectors)
            pack_stretch(array, first * VECTOR, min((min(end, behind) - own) * (ROUND / VECTOR), vectors - first));
        if (blockIdx.x == number % gridDim.x) pack_rest(array);
        before = behind;
    }
}
KERNEL_EXPORT(gather_chunk, GatherPack)
