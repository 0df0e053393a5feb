// Peaks of a strip, and suppression of those that are bumps on the slopes of larger ones.
#pragma once
#include "strip.h"

namespace {

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

}  // namespace
