// Dense link pages: a thread lists the channels of a block.
#pragma once
#include "links.h"
#include "staged.h"

namespace {

struct DenseLinkStrands {
    // A page is of one orbit, which has 446 time bins.
    static constexpr u32 MOST = 448;
    using Shared = Staged<MOST>;
    template <class Output>
    using Pads = LinkPads<Output>;

    __device__ __forceinline__ static void find(Shared& shared, const PageRecord& page, const Piece* pieces,
                                                Geometry geometry) {
        const u32 first_fec = geometry.first_fec(page.endpoint);
        for (u32 i = threadIdx.x; i < page.pieces; i += THREADS) {
            const Piece piece = pieces[i];
            const BlockHead head(shared.half(piece.position), page.version);
            u32 position = piece.position + 2u, sample = piece.first_sample;
            for (u32 link = 0; link < head.links; link++) list_link(shared, i, first_fec, position, sample);
            const u32 time_bin = (page.orbit_start + head.crossing) / BC_PER_TIME_BIN - page.first_time_bin;
            const Strand strand = {piece.first_sample, (u16)position, (u16)time_bin, (u16)head.sample_bits};
            shared.add(i, strand, sample - piece.first_sample);
        }
    }

    __device__ __forceinline__ static void list_link(Shared& shared, u32 strand, u32 first_fec, u32& position,
                                                     u32& sample) {
        const LinkHead head(shared.byte(position), shared.byte(position + 1));
        const u32 first = (head.fec - first_fec) * CHANNELS_IN_LINK;
        position += head.bytes;
        for (u32 rest = head.level; rest != 0; rest &= rest - 1) {
            const u32 first_of_group = first + 8 * ((u32)__ffs((int)rest) - 1);
            for (u32 mask = shared.byte(position++); mask != 0; mask &= mask - 1)
                shared.list(sample++, strand, first_of_group + (u32)__ffs((int)mask) - 1);
        }
    }

    __device__ __forceinline__ static u32 adc(const Shared& shared, const PageRecord&, const Strand& strand, u32 i) {
        const u32 bit = i * strand.kind;
        return shared.half(strand.packed + bit / 8) >> (bit % 8) & ((1u << strand.kind) - 1);
    }
};

}  // namespace
