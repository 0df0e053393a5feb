// Unpacking raw data of the STS: `epoch-parallel`.
#include "variant.h"

DECLARE_IMAGES(unpack_epoch_parallel)
DECLARE_IMAGES(unpack_offsets)
DECLARE_IMAGES(unpack_copy_out)

namespace {

constexpr Kernel UNPACK = {"unpack_epoch_parallel", UNPACK_EPOCH_PARALLEL_SHAPE, IMAGES(unpack_epoch_parallel)};
constexpr Kernel FIND_OFFSETS = {"unpack_offsets", UNPACK_OFFSETS_SHAPE, IMAGES(unpack_offsets)};
constexpr Kernel COPY_OUT = {"unpack_copy_out", UNPACK_COPY_OUT_SHAPE, IMAGES(unpack_copy_out)};

// A work-group a microslice. Scratch memory has a slot for each message, the states of a scan over all
// microslices, and an offset for each.
struct EpochParallel {
    using Input = recobench_unpack;
    static constexpr const char *TASK = "unpack";
    static constexpr std::uint32_t BUFFERS = RECOBENCH_SEPARATE;

    std::unique_ptr<Device> device;
    std::unique_ptr<Loaded> unpack, find_offsets, copy_out;
    std::uint32_t microslices, tiles;
    std::uint64_t states_offset, offsets_offset;
    std::uint64_t scratch_bytes;
    std::uint64_t own_bytes = 0;

    EpochParallel(const recobench_host &host, const recobench_unpack &raw) {
        if (raw.order != RECOBENCH_USUAL_ORDER) {
            throw Unavailable("it leaves digis in order of arrival; use --order arrival");
        }
        if (raw.microslices > INT32_MAX || raw.messages > UINT32_MAX) {
            throw Unavailable("it counts microslices with 31 bits and digis with 32; use fewer");
        }
        microslices = std::uint32_t(raw.microslices);
        tiles = std::uint32_t(parts(microslices, UNPACK_OFFSETS_SHAPE.threads));
        states_offset = raw.messages * sizeof(std::uint64_t);
        offsets_offset = states_offset + (1 + std::uint64_t(tiles)) * sizeof(std::uint64_t);
        scratch_bytes = offsets_offset + microslices * sizeof(std::uint32_t);
        device = open_device(host);
        unpack = device->load(UNPACK);
        find_offsets = device->load(FIND_OFFSETS);
        copy_out = device->load(COPY_OUT);
    }

    void run(const recobench_host &host, const recobench_unpack &raw) {
        if (microslices == 0) return;
        const char *slots = static_cast<const char *>(host.scratch);
        const void *states = slots + states_offset;
        const void *offsets = slots + offsets_offset;
        unpack->launch(host, microslices,
                       {raw.data, raw.microslice, microslices, raw.elinks, raw.elink, raw.rules, raw.counts,
                        static_cast<const void *>(slots), states});
        find_offsets->launch(host, tiles, {raw.counts, microslices, states, offsets});
        copy_out->launch(host, microslices,
                         {raw.counts, raw.microslice, offsets, static_cast<const void *>(slots), raw.digis});
    }
};

} // namespace

void add_unpack(Variants &variants) {
    add<EpochParallel>(variants, {"sycl-epoch-parallel",
                                  "SYCL: a work-group a microslice, three scans of 512 messages at a time; digis in "
                                  "slots are copied together",
                                  "epoch-parallel",
                                  "offsets of slots have 64 bits; work-groups of the scan over microslices take tiles "
                                  "as they start; its states are cleared by the first kernel"});
}
