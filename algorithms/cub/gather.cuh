// Gathering by a library as a variant of a plugin: what the two have in common.
#pragma once
#include <cstdint>
#include <new>

#include <cuda_runtime.h>

#include "answers.cuh"
#include "recobench.h"

// Whether an array has no gaps, and so is a single piece.
inline __host__ __device__ bool is_one_piece(uint32_t per) {
    return per == RECOBENCH_PER_ROW || per == RECOBENCH_PER_TRACK;
}

// The first cluster of a track has no difference to the one before it.
inline __host__ __device__ uint32_t entries_left_out(uint32_t per) { return per == RECOBENCH_PER_DIFFERENCE; }

inline uint64_t pieces_of(const recobench_gather &gather, const recobench_gather_array &array) {
    if (is_one_piece(array.per)) return 1;
    return array.per == RECOBENCH_PER_UNATTACHED ? gather.rows : gather.tracks;
}

// Of all arrays.
inline uint64_t pieces_of(const recobench_gather &gather) {
    uint64_t pieces = 0;
    for (uint64_t i = 0; i < gather.array_count; i++) pieces += pieces_of(gather, gather.arrays[i]);
    return pieces;
}

inline cudaStream_t stream_of(const recobench_host &host) { return static_cast<cudaStream_t>(host.stream); }

// `Gather` is the state of a variant for an input. It has
//   static const char *refusal(const recobench_gather &)          why it can't, or NULL
//   cudaError_t prepare(const recobench_gather &)                  once
//   void needs(recobench_memory &) const                           how much memory
//   cudaError_t run(const recobench_host &, const recobench_gather &)
// and frees in its destructor what it took.
template <typename Gather> struct GatherVariant {
    static int32_t prepare(const recobench_variant *, const recobench_host *host, const void *input,
                           void **state) {
        const recobench_gather &gather = *static_cast<const recobench_gather *>(input);
        if (const char *refusal = Gather::refusal(gather)) return unavailable(host, refusal);
        Gather *made = new (std::nothrow) Gather();
        cudaError_t error = made ? cudaSetDevice(host->device) : cudaErrorMemoryAllocation;
        if (error == cudaSuccess) error = made->prepare(gather);
        if (error == cudaSuccess) {
            *state = made;
            return RECOBENCH_OK;
        }
        delete made;
        return is_unsupported_gpu(error) ? unavailable(host, cudaGetErrorString(error)) : answer(host, error);
    }

    static int32_t memory(void *state, const recobench_host *, recobench_memory *memory) {
        static_cast<Gather *>(state)->needs(*memory);
        return RECOBENCH_OK;
    }

    static int32_t run(void *state, const recobench_host *host, const void *input) {
        cudaError_t error = cudaSetDevice(host->device);
        const recobench_gather &gather = *static_cast<const recobench_gather *>(input);
        if (error == cudaSuccess) error = static_cast<Gather *>(state)->run(*host, gather);
        return answer(host, error);
    }

    static void release(void *state) { delete static_cast<Gather *>(state); }

    static constexpr recobench_variant describe(const char *name, const char *summary, uint32_t buffers,
                                                bool waits) {
        recobench_variant variant = {};
        variant.size = sizeof variant;
        variant.task = "gather";
        variant.name = name;
        variant.summary = summary;
        variant.backend = RECOBENCH_CUDA;
        variant.buffers = buffers;
        variant.stable = true;
        variant.waits = waits;
        variant.prepare = prepare;
        variant.memory = memory;
        variant.run = run;
        variant.release = release;
        return variant;
    }
};

extern const recobench_variant MEMCPY_BATCHED;
extern const recobench_variant CUDA_MEMCPY_BATCH;
