// Sorting digis: `block-merge`, with work-groups of two sizes, and `segmented-radix`.
#include "variant.h"

DECLARE_IMAGES(sort_block_merge)
DECLARE_IMAGES(sort_block_merge_256x11)
DECLARE_IMAGES(sort_block_merge_votes)
DECLARE_IMAGES(sort_block_merge_slices)
DECLARE_IMAGES(sort_segmented_radix)
DECLARE_IMAGES(sort_segmented_radix_atomics)

namespace {

constexpr Kernel BLOCK_MERGE = {"sort_block_merge", BLOCK_MERGE_SHAPE, IMAGES(sort_block_merge)};
constexpr Kernel BLOCK_MERGE_256 = {"sort_block_merge_256x11", BLOCK_MERGE_256_SHAPE, IMAGES(sort_block_merge_256x11)};
constexpr Kernel BLOCK_MERGE_VOTES = {"sort_block_merge_votes", BLOCK_MERGE_SHAPE, IMAGES(sort_block_merge_votes)};
constexpr Kernel BLOCK_MERGE_SLICES = {"sort_block_merge_slices", BLOCK_MERGE_SLICES_SHAPE,
                                       IMAGES(sort_block_merge_slices)};
constexpr Kernel SEGMENTED_RADIX = {"sort_segmented_radix", SEGMENTED_RADIX_SHAPE, IMAGES(sort_segmented_radix)};
constexpr Kernel SEGMENTED_RADIX_ATOMICS = {"sort_segmented_radix_atomics", SEGMENTED_RADIX_SHAPE,
                                            IMAGES(sort_segmented_radix_atomics)};

// First bit and number of bits of each digit of a digi: the time, then the channel. An even number of
// passes, so that the last one ends in the output.
struct Digit {
    std::uint32_t shift, bits;
};
constexpr Digit DIGITS[] = {{0, 8}, {8, 8}, {16, 8}, {24, 7}, {37, 6}, {43, 5}};

// A work-group a segment, and scratch memory of the size of the digis.
struct BySegment {
    using Input = recobench_sort;
    static constexpr const char *TASK = "sort";

    std::unique_ptr<Device> device;
    std::unique_ptr<Loaded> kernel;
    std::uint32_t segments;
    std::uint64_t scratch_bytes;
    std::uint64_t own_bytes = 0;

    BySegment(const recobench_host &host, const recobench_sort &sort, const Kernel &code) {
        if (sort.digis > INT32_MAX || sort.segments > INT32_MAX) {
            throw Unavailable("it counts digis and segments with 31 bits; use fewer");
        }
        segments = std::uint32_t(sort.segments);
        scratch_bytes = sort.digis * sizeof(std::uint64_t);
        device = open_device(host);
        kernel = device->load(code);
    }

    static const void *offsets(const recobench_sort &sort) {
        return sort.device_offsets ? sort.device_offsets : sort.offsets;
    }
};

struct BlockMerge : BySegment {
    static constexpr std::uint32_t BUFFERS = RECOBENCH_IN_PLACE;
    using BySegment::BySegment;

    void run(const recobench_host &host, const recobench_sort &sort) {
        if (sort.digis == 0) return;
        kernel->launch(host, segments, {sort.input, host.scratch, offsets(sort)});
    }
};

struct BlockMerge512 : BlockMerge {
    BlockMerge512(const recobench_host &host, const recobench_sort &sort) : BlockMerge(host, sort, BLOCK_MERGE) {}
};

struct BlockMerge256 : BlockMerge {
    BlockMerge256(const recobench_host &host, const recobench_sort &sort) : BlockMerge(host, sort, BLOCK_MERGE_256) {}
};

struct BlockMergeVotes : BlockMerge {
    BlockMergeVotes(const recobench_host &host, const recobench_sort &sort) : BlockMerge(host, sort, BLOCK_MERGE_VOTES) {}
};

// Scratch memory has a slice for each segment, after the digis and at a multiple of 16 bytes.
struct BlockMergeSlices : BlockMerge {
    std::uint64_t slices_offset;

    BlockMergeSlices(const recobench_host &host, const recobench_sort &sort)
        : BlockMerge(host, sort, BLOCK_MERGE_SLICES), slices_offset((scratch_bytes + 15) / 16 * 16) {
        scratch_bytes = slices_offset + std::uint64_t(segments) * BLOCK_MERGE_SHAPE.local_bytes;
    }

    void run(const recobench_host &host, const recobench_sort &sort) {
        if (sort.digis == 0) return;
        const void *slices = static_cast<const char *>(host.scratch) + slices_offset;
        kernel->launch(host, segments, {sort.input, host.scratch, offsets(sort), slices});
    }
};

// Passes read the input first, and then move digis between scratch memory and the output.
struct SegmentedRadix : BySegment {
    static constexpr std::uint32_t BUFFERS = RECOBENCH_SEPARATE;

    using BySegment::BySegment;

    void run(const recobench_host &host, const recobench_sort &sort) {
        if (sort.digis == 0) return;
        const void *from = sort.input;
        bool to_output = false;
        for (const Digit &digit : DIGITS) {
            const void *to = to_output ? sort.output : host.scratch;
            kernel->launch(host, segments, {from, to, offsets(sort), digit.shift, digit.bits});
            from = to;
            to_output = !to_output;
        }
    }
};

struct PlainSegmentedRadix : SegmentedRadix {
    PlainSegmentedRadix(const recobench_host &host, const recobench_sort &sort)
        : SegmentedRadix(host, sort, SEGMENTED_RADIX) {}
};

struct SegmentedRadixAtomics : SegmentedRadix {
    SegmentedRadixAtomics(const recobench_host &host, const recobench_sort &sort)
        : SegmentedRadix(host, sort, SEGMENTED_RADIX_ATOMICS) {}
};

constexpr const char *OFFSETS_DIFFER = "begins of segments have 64 bits";

} // namespace

void add_sort(Variants &variants) {
    add<BlockMerge512>(variants, {"sycl-block-merge",
                                  "SYCL: a work-group a segment, chunks of 5632 digis by radix sort, Merge Path",
                                  "block-merge", OFFSETS_DIFFER});
    add<BlockMerge256>(variants, {"sycl-block-merge-256x11",
                                  "SYCL: the same by work-groups of 256 work-items with 11 digis each",
                                  "block-merge-256x11", OFFSETS_DIFFER});
    add<BlockMergeVotes>(variants, {"sycl-block-merge-votes", "SYCL: block-merge with votes as sums over the sub-group",
                                    "block-merge", "votes are sums of shifted bits; begins of segments have 64 bits",
                                    "SYCL, votes as sums"});
    add<BlockMergeSlices>(variants,
                          {"sycl-block-merge-slices", "SYCL: block-merge with slices of global memory for local memory",
                           "block-merge", "local memory is a slice of global memory; begins of segments have 64 bits",
                           "SYCL, global slices"});
    add<PlainSegmentedRadix>(variants,
                              {"sycl-segmented-radix",
                               "SYCL: LSD radix sort a segment with one work-group, six passes, digis as keys",
                               "segmented-radix", OFFSETS_DIFFER});
    add<SegmentedRadixAtomics>(variants,
                               {"sycl-segmented-radix-atomics",
                                "SYCL: segmented-radix with digits counted by a class that wraps atomics",
                                "segmented-radix", "counters are of a class; begins of segments have 64 bits",
                                "SYCL, atomics of a class"});
}
