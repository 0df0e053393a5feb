// Each charge is read once, 16 bytes at a time, and becomes a bit: a word has 32 time bins of a
// pad. Charges are counted by counting bits, and runs by the leading and trailing bits of words;
// few words can contain a longer run than the longest so far.
//
// A lane loads a line of a tile, which is eight pads in one time bin, so that a warp loads
// neighbouring tiles completely. Four lanes have the four time bins of a tile. They exchange their
// bits, and each continues with two of the pads.
//
// The warps of a block have the same pads, each in a slice of the time; the slices are combined at
// the end. So there are enough loads in flight with few sectors, too.
//
// Static shared memory: activity of each pad in each slice, 6 KiB.
#include "map.h"
#include "pads.h"

namespace {

constexpr u32 THREADS = 256;
// Four blocks share a multiprocessor, which leaves 64 registers to a thread.
constexpr u32 BLOCKS = 4;
constexpr u32 WARPS = THREADS / LANES;
// Groups of pads of a block: four lanes each.
constexpr u32 GROUPS = LANES / TILE_TIMES;
constexpr u32 PADS = GROUPS * TILE_PADS;
// Consecutive tiles in time that a lane loads at once.
constexpr u32 STEP = WORD_BINS / TILE_TIMES;
// Lines of tiles in a row of them.
constexpr u32 LINES_IN_ROW = TILES_IN_ROW * TILE_TIMES;

// Activity of a pad in a slice of the time.
struct Slice {
    u16 charges, head, longest, tail, largest, unused;
};

// The larger of either half.
PORTABLE_INLINE u32 max_of_halves(u32 a, u32 b) {
#if defined(__CUDA_ARCH__)
    return __vmaxu2(a, b);
#else
    return max(a >> 16, b >> 16) << 16 | max(a & 0xffff, b & 0xffff);
#endif
}

// The largest charges of eight pads, two in a word.
struct Largest {
    u32 pairs[4] = {};

    __device__ __forceinline__ void add(uint4 line) {
        pairs[0] = max_of_halves(pairs[0], line.x);
        pairs[1] = max_of_halves(pairs[1], line.y);
        pairs[2] = max_of_halves(pairs[2], line.z);
        pairs[3] = max_of_halves(pairs[3], line.w);
    }

