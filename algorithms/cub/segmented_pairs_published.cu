// DeviceSegmentedSort of keys with values as it was published: channel and time as a key of 8
// bytes, the whole digi as a value of 8, both from one array to another one: with what CUB takes
// for itself, six arrays.
#include <cub/device/device_segmented_sort.cuh>

#include "tiles.cuh"
#include "sort.cuh"

namespace {

__global__ void __launch_bounds__(TILE_THREADS) write_keys(const u64 *digis, int64_t length, u64 *keys) {
    const int64_t i = (int64_t)blockIdx.x * TILE_THREADS + threadIdx.x;
    if (i < length) keys[i] = digi_key(digis[i]);
}

// Scratch memory: two arrays of keys, then CUB's own.
struct SegmentedPairsPublished {
    static const char *refusal(const recobench_sort &) { return nullptr; }

    static size_t bytes_of_keys(const SortArguments &args) { return aligned(sizeof(u64) * args.digis); }

    static cudaError_t call(void *temporary, size_t &bytes, const SortArguments &args, const u64 *from, u64 *to) {
        return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, from, to,
                                                         static_cast<const u64 *>(args.input), args.output, args.digis,
                                                         args.segments, args.begin_offsets, args.end_offsets, args.stream);
    }

    static cudaError_t scratch_bytes(const SortArguments &args, size_t &bytes) {
        const cudaError_t error = call(nullptr, bytes, args, nullptr, nullptr);
        bytes += 2 * bytes_of_keys(args);
        return error;
    }

    static cudaError_t sort(const SortArguments &args, Keys &keys) {
        char *scratch = static_cast<char *>(args.scratch);
        const size_t of_keys = bytes_of_keys(args);
        u64 *from = reinterpret_cast<u64 *>(scratch), *to = reinterpret_cast<u64 *>(scratch + of_keys);
        args.stage("pack");
        const unsigned blocks = (unsigned)((args.digis + TILE_THREADS - 1) / TILE_THREADS);
        write_keys<<<blocks, TILE_THREADS, 0, args.stream>>>(args.input, args.digis, from);
        cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) return error;
        args.stage("sort");
        size_t bytes = args.host->scratch_bytes - 2 * of_keys;
        error = call(scratch + 2 * of_keys, bytes, args, from, to);
        keys.selector ^= 1;
        return error;
    }
};

} // namespace

const recobench_variant SEGMENTED_PAIRS_PUBLISHED = Variant<SegmentedPairsPublished>::describe(
    "cub-segmented-pairs-published",
    "published: CUB DeviceSegmentedSort::StableSortPairs, whole digis as values, separate arrays", true, 0, true);
