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
#include "../tuned/fused.h"
#include "bins.h"

namespace {

constexpr u32 FIND_THREADS = 192;
// Cells of a strip: 31 KiB, so that five blocks fit into the shared memory of Hopper.
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

// A peak is kept if all cells within four time bins of it are known: two of a cluster, and two to
// the peaks that claim its charges.
constexpr u32 KEPT_MARGIN = 4;
// Larger peaks are searched within three time bins and two pads.
constexpr i32 NOISE_TIMES = 3;
constexpr i32 NOISE_PADS = 2;
// The bits of these time bins: two pads away; and on nearer pads, where peaks are never adjacent.
constexpr u32 FAR_TIMES = 0x7f;
constexpr u32 NEAR_TIMES = 0x63;
// Flag in the list of peaks: it is noise. Cells have fewer bits.
constexpr u32 NOISE = 1u << 15;
static_assert(CELLS <= NOISE, "a cell and a flag fit into an entry of the list");

// The bits of up to 17 time bins of a pad, selected by `mask`.
PORTABLE_INLINE u32 window(const Strip& strip, const Shape& shape, u32 pad, u32 time, u32 mask) {
    return strip.bits[shape.word(pad, time)] >> time % WORD_STEP & mask;
}

// Sets the bit of a cell, in both words that contain it.
PORTABLE_INLINE void set_bit(Strip& strip, const Shape& shape, u32 pad, u32 time) {
    u32* word = &strip.bits[shape.word(pad, time)];
    atomicOr(word, 1u << time % WORD_STEP);
    if (time >= WORD_STEP) atomicOr(word - 1, 1u << (WORD_STEP + time % WORD_STEP));
}

PORTABLE_INLINE void clear_bit(Strip& strip, const Shape& shape, u32 pad, u32 time) {
    u32* word = &strip.bits[shape.word(pad, time)];
    atomicAnd(word, ~(1u << time % WORD_STEP));
    if (time >= WORD_STEP) atomicAnd(word - 1, ~(1u << (WORD_STEP + time % WORD_STEP)));
}

// Returns true if a charge is larger than those after it, and not smaller than those before it.
PORTABLE_INLINE bool is_largest(const u16* at, u32 stride, u32 entry) {
    const u16 *before = at - stride, *behind = at + stride;
    const u32 not_larger = max(max((u32)before[-1], (u32)before[0]), max((u32)before[1], (u32)at[-1]));
    const u32 smaller = max(max((u32)at[1], (u32)behind[-1]), max((u32)behind[0], (u32)behind[1]));
    return (entry >= not_larger) & (entry > smaller);
}

// Sets the bit of a peak, and lists it if it has to be tested for noise: at the front of the list if
// its cluster is formed in this tile, otherwise at the end.
PORTABLE_INLINE void add_peak(Strip& strip, const Shape& shape, const BinnedSample& peak) {
    if (is_noisy(strip, peak.pad)) return;
    set_bit(strip, shape, peak.pad, peak.time);
    const u16 cell = (u16)shape.cell(peak.pad, peak.time);
    if (peak.time - MARGIN < shape.times() - 2 * MARGIN) {
        strip.peaks[atomicAdd(&strip.own, 1u)] = cell;
    } else if (peak.time - KEPT_MARGIN < shape.times() - 2 * KEPT_MARGIN) {
        strip.peaks[MAX_PEAKS - 1 - atomicAdd(&strip.others, 1u)] = cell;
    }
}

// Finds the peaks among the samples of a tile. Few of a thread's samples in a batch are peaks, so
// they are processed one at a time afterwards. In the first and the last time bin of the strip
// false peaks may be found, as their neighbours are missing, but these bins are never examined.
PORTABLE_INLINE void find_peaks(Strip& strip, const u32* binned, const Tile& tile, const Shape& shape,
                                const Batch& loaded) {
    const u32 cutoff = (u32)strip.settings.qmax_cutoff | PRESENT;
    for_each_batch(binned, tile, shape, loaded, [&](const Batch& batch) {
        u32 peaks = 0;
#pragma unroll
        for (u32 i = 0; i < BATCH; i++) {
            const BinnedSample sample(batch.words[i], shape);
            const u16* at = entries(strip) + shape.cell(sample.pad, sample.time);
            if (is_largest(at, shape.stride, sample.entry) & (sample.entry > cutoff)) peaks |= 1u << i;
        }
#pragma unroll 1
        for (; peaks != 0; peaks &= peaks - 1) {
            u32 word = batch.words[0];
#pragma unroll
            for (u32 i = 1; i < BATCH; i++) word = peaks & ((1u << i) - 1) ? word : batch.words[i];
            add_peak(strip, shape, BinnedSample(word, shape));
        }
    });
}

PORTABLE_INLINE i32 sign(i32 step) { return (step > 0) - (step < 0); }

// Returns true if the peak at offset (a, b) is larger, and no valley lies between.
PORTABLE_INLINE bool hides(const Strip& strip, const u16* at, i32 stride, i32 a, i32 b) {
    const i32 charge = at[0] & CHARGE, other = at[a * stride + b] & CHARGE;
    const u16* towards = at + sign(a) * stride + sign(b);
    if (other <= charge || is_valley(charge, *towards & CHARGE, strip.settings)) return false;
    return (b != NOISE_TIMES && b != -NOISE_TIMES) || !is_valley(charge, towards[sign(b)] & CHARGE, strip.settings);
}

// Returns true if some peak hides that of a cell.
PORTABLE_INLINE bool is_hidden(const Strip& strip, const Shape& shape, u32 cell) {
    const uint2 position = shape.position(cell);
    // A byte for each pad.
    u64 others = 0;
#pragma unroll
    for (i32 a = -NOISE_PADS; a <= NOISE_PADS; a++) {
        const u32 times = a == -NOISE_PADS || a == NOISE_PADS ? FAR_TIMES : NEAR_TIMES;
        const u64 of_pad = window(strip, shape, position.x + (u32)a, position.y - NOISE_TIMES, times);
        others |= of_pad << (8 * (a + NOISE_PADS));
    }
    const u16* at = entries(strip) + cell;
#pragma unroll 1
    for (; others != 0; others &= others - 1) {
        const i32 bit = __ffsll((long long)others) - 1;
        if (hides(strip, at, (i32)shape.stride, bit / 8 - NOISE_PADS, bit % 8 - NOISE_TIMES)) return true;
    }
    return false;
}

// Calls `take(peak)` with each entry of the list, distributed over the threads.
template <class Take>
PORTABLE_INLINE void for_each_peak(Strip& strip, Take take) {
    const u32 own = strip.own, all = own + strip.others;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < all; i += FIND_THREADS)
        take(strip.peaks[i < own ? i : MAX_PEAKS - 1 - (i - own)]);
}

