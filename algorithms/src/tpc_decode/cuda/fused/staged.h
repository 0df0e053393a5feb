// A page in shared memory, and the lists from which its samples are made.
#pragma once
#include "../pages/page.h"

namespace {

constexpr u32 THREADS = 256;
// Resident blocks of a multiprocessor: the maximum with 40 registers a thread; older GPUs have
// 1024 threads at most.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr u32 RESIDENT_BLOCKS = 4;
#else
constexpr u32 RESIDENT_BLOCKS = 6;
#endif

// Maximum part of a block in the next page: a valid block has at most ten cards, with the words
// before them, all masks, and all samples.
constexpr u32 MAX_CONTINUATION = 2 + MAX_FECS_IN_HALF * (2 + 10 + CHANNELS_IN_LINK * 12 / 8);
static_assert(MAX_CONTINUATION / GRANULE + 2 <= THREADS, "a load for each thread");
constexpr u32 STAGED_BYTES = PAGE_BYTES + (MAX_CONTINUATION + GRANULE - 1) / GRANULE * GRANULE;
// Maximum number of samples of a page: fewer than with samples of 10 bits and no other data.
constexpr u32 MAX_SAMPLES = 7680;
// Samples have indices that are shifted so that a group is one aligned piece of the output list:
// the first one of a page may have any index below this.
constexpr u32 GROUP = 32;
constexpr u32 MAX_NUMBERS = MAX_SAMPLES + GROUP;
constexpr u32 GROUPS = MAX_NUMBERS / GROUP;
static_assert(GROUPS <= THREADS, "a thread for each group");

// Contiguous samples: of a link's block, of a row's record. Runs have at least one sample.
struct SampleRun {
    u16 first;     // index of its first sample
    u16 packed;    // position of its samples
    u16 time_bin;  // after the page's first one
    u16 kind;      // row

    // A run of which only the head is known: the position is that of the head.
    __device__ __forceinline__ static SampleRun of_head(u32 position, u32 first) {
        return {(u16)first, (u16)position, 0, 0};
    }
};

// Position of a sample in its group.
struct GroupPosition {
    u32 up_to, behind;  // bits of the indices up to it, and of the next one

    __device__ __forceinline__ explicit GroupPosition(u32 sample)
        : up_to(~0u >> (GROUP - 1 - sample % GROUP)), behind(up_to + 1) {}
};

// The runs that start in a group of samples: a bit for each index, and the number of runs before.
struct __align__(8) GroupStarts {
    u32 bits, before;

    // The run that a sample belongs to.
    __device__ __forceinline__ u32 run_of(GroupPosition position) const {
        return before + (u32)__popc(bits & position.up_to) - 1;
    }
    // Returns true if the next sample of the group is the first one of the next run.
    __device__ __forceinline__ bool starts_behind(GroupPosition position) const { return bits & position.behind; }
};

// No table of channels is loaded.
constexpr u32 NO_TABLE = ~0u;

// Task of a block of threads: a page, and the destination of its samples.
struct Task {
    PageRecord page;
    Job job;

    // Index of the page's first sample.
    __device__ __forceinline__ u32 first_number() const { return job.slot % GROUP; }
};

__device__ __forceinline__ Task task_of(const Decoding& all, u32 number) {
    const Job job = all.jobs[number];
    return {record_at(all.records, job.page), job};
}

// A staged page with its lists.
template <u32 RUNS, class Run = SampleRun>
struct Staged {
    uint4 granules[STAGED_BYTES / GRANULE];
    Task tasks[2];  // current and next one, alternating
    Run runs[RUNS];
    GroupStarts starts[GROUPS];
    u16 channels[MAX_NUMBERS];  // of each sample; or the offset of its channel's cell
    u32 warp_sums[LANES];

    __device__ __forceinline__ const u32* word_of(u32 position) const {
        return reinterpret_cast<const u32*>(granules) + position / sizeof(u32);
    }
    // Four bytes from any offset on. Reads two aligned words.
    __device__ __forceinline__ u32 word(u32 position) const {
        const u32* words = word_of(position);
        return __funnelshift_r(words[0], words[1], position % sizeof(u32) * 8);
    }
    // Four bytes from any bit on; higher bits of its index are ignored.
    __device__ __forceinline__ u32 bits_at(u32 bit) const {
        constexpr u32 WORDS = 4096;
        static_assert(STAGED_BYTES <= WORDS * sizeof(u32), "all offsets of a page");
        const u32* words = reinterpret_cast<const u32*>(granules) + bit / 32 % WORDS;
        return __funnelshift_r(words[0], words[1], bit);
    }
    __device__ __forceinline__ const u8* bytes() const { return reinterpret_cast<const u8*>(granules); }
    __device__ __forceinline__ u32 byte(u32 position) const { return bytes()[position]; }
    __device__ __forceinline__ u32 half(u32 position) const { return byte(position) | byte(position + 1) << 8; }

