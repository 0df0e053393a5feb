// Link pages: a thread lists the channels of a block.
#pragma once
#include "links.h"
#include "staged.h"

namespace {

struct LinkStrands {
    // A block with samples has 32 bytes.
    static constexpr u32 MOST = 256;
    using Shared = Staged<MOST>;
    template <class Output>
    using Pads = LinkPads<Output>;

    __device__ __forceinline__ static void find(Shared& shared, const PageRecord& page, const Piece* pieces,
                                                Geometry geometry) {
        const u32 first_fec = geometry.first_fec(page.endpoint);
        for (u32 i = threadIdx.x; i < page.pieces; i += THREADS) {
            const Piece piece = pieces[i];
            const uint4 header = shared.granules[piece.position / GRANULE];
            const u32 first = ((header.w >> 8 & 0xff) - first_fec) * CHANNELS_IN_LINK;
            const u32 masks[3] = {header.x, header.y, low_half(header.z)};
            u32 sample = piece.first_sample;
#pragma unroll
            for (u32 part = 0; part < 3; part++)
                for (u32 mask = masks[part]; mask != 0; mask &= mask - 1)
                    shared.list(sample++, i, first + part * 32 + (u32)__ffs((int)mask) - 1);
            const u32 crossing = page.time_offset + (header.z >> 16 & 0xfff);
            const u32 time_bin = (page.orbit_start + crossing) / BC_PER_TIME_BIN - page.first_time_bin;
            const Strand strand = {piece.first_sample, (u16)(piece.position + GRANULE), (u16)time_bin, 0};
            shared.add(i, strand, sample - piece.first_sample);
        }
    }

    // Five samples in eight bytes.
    __device__ __forceinline__ static u32 adc(const Shared& shared, const PageRecord&, const Strand& strand, u32 i) {
        const u32 bit = i / 5 * 64 + i % 5 * 12;
        return shared.half(strand.packed + bit / 8) >> (bit % 8) & 0xfff;
    }
};

}  // namespace