    // Bits of a lane's pads, in all four time bins of tiles.
    __device__ __forceinline__ u32 of_own(u32 own) const {
        u32 largest = 0;
#pragma unroll
        for (u32 pair = 0; pair < 4; pair++) {
            u32 both = max_of_halves(pairs[pair], __shfl_xor_sync(FULL_MASK, pairs[pair], 1));
            both = max_of_halves(both, __shfl_xor_sync(FULL_MASK, both, 2));
            if (pair == own) largest = both;
        }
        return largest;
    }
};

// A bit for each charge of a line, in the upper four bits of either half: pads 0, 2, 4 and 6 in the
// lower half, from the highest bit on, and pads 1, 3, 5 and 7 in the upper. Charges have 14 bits:
// after adding 0x7fff, bit 15 is set if there is any, and nothing is carried.
PORTABLE_INLINE u32 present_in(uint4 line) {
    constexpr u32 ALMOST = 0x7fff7fff;
    const u32 first = (line.x + ALMOST) & 0x80008000;
    const u32 second = ((line.y + ALMOST) >> 1) & 0x40004000;
    const u32 third = ((line.z + ALMOST) >> 2) & 0x20002000;
    const u32 fourth = ((line.w + ALMOST) >> 3) & 0x10001000;
    return first | second | third | fourth;
}

// The bits of 16 time bins of a lane's two pads, one in either half, from the bits that each of
// four lanes has of all pads in its time bins of four tiles.
PORTABLE_INLINE u32 own_bits(u32 bits, u32 own) {
    u32 both = 0;
#pragma unroll
    for (u32 time = 0; time < TILE_TIMES; time++) {
        const u32 theirs = __shfl_sync(FULL_MASK, bits, (int)time, (int)TILE_TIMES);
        both |= ((theirs >> (3 - own)) & 0x11111111) << time;
    }
    return both;
}

// Iterates over the rows of tiles from `begin` to `end`, of which `lines` are those that the lane
// loads, for the lane's two pads.
PORTABLE_INLINE void scan(const uint4* lines, u32 begin, u32 end, u32 own, Presence (&pads)[2],
                          Largest& largest) {
    for (u32 row = begin; row < end; row += STEP) {
        uint4 loaded[STEP];
#pragma unroll
        for (u32 i = 0; i < STEP; i++) {
            const bool there = row + i < end;
            loaded[i] = there ? lines[(u64)(row + i) * LINES_IN_ROW] : make_uint4(0, 0, 0, 0);
        }
        u32 bits[2] = {};
#pragma unroll
        for (u32 i = 0; i < STEP; i++) {
            largest.add(loaded[i]);
            bits[i / 4] |= present_in(loaded[i]) >> (12 - 4 * (i % 4));
        }
        const u32 early = own_bits(bits[0], own), late = own_bits(bits[1], own);
        const u32 bins_before = (row - begin) * TILE_TIMES;
        pads[0].add((early & 0xffff) | late << 16, bins_before);
        pads[1].add(early >> 16 | (late & 0xffff0000), bins_before);
    }
}

PORTABLE_INLINE Slice slice_of(const Presence& pad, u32 largest) {
    return {(u16)pad.charges, (u16)pad.head, (u16)pad.longest, (u16)pad.tail, (u16)largest, 0};
}

// Combines the slices of a pad.
PORTABLE_INLINE PadActivity join(const Slice (&slices)[WARPS][PADS], u32 pad, u32 slice_bins, Thresholds thresholds) {
    u32 charges = 0, run = 0, longest = 0, largest = 0;
    for (u32 warp = 0; warp < WARPS; warp++) {
        const Slice slice = slices[warp][pad];
        const u32 across = run + slice.head;
        run = slice.charges == slice_bins ? across : slice.tail;
        charges += slice.charges;
        longest = max(longest, max(across, (u32)slice.longest));
        largest = max(largest, (u32)slice.largest);
    }
    return activity_of(charges, longest, largest, thresholds);
}

}  // namespace

// Activity of each pad of each group. A block for `GROUPS` groups of a sector.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    noisy_pads_bit_runs(const u16* maps, const uint2* groups, PadActivity* activity, u32 group_count,
                        u32 tile_rows, const __grid_constant__ Thresholds thresholds) {
    __shared__ Slice slices[WARPS][PADS];
    const u32 blocks_in_sector = (group_count + GROUPS - 1) / GROUPS;
    const u32 sector = blockIdx.x / blocks_in_sector;
    const u32 first_group = blockIdx.x % blocks_in_sector * GROUPS;
    const u32 slice_rows = (tile_rows + WARPS * STEP - 1) / (WARPS * STEP) * STEP;
    {
        const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
        // The line of a tile that a lane loads, and its pair of pads after the exchange.
        const u32 own = lane % TILE_TIMES;
        // Lanes without a group repeat the work of the last one.
        const Group group = group_at(groups, min(first_group + lane / TILE_TIMES, group_count - 1));
        const uint4* all = reinterpret_cast<const uint4*>(maps);
        const uint4* lines = all + first_tile(sector, tile_rows, group) * TILE_TIMES + own;
        const u32 begin = warp * slice_rows, end = min(begin + slice_rows, tile_rows);
        Presence pads[2];
        Largest largest;
        scan(lines, begin, end, own, pads, largest);
        const u32 largest_of_own = largest.of_own(own);
        slices[warp][2 * lane] = slice_of(pads[0], largest_of_own & 0xffff);
        slices[warp][2 * lane + 1] = slice_of(pads[1], largest_of_own >> 16);
    }
    __syncthreads();
    const u32 number = first_group + threadIdx.x / TILE_PADS, pad = threadIdx.x % TILE_PADS;
    if (threadIdx.x >= PADS || number >= group_count) return;
    const Group group = group_at(groups, number);
    if (pad < group.pads) {
        activity[sector * PADS_IN_SECTOR + group.first_pad + pad] =
            join(slices, threadIdx.x, slice_rows * TILE_TIMES, thresholds);
    }
}
KERNEL_EXPORT(noisy_pads_bit_runs, NoisyPads)
