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

    static size_t bytes_of_keys(const Work &work) { return aligned(sizeof(u64) * work.digis); }

    static cudaError_t call(void *temporary, size_t &bytes, const Work &work, const u64 *from, u64 *to) {
        return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, from, to,
                                                         static_cast<const u64 *>(work.input), work.output, work.digis,
                                                         work.segments, work.begins, work.ends, work.stream);
    }

    static cudaError_t scratch_bytes(const Work &work, size_t &bytes) {
        const cudaError_t error = call(nullptr, bytes, work, nullptr, nullptr);
        bytes += 2 * bytes_of_keys(work);
        return error;
    }

    static cudaError_t sort(const Work &work, Keys &keys) {
        char *scratch = static_cast<char *>(work.scratch);
        const size_t of_keys = bytes_of_keys(work);
        u64 *from = reinterpret_cast<u64 *>(scratch), *to = reinterpret_cast<u64 *>(scratch + of_keys);
        work.stage("pack");
        const unsigned blocks = (unsigned)((work.digis + TILE_THREADS - 1) / TILE_THREADS);
        write_keys<<<blocks, TILE_THREADS, 0, work.stream>>>(work.input, work.digis, from);
        cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) return error;
        work.stage("sort");
        size_t bytes = work.host->scratch_bytes - 2 * of_keys;
        error = call(scratch + 2 * of_keys, bytes, work, from, to);
        keys.selector ^= 1;
        return error;
    }
};

} // namespace

const recobench_variant SEGMENTED_PAIRS_PUBLISHED = Variant<SegmentedPairsPublished>::describe(
    "cub-segmented-pairs-published",
    "published: CUB DeviceSegmentedSort::StableSortPairs, whole digis as values, separate arrays", true, 0, true);
