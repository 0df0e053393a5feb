// The samples of dense blocks, two for each thread.
#pragma once
#include "staged.h"

namespace {

// The samples of a block, one after the other. While only the head of the block is known, `origin`
// contains its position and, above, the index of its first sample.
struct DenseRun {
    static constexpr u32 WIDTH_SHIFT = 28;

    // The bit offset in the page that a sample with index 0 would have, in the lowest bits; the
    // bits of a sample in the highest ones.
    u32 origin;
    u32 time_bin;

    __device__ __forceinline__ static DenseRun of_head(u32 position, u32 first) { return {position | first << 16, 0}; }
    __device__ __forceinline__ u32 head() const { return low_half(origin); }
    __device__ __forceinline__ u32 first() const { return high_half(origin); }

    __device__ __forceinline__ static DenseRun of_samples(u32 position, u32 first, u32 bits, u32 time_bin) {
        const u32 before = position * 8 - first * bits;
        return {(before & ((1u << WIDTH_SHIFT) - 1)) | bits << WIDTH_SHIFT, time_bin};
    }
    __device__ __forceinline__ u32 sample_bits() const { return origin >> WIDTH_SHIFT; }
    __device__ __forceinline__ u32 mask() const { return ~(~0u << sample_bits()); }
    // The bit offset of a sample, in the lowest bits.
    __device__ __forceinline__ u32 bit(u32 sample) const { return origin + sample * sample_bits(); }
};

// Two consecutive samples: most are of the same run, and they are stored together as if all were.
// Samples that start a run, or the page, as the second one of a pair are stored once more,
// afterwards.
template <class Shared, class Output>
struct SamplePairs {
    using Value = typename Output::Value;
    // Distance between a thread's pairs: a multiple of the group, so the index within the group is
    // constant.
    static constexpr u32 STEP = 2 * THREADS;
    static_assert(STEP % GROUP == 0, "whole groups at once");

    const Shared& shared;
    const PageRecord& page;
    const Output& output;

    __device__ __forceinline__ void emit(u32 first) const {
        const u32 end = first + page.samples;
        store_pairs(first, end);
        // The later store to the same address takes effect.
        __syncthreads();
        store_second_ones(first);
        if (threadIdx.x == THREADS - 1 && end % 2 > 0) store(first, end - 1);
    }

  private:
    __device__ __forceinline__ void store_pairs(u32 first, u32 end) const {
        u32 sample = 2 * threadIdx.x < first ? 2 * threadIdx.x + STEP : 2 * threadIdx.x;
        const GroupPosition position(sample);
        const GroupStarts* starts = shared.starts + sample / GROUP;
        const u32* cells = reinterpret_cast<const u32*>(shared.channels) + sample / 2;
        Output to = output;
        to.move(sample - first);
#pragma unroll 2
        for (; sample + 1 < end; sample += STEP) {
            store_pair(to, sample, *starts, position, *cells);
            starts += STEP / GROUP;
            cells += STEP / 2;
            to.move(STEP);
        }
    }

    __device__ __forceinline__ void store_pair(const Output& to, u32 sample, GroupStarts starts, GroupPosition position,
                                               u32 cells) const {
        const DenseRun run = shared.runs[starts.run_of(position)];
        const u32 packed = shared.bits_at(run.bit(sample));
        to.store_pair(make(run, low_half(cells), packed), make(run, high_half(cells), packed >> run.sample_bits()));
    }

    // Stores the samples that start a run.
    __device__ __forceinline__ void store_second_ones(u32 first) const {
        constexpr u32 ODD = 0xaaaaaaaa;
        if (threadIdx.x >= GROUPS) return;
        for (u32 left = shared.starts[threadIdx.x].bits & ODD; left != 0; left &= left - 1)
            store(first, threadIdx.x * GROUP + (u32)__ffs((int)left) - 1);
    }

    __device__ __forceinline__ void store(u32 first, u32 sample) const {
        const DenseRun run = shared.runs[shared.run_of(sample)];
        output.store(sample - first, make(run, shared.channels[sample], shared.bits_at(run.bit(sample))));
    }

    // Makes the value of a sample in the lowest bits of `packed`.
    __device__ __forceinline__ Value make(DenseRun run, u32 cell, u32 packed) const {
        return output.make(run.time_bin, shared.cell_at(cell), packed & run.mask());
    }
};

}  // namespace
