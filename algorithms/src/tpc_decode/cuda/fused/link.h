// Link pages: a thread lists the channels of a block.
#pragma once
#include "../pages/geometry.h"
#include "links.h"
#include "single_samples.h"

namespace {

// Maximum number of blocks with samples in a page: each has 32 bytes.
constexpr u32 BLOCKS_OF_LINK_PAGE = 256;

struct LinkRuns {
    static constexpr u32 MOST = BLOCKS_OF_LINK_PAGE;
    template <class Output>
    using Shared = LinkPage<MOST, typename Output::Cell>;
    template <class Output>
    using Samples = SingleSamples<LinkRuns, Output>;

    template <class Shared>
    __device__ __forceinline__ static void find(Shared& shared, const PageRecord& page, Geometry geometry) {
        const u32 first_fec = geometry.first_fec(page.endpoint);
        for (u32 i = threadIdx.x; i < page.pieces; i += THREADS) {
            SampleRun run = shared.runs[i];
            const uint4 header = shared.granules[run.packed / GRANULE];
            const u32 first = ((header.w >> 8 & 0xff) - first_fec) * CHANNELS_IN_LINK;
            const u32 masks[3] = {header.x, header.y, low_half(header.z)};
            u32 sample = run.first;
#pragma unroll
            for (u32 part = 0; part < 3; part++) sample = shared.list_mask(masks[part], sample, first + part * 32);
            const u32 crossing = page.time_offset + (header.z >> 16 & 0xfff);
            run.packed = (u16)(run.packed + GRANULE);
            run.time_bin = (u16)((page.orbit_start + crossing) / BC_PER_TIME_BIN - page.first_time_bin);
            shared.runs[i] = run;
            shared.mark(i, run.first, sample);
        }
    }

    // Five samples in eight bytes.
    template <class Shared>
    __device__ __forceinline__ static u32 adc(const Shared& shared, const PageRecord&, const SampleRun& run, u32 i) {
        const u32 bit = i / 5 * 64 + i % 5 * 12;
        return shared.half(run.packed + bit / 8) >> (bit % 8) & 0xfff;
    }
};

}  // namespace
