// DeviceSegmentedSort of keys as it was published: channel, time and charge are the key, the
// address is dropped, and keys go from one array to another one. CUB takes a third for itself.
#include <cub/device/device_segmented_sort.cuh>

#include "tiles.cuh"
#include "sort.cuh"

namespace {

struct ToKey {
    __device__ u64 operator()(int64_t, u64 digi) const { return composite_from_digi(0, digi); }
};

struct FromKey {
    __device__ u64 operator()(int64_t, u64 key) const { return digi_from_composite(key); }
};

struct SegmentedKeysPublished {
    static const char *refusal(const recobench_sort &) { return nullptr; }

    static cudaError_t call(void *temporary, size_t &bytes, const SortArguments &args) {
        return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, static_cast<const u64 *>(args.input), args.output,
                                                  args.digis, args.segments, args.begin_offsets, args.end_offsets, args.stream);
    }

    static cudaError_t scratch_bytes(const SortArguments &args, size_t &bytes) { return call(nullptr, bytes, args); }

    static cudaError_t sort(const SortArguments &args, Keys &keys) {
        args.stage("pack");
        cudaError_t error = start_convert(args.input, args.digis, ToKey{}, args.stream);
        if (error != cudaSuccess) return error;
        args.stage("sort");
        size_t bytes = args.host->scratch_bytes;
        error = call(args.scratch, bytes, args);
        if (error != cudaSuccess) return error;
        keys.selector ^= 1;
        args.stage("unpack");
        return start_convert(args.output, args.digis, FromKey{}, args.stream);
    }
};

} // namespace

const recobench_variant SEGMENTED_KEYS_PUBLISHED = Variant<SegmentedKeysPublished>::describe(
    "cub-segmented-keys-published", "published: CUB DeviceSegmentedSort::SortKeys, separate arrays, drops the address",
    false, RECOBENCH_SORT_ADDRESS, true);
