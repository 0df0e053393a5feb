// DeviceRadixSort of all digis at once, by segment, channel and time: no sort of CUB uses
// a GPU better, and segments of any sizes are alike to it. The charge goes along in the
// lowest bits; there are no bits left for the address, which the segment stands for anyway.
#include <cub/device/device_radix_sort.cuh>

#include "tiles.cuh"
#include "sort.cuh"

namespace {

// The segment that a digi is in: the first one whose end is after it.
__device__ __forceinline__ int64_t segment_of(int64_t digi, const int64_t *end_offsets, int64_t segments) {
    int64_t low = 0, high = segments - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (end_offsets[middle] <= digi) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Puts the segment in front; from the one before, it is seldom far to the next.
struct ToComposite {
    const int64_t *end_offsets;
    int64_t segment;

    __device__ u64 operator()(int64_t i, u64 digi) {
        while (end_offsets[segment] <= i) segment++;
        return composite_from_digi(segment, digi);
    }
};

struct FromComposite {
    __device__ u64 operator()(int64_t, u64 composite) const { return digi_from_composite(composite); }
};

// One thread of each block looks for the segment of its first digi.
__global__ void __launch_bounds__(TILE_THREADS)
    pack(u64 *digis, int64_t length, const int64_t *end_offsets, int64_t segments) {
    __shared__ int64_t first_segment;
    if (threadIdx.x == 0) first_segment = segment_of(blockIdx.x * TILE_DIGIS, end_offsets, segments);
    __syncthreads();
    convert_tile(digis, length, ToComposite{end_offsets, first_segment});
}

int bits_of(int64_t segments) {
    int bits = 0;
    while ((int64_t)1 << bits < segments) bits++;
    return bits;
}

struct RadixComposite {
    static const char *refusal(const recobench_sort &sort) {
        const bool fits = sort.segments <= (uint64_t)1 << SEGMENT_BITS;
        return fits ? nullptr : "a segment's index has 17 bits; use 131072 segments at most";
    }

    // The type of the size is that of CUB's offsets, and short ones are faster.
    template <typename Size>
    static cudaError_t call_with(Size digis, void *temporary, size_t &bytes, const SortArguments &args, Keys &keys) {
        const int end = SEGMENT_SHIFT + bits_of(args.segments);
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, digis, CHARGE_BITS, end, args.stream);
    }

    static cudaError_t call(void *temporary, size_t &bytes, const SortArguments &args, Keys &keys) {
        if (args.digis <= UINT32_MAX) return call_with((uint32_t)args.digis, temporary, bytes, args, keys);
        return call_with((uint64_t)args.digis, temporary, bytes, args, keys);
    }

    static cudaError_t scratch_bytes(const SortArguments &args, size_t &bytes) {
        Keys keys;
        return call(nullptr, bytes, args, keys);
    }

    static cudaError_t sort(const SortArguments &args, Keys &keys) {
        args.stage("pack");
        pack<<<tiles(args.digis), TILE_THREADS, 0, args.stream>>>(keys.Current(), args.digis, args.end_offsets,
                                                                  args.segments);
        cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) return error;
        args.stage("sort");
        size_t bytes = args.host->scratch_bytes;
        error = call(args.scratch, bytes, args, keys);
        if (error != cudaSuccess) return error;
        args.stage("unpack");
        return start_convert(keys.Current(), args.digis, FromComposite{}, args.stream);
    }
};

} // namespace

const recobench_variant RADIX_COMPOSITE = Variant<RadixComposite>::describe(
    "cub-radix-composite", "CUB DeviceRadixSort::SortKeys by segment, channel and time; drops the address", true,
    RECOBENCH_SORT_ADDRESS, false);
