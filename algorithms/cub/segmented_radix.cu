// DeviceSegmentedRadixSort by the 42 upper bits of whole digis: charge and address lie
// below them and go along. Stable, as every sort by digits from the lowest is.
#include <climits>

#include <cub/device/device_segmented_radix_sort.cuh>

#include "ordered.cuh"

namespace {

struct SegmentedRadix : OrderedKeys<SegmentedRadix> {
    static const char *refusal(const recobench_sort &sort) {
        const bool fits = sort.digis <= INT_MAX && sort.segments <= INT_MAX;
        return fits ? nullptr : "CUB's DeviceSegmentedRadixSort counts with 31 bits; use fewer digis";
    }

    static cudaError_t call(void *temporary, size_t &bytes, const SortArguments &args, Keys &keys) {
        return cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, keys, (int)args.digis, (int)args.segments,
                                                       args.begin_offsets, args.end_offsets, OTHER_BITS, 64, args.stream);
    }
};

} // namespace

const recobench_variant SEGMENTED_RADIX = Variant<SegmentedRadix>::describe(
    "cub-segmented-radix", "CUB DeviceSegmentedRadixSort::SortKeys, 42 of 64 bits", true, 0, false);
