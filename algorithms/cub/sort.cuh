// A sort of CUB as a variant of a plugin: what all have in common.
//
// Digis become keys where they are, CUB sorts between the two buffers of bench as it
// likes (DoubleBuffer: no third one), and keys become digis again where CUB left them.
// Temporary storage is asked for once, and comes from bench.
#pragma once
#include <cstdint>
#include <new>

#include <cub/util_type.cuh>
#include <cuda_runtime.h>

#include "answers.cuh"
#include "digis.cuh"
#include "recobench.h"

// Arguments of a sort.
struct SortArguments {
    int64_t digis, segments;
    const int64_t *begin_offsets, *end_offsets; // of the segments, on the GPU
    u64 *input, *output;
    void *scratch; // as much as the sort asked for
    const recobench_host *host;
    cudaStream_t stream;

    void stage(const char *name) const { host->stage(host, name); }
};

// The buffers of a sort, and where its result is.
using Keys = cub::DoubleBuffer<u64>;

// The state of a variant for an input.
struct State {
    size_t scratch_bytes;
    int32_t result_in;
};

inline SortArguments args_of(const recobench_host *host, const recobench_sort *sort) {
    const int64_t *offsets = reinterpret_cast<const int64_t *>(sort->device_offsets);
    return SortArguments{(int64_t)sort->digis, (int64_t)sort->segments, offsets, offsets ? offsets + 1 : nullptr,
                reinterpret_cast<u64 *>(sort->input), reinterpret_cast<u64 *>(sort->output), host->scratch, host,
                static_cast<cudaStream_t>(host->stream)};
}

// `Sort` has
//   static const char *refusal(const recobench_sort &)       why it can't, or NULL
//   static cudaError_t scratch_bytes(const SortArguments &, size_t &) how much it needs
//   static cudaError_t sort(const SortArguments &, Keys &)            all stages
template <typename Sort> struct Variant {
    static int32_t prepare(const recobench_variant *, const recobench_host *host, const void *input,
                           void **state) {
        const recobench_sort *sort = static_cast<const recobench_sort *>(input);
        if (const char *refusal = Sort::refusal(*sort)) return unavailable(host, refusal);
        size_t bytes = 0;
        cudaError_t error = cudaSetDevice(host->device);
        if (error == cudaSuccess && sort->digis > 0) error = Sort::scratch_bytes(args_of(host, sort), bytes);
        if (is_unsupported_gpu(error)) return unavailable(host, cudaGetErrorString(error));
        State *made = new (std::nothrow) State{bytes, RECOBENCH_INPUT_BUFFER};
        if (!made) error = cudaErrorMemoryAllocation;
        if (error != cudaSuccess) delete made;
        else *state = made;
        return answer(host, error);
    }

    static int32_t memory(void *state, const recobench_host *, recobench_memory *memory) {
        memory->scratch_bytes = static_cast<State *>(state)->scratch_bytes;
        return RECOBENCH_OK;
    }

    static int32_t run(void *state, const recobench_host *host, const void *input) {
        const SortArguments args = args_of(host, static_cast<const recobench_sort *>(input));
        if (args.digis == 0) return RECOBENCH_OK;
        Keys keys(args.input, args.output);
        cudaError_t error = cudaSetDevice(host->device);
        if (error == cudaSuccess) error = Sort::sort(args, keys);
        const bool in_output = keys.Current() == args.output;
        static_cast<State *>(state)->result_in = in_output ? RECOBENCH_OUTPUT_BUFFER : RECOBENCH_INPUT_BUFFER;
        return answer(host, error);
    }

    static int32_t output(void *state) { return static_cast<State *>(state)->result_in; }

    static void release(void *state) { delete static_cast<State *>(state); }

    static constexpr recobench_variant describe(const char *name, const char *summary, bool stable, uint32_t omits,
                                                bool waits) {
        recobench_variant variant = {};
        variant.size = sizeof variant;
        variant.task = "sort";
        variant.name = name;
        variant.summary = summary;
        variant.backend = RECOBENCH_CUDA;
        variant.buffers = RECOBENCH_EITHER;
        variant.stable = stable;
        variant.omits = omits;
        variant.waits = waits;
        variant.prepare = prepare;
        variant.memory = memory;
        variant.run = run;
        variant.output = output;
        variant.release = release;
        return variant;
    }
};

extern const recobench_variant SEGMENTED_KEYS;
extern const recobench_variant SEGMENTED_PAIRS;
extern const recobench_variant SEGMENTED_KEYS_PUBLISHED;
extern const recobench_variant SEGMENTED_PAIRS_PUBLISHED;
extern const recobench_variant SEGMENTED_RADIX;
extern const recobench_variant RADIX_COMPOSITE;
