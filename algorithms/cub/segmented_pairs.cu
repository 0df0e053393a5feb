// DeviceSegmentedSort of keys with values: channel and time as a key of 8 bytes, charge
// and address as a value of 4. This is the usual way for data that do not fit into a key.
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

    static size_t bytes_of_values(const SortArguments &args) { return aligned(sizeof(u32) * args.digis); }

    static cudaError_t call(void *temporary, size_t &bytes, const SortArguments &args, Keys &keys, Values &values) {
        return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, keys, values, args.digis, args.segments,
                                                         args.begin_offsets, args.end_offsets, args.stream);
    }

    static cudaError_t scratch_bytes(const SortArguments &args, size_t &bytes) {
        Keys keys;
        Values values;
        const cudaError_t error = call(nullptr, bytes, args, keys, values);
        bytes += 2 * bytes_of_values(args);
        return error;
    }

    static cudaError_t sort(const SortArguments &args, Keys &keys) {
        char *scratch = static_cast<char *>(args.scratch);
        const size_t of_values = bytes_of_values(args);
        Values values(reinterpret_cast<u32 *>(scratch), reinterpret_cast<u32 *>(scratch + of_values));
        args.stage("pack");
        cudaError_t error = start_convert(keys.Current(), args.digis, Split{values.Current()}, args.stream);
        if (error != cudaSuccess) return error;
        args.stage("sort");
        size_t bytes = args.host->scratch_bytes - 2 * of_values;
        error = call(scratch + 2 * of_values, bytes, args, keys, values);
        if (error != cudaSuccess) return error;
        args.stage("unpack");
        return start_convert(keys.Current(), args.digis, Join{values.Current()}, args.stream);
    }
};

} // namespace

const recobench_variant SEGMENTED_PAIRS = Variant<SegmentedPairs>::describe(
    "cub-segmented-pairs", "CUB DeviceSegmentedSort::StableSortPairs, channel and time as the key", true, 0, true);
