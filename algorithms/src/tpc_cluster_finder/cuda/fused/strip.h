// A tile of a row in shared memory: its charges, and a bit for each cell that is a peak.
//
// Charges are stored in a line for each pad, with empty lines before the first and after the last.
// A line has the tile's time bins and a margin on either side, whose charges affect clusters of the
// tile. The length of a line is an odd number of words, so that it is not a multiple of the number
// of banks.
//
// Bits are stored in overlapping words of 32 time bins: the upper 16 are repeated in the next word,
// so any 17 consecutive bits are in one word.
#pragma once
#include "bins.h"

namespace {

// With 64 registers each, five such blocks fit on a multiprocessor.
constexpr u32 FIND_THREADS = 192;
constexpr u32 FIND_BLOCKS = 5;
// Cells of a strip: 31 KiB, so that FIND_BLOCKS blocks fit into the shared memory of Hopper.
constexpr u32 CELLS = 15872;
// Words of bits: the maximum over all rows, verified by a test.
constexpr u32 BIT_WORDS = 1088;
// No two peaks are adjacent.
constexpr u32 MAX_PEAKS = CELLS / 4;
// Time bins on either side of a tile, and cells at the end of a line.
constexpr u32 MARGIN = BIN_TIMES;
constexpr u32 LINE_END = 2;
// Empty lines on either side: of charges, and of bits.
constexpr u32 CHARGE_LINES = 2;
constexpr u32 BIT_LINES = 4;
// Time bins from one word of bits to the next.
constexpr u32 WORD_STEP = 16;

// Entry of a cell: a flag for a sample, which is set even if its charge is 0, and the charge.
constexpr u32 PRESENT = 1u << 14;
constexpr u32 CHARGE = PRESENT - 1;

// Entries that are cleared at once.
constexpr u32 ENTRIES = sizeof(uint4) / sizeof(u16);

struct Strip {
    uint4 charges[CELLS / ENTRIES];
    u32 bits[BIT_WORDS];
    u16 peaks[MAX_PEAKS];  // cells: those of the tile from the first entry on, others from the last
    u32 noisy[NOISY_WORDS];
    u32 own, others;  // numbers of peaks
    Settings settings;
};

// Layout of a strip.
struct Shape {
    u32 pads;
    u32 stride;  // cells from one line to the next
    u32 reciprocal;
    u32 first_time;

    __device__ __forceinline__ Shape(const RowShape& row, u32 tile)
        : pads(row.pads),
          stride(row.tile_times + 2 * MARGIN + LINE_END),
          reciprocal(row.reciprocal),
          first_time(tile * row.tile_times - MARGIN) {}

    // Time bins, margins included.
    __device__ __forceinline__ u32 times() const { return stride - LINE_END; }

    // Words of bits of a line.
    __device__ __forceinline__ u32 words() const { return (times() + WORD_STEP - 1) / WORD_STEP; }

    __device__ __forceinline__ u32 cell(u32 pad, u32 time) const { return (pad + CHARGE_LINES) * stride + time; }

    // Pad and time of a cell, by division by the cells of a line.
    __device__ __forceinline__ uint2 position(u32 cell) const {
        const u32 line = cell * reciprocal >> RECIPROCAL_SHIFT;
        return make_uint2(line - CHARGE_LINES, cell - line * stride);
    }

    // Stands for no sample: one without charge in the first time bin of the first pad, which is the
    // outermost of the margin, where such a sample has no effect.
    __device__ __forceinline__ u32 no_sample() const { return first_time << TIME_SHIFT; }