    // Loads a payload, with its continuation appended, and the offsets of its blocks, as runs with
    // their heads instead of their samples. Barrier needed after.
    __device__ __forceinline__ void load(const Decoding& all, const Task& task) {
        if (threadIdx.x < GROUPS) starts[threadIdx.x] = {0, 0};
        const Piece* pieces = all.index + (u64)task.job.page * all.stride;
        const u32 count = task.page.pieces, first = task.first_number();
        // Most pages have at most one piece for each thread: its load overlaps with all others.
        Piece piece = {};
        if (threadIdx.x < count) piece = pieces[threadIdx.x];
        load_granules(page_at(all.pages, task.job.page) + threadIdx.x * GRANULE, task.page);
#pragma unroll 1
        for (u32 i = threadIdx.x; i < count; i += THREADS) {
            if (i >= THREADS) piece = pieces[i];
            runs[i] = Run::of_head(piece.position, piece.first_sample + first);
        }
    }

    // Loads granules; `page` includes the thread's offset.
    __device__ __forceinline__ void load_granules(const u8* page, const PageRecord& record) {
        constexpr u32 LOADS = PAGE_BYTES / GRANULE / THREADS;
        static_assert(LOADS * THREADS * GRANULE == PAGE_BYTES, "the same number for each thread");
        // Heads of links are read in full words, which extend beyond the end by some bytes.
        const u32 start = record.start / GRANULE, end = record.end / GRANULE;
        const u32 behind = record.continuation > 0 ? record.continuation / GRANULE + 2 : 0;
        const u32 count = (behind > 0 ? end : min(end + 1, PAGE_BYTES / GRANULE)) - start;
        uint4 loaded[LOADS];
#pragma unroll
        for (u32 k = 0; k < LOADS; k++)
            if (threadIdx.x + k * THREADS - start < count) loaded[k] = granule_at(page + k * THREADS * GRANULE);
        if (threadIdx.x < behind) granules[end + threadIdx.x] = granule_at(page + PAGE_BYTES + RDH_BYTES);
#pragma unroll
        for (u32 k = 0; k < LOADS; k++)
            if (threadIdx.x + k * THREADS - start < count) granules[threadIdx.x + k * THREADS] = loaded[k];
    }

    // Marks the start and the end of a run. For groups that start after its first sample, up to the
    // next run's first, it is the last run that started before.
    __device__ __forceinline__ void mark(u32 number, u32 first, u32 end) {
        atomicOr(&starts[first / GROUP].bits, 1u << first % GROUP);
        for (u32 group = first / GROUP + 1; group * GROUP <= end; group++) starts[group].before = number + 1;
    }

    // Lists the channels of a mask, from `first_channel` on; returns the index of the next sample.
    __device__ __forceinline__ u32 list_mask(u32 mask, u32 sample, u32 first_channel) {
        for (; mask != 0; mask &= mask - 1) channels[sample++] = (u16)(first_channel + (u32)__ffs((int)mask) - 1);
        return sample;
    }

    __device__ __forceinline__ u32 run_of(u32 sample) const {
        return starts[sample / GROUP].run_of(GroupPosition(sample));
    }
};

// The samples of a staged page, one for each thread.

template <class Runs, class Output>
struct SingleSamples {
    using Value = typename Output::Value;

    const typename Runs::template Shared<Output>& shared;
    const PageRecord& page;
    const Output& output;

    __device__ __forceinline__ Value operator()(u32 sample) const {
        const u32 channel = shared.channels[sample];
        const SampleRun run = shared.runs[shared.run_of(sample)];
        const u32 adc = Runs::adc(shared, page, run, sample - run.first);
        return output.make(page.first_time_bin + run.time_bin, shared.cell(output, run, channel), adc);
    }

    __device__ __forceinline__ void emit(u32 first) const {
        const u32 end = first + page.samples;
#pragma unroll 4
        for (u32 sample = threadIdx.x < first ? threadIdx.x + THREADS : threadIdx.x; sample < end; sample += THREADS)
            output.store(sample - first, (*this)(sample));
    }
};

}  // namespace