// Clears the bits of peaks that are noise. A barrier separates the decision from the update because
// all threads read the bits.
PORTABLE_INLINE void suppress_noise(Strip& strip, const Shape& shape) {
    for_each_peak(strip, [&](u16& peak) {
        if (is_hidden(strip, shape, peak)) peak |= NOISE;
    });
    __syncthreads();
    for_each_peak(strip, [&](u16 peak) {
        if (!(peak & NOISE)) return;
        const uint2 position = shape.position(peak & ~NOISE);
        clear_bit(strip, shape, position.x, position.y);
    });
}

// Calls `form(tile, shape)` for the tiles of this block, one after the other, once charges and the
// remaining peaks are in the strip.
template <class Form>
__device__ __forceinline__ void for_each_tile(const FusedFinding& all, Strip& strip, Form form) {
    const u32* binned = all.binned;
    const u32 count = all.counts->tiles;
    const Tile no_tile = {};
    Tile next = blockIdx.x < count ? all.tiles[blockIdx.x] : no_tile;
    for (u32 i = blockIdx.x; i < count; i += gridDim.x) {
        const Tile tile = next;
        const Shape shape(all.rows[tile.row % ROWS], tile.number);
        Batch first;
        first.load(binned, tile.begin, tile.end, shape.no_sample());
        clear(strip, shape, all.sectors[tile.row / ROWS].settings, all.noisy + tile.row * NOISY_WORDS);
        __syncthreads();
        fill(strip, binned, tile, shape, first);
        __syncthreads();
        find_peaks(strip, binned, tile, shape, first);
        __syncthreads();
        // Prefetched while clusters are formed.
        next = i + gridDim.x < count ? all.tiles[i + gridDim.x] : no_tile;
        suppress_noise(strip, shape);
        __syncthreads();
        form(tile, shape);
        __syncthreads();
    }
}

}  // namespace