    // The word of bits from a time bin on.
    __device__ __forceinline__ u32 word(u32 pad, u32 time) const {
        return (pad + BIT_LINES) * words() + time / WORD_STEP;
    }
};

PORTABLE_INLINE u16* entries(Strip& strip) { return reinterpret_cast<u16*>(strip.charges); }
PORTABLE_INLINE const u16* entries(const Strip& strip) { return reinterpret_cast<const u16*>(strip.charges); }

PORTABLE_INLINE bool is_noisy(const Strip& strip, u32 pad) { return strip.noisy[pad / 32] >> (pad % 32) & 1; }

// Clears the strip for a row of a sector. Waits for the asynchronous loads at the end.
PORTABLE_INLINE void clear(Strip& strip, const Shape& shape, const Settings& settings, const u32* noisy) {
    constexpr u32 SETTINGS_WORDS = sizeof(Settings) / sizeof(u32);
    static_assert(SETTINGS_WORDS <= FIND_THREADS && NOISY_WORDS <= FIND_THREADS, "a thread a word");
    const u32 setting = threadIdx.x < SETTINGS_WORDS ? reinterpret_cast<const u32*>(&settings)[threadIdx.x] : 0;
    const u32 noisy_pads = threadIdx.x < NOISY_WORDS ? noisy[threadIdx.x] : 0;
    const u32 cells = (shape.pads + 2 * CHARGE_LINES) * shape.stride;
    for (u32 i = threadIdx.x; i * ENTRIES < cells; i += FIND_THREADS) strip.charges[i] = make_uint4(0, 0, 0, 0);
    const u32 words = (shape.pads + 2 * BIT_LINES) * shape.words();
    for (u32 i = threadIdx.x; i < words; i += FIND_THREADS) strip.bits[i] = 0;
    if (threadIdx.x == 0) strip.own = strip.others = 0;
    if (threadIdx.x < NOISY_WORDS) strip.noisy[threadIdx.x] = noisy_pads;
    if (threadIdx.x < SETTINGS_WORDS) reinterpret_cast<u32*>(&strip.settings)[threadIdx.x] = setting;
}

// Samples that a thread loads at once: all that it has of most tiles.
constexpr u32 BATCH = 6;

// Some samples of a thread.
struct Batch {
    u32 words[BATCH];

    // Loads each thread's share of the samples from `first` on; `none` for those past the end.
    __device__ __forceinline__ void load(const u32* binned, u32 first, u32 end, u32 none) {
#pragma unroll
        for (u32 i = 0; i < BATCH; i++) {
            const u32 number = first + i * FIND_THREADS + threadIdx.x;
            words[i] = number < end ? binned[number] : none;
        }
    }
};

// A sample of a bin: its entry and its position in a strip.
struct BinnedSample {
    u32 entry, pad, time;

    __device__ __forceinline__ BinnedSample(u32 word, const Shape& shape)
        : entry((word & CHARGE_MASK) | PRESENT),
          pad(word >> PAD_SHIFT & PAD_MASK),
          time(((word >> TIME_SHIFT) - shape.first_time) & TIME_MASK) {}
};

// Calls `take(batch)` for all samples of a tile, of which the first batch is already loaded.
template <class Take>
PORTABLE_INLINE void for_each_batch(const u32* binned, const Tile& tile, const Shape& shape, Batch batch,
                                    Take take) {
    const u32 none = shape.no_sample();
    u32 first = tile.begin;
    while (true) {
        take(batch);
        first += BATCH * FIND_THREADS;
        if (first >= tile.end) return;
        batch.load(binned, first, tile.end, none);
    }
}

// Stores samples in the empty strip.
PORTABLE_INLINE void fill(Strip& strip, const u32* binned, const Tile& tile, const Shape& shape, const Batch& loaded) {
    const u32 none = shape.no_sample();
    for_each_batch(binned, tile, shape, loaded, [&](const Batch& batch) {
#pragma unroll
        for (u32 i = 0; i < BATCH; i++) {
            const BinnedSample sample(batch.words[i], shape);
            if (batch.words[i] != none) entries(strip)[shape.cell(sample.pad, sample.time)] = (u16)sample.entry;
        }
    });
}

}  // namespace
