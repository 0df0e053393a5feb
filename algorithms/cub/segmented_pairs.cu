// DeviceSegmentedSort of keys with values: channel and time as a key of 8 bytes, charge
// and address as a value of 4. What users do whose data don't fit into a key.
// As with keys alone, CUB waits for the numbers of small and large segments.
#include <cub/device/device_segmented_sort.cuh>

#include "tiles.cuh"
#include "sort.cuh"

namespace {

using Values = cub::DoubleBuffer<u32>;

struct Split {
    u32 *values;

    __device__ u64 operator()(int64_t i, u64 digi) const {
        values[i] = others_of_digi(digi);
        return digi_key(digi);
    }
};

struct Join {
    const u32 *values;

    __device__ u64 operator()(int64_t i, u64 key) const { return digi_from_key(key, values[i]); }
};

// Scratch memory: two arrays of values, then CUB's own.
struct SegmentedPairs {
    static const char *refusal(const recobench_sort &) { return nullptr; }

    static size_t bytes_of_values(const Work &work) { return aligned(sizeof(u32) * work.digis); }

    static cudaError_t call(void *temporary, size_t &bytes, const Work &work, Keys &keys, Values &values) {
        return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, keys, values, work.digis, work.segments,
                                                         work.begins, work.ends, work.stream);
    }

    static cudaError_t scratch_bytes(const Work &work, size_t &bytes) {
        Keys keys;
        Values values;
        const cudaError_t error = call(nullptr, bytes, work, keys, values);
        bytes += 2 * bytes_of_values(work);
        return error;
    }

    static cudaError_t sort(const Work &work, Keys &keys) {
        char *scratch = static_cast<char *>(work.scratch);
        const size_t of_values = bytes_of_values(work);
        Values values(reinterpret_cast<u32 *>(scratch), reinterpret_cast<u32 *>(scratch + of_values));
        work.stage("pack");
        cudaError_t error = start_convert(keys.Current(), work.digis, Split{values.Current()}, work.stream);
        if (error != cudaSuccess) return error;
        work.stage("sort");
        size_t bytes = work.host->scratch_bytes - 2 * of_values;
        error = call(scratch + 2 * of_values, bytes, work, keys, values);
        if (error != cudaSuccess) return error;
        work.stage("unpack");
        return start_convert(keys.Current(), work.digis, Join{values.Current()}, work.stream);
    }
};

} // namespace

const recobench_variant SEGMENTED_PAIRS = Variant<SegmentedPairs>::describe(
    "cub-segmented-pairs", "CUB DeviceSegmentedSort::StableSortPairs, channel and time as the key", true, 0, true);
