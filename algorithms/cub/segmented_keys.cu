// DeviceSegmentedSort of whole digis. It has no choice of bits, so a key of 64 costs no
// more than one of 42: charge and address go along in the lower bits, and nothing has
// to be moved beside. Equal keys come in the order of charge and address: not stable.
// CUB groups many segments by size, and waits for their numbers.
#include <cub/device/device_segmented_sort.cuh>

#include "ordered.cuh"

namespace {

struct SegmentedKeys : OrderedKeys<SegmentedKeys> {
    static const char *refusal(const recobench_sort &) { return nullptr; }

    static cudaError_t call(void *temporary, size_t &bytes, const SortArguments &args, Keys &keys) {
        return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, keys, args.digis, args.segments, args.begin_offsets,
                                                  args.end_offsets, args.stream);
    }
};

} // namespace

const recobench_variant SEGMENTED_KEYS = Variant<SegmentedKeys>::describe(
    "cub-segmented-keys", "CUB DeviceSegmentedSort::SortKeys, a whole digi as the key", false, 0, true);
