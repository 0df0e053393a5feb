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

    static cudaError_t call(void *temporary, size_t &bytes, const Work &work) {
        return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, static_cast<const u64 *>(work.input), work.output,
                                                  work.digis, work.segments, work.begins, work.ends, work.stream);
    }

    static cudaError_t scratch_bytes(const Work &work, size_t &bytes) { return call(nullptr, bytes, work); }

    static cudaError_t sort(const Work &work, Keys &keys) {
        work.stage("pack");
        cudaError_t error = start_convert(work.input, work.digis, ToKey{}, work.stream);
        if (error != cudaSuccess) return error;
        work.stage("sort");
        size_t bytes = work.host->scratch_bytes;
        error = call(work.scratch, bytes, work);
        if (error != cudaSuccess) return error;
        keys.selector ^= 1;
        work.stage("unpack");
        return start_convert(work.output, work.digis, FromKey{}, work.stream);
    }
};

} // namespace

const recobench_variant SEGMENTED_KEYS_PUBLISHED = Variant<SegmentedKeysPublished>::describe(
    "cub-segmented-keys-published", "published: CUB DeviceSegmentedSort::SortKeys, separate arrays, drops the address",
    false, RECOBENCH_SORT_ADDRESS, true);
