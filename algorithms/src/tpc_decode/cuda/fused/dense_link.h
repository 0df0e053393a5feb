// Dense link pages: a thread finds the links of a block, then a thread lists the
// channels of a link.
#pragma once
#include "../pages/geometry.h"
#include "../pages/link_head.h"
#include "links.h"

namespace {

// Blocks that a page has at most: it is of one orbit, which has 446 time bins.
constexpr u32 BLOCKS_OF_DENSE_LINK_PAGE = 448;

struct DenseLinkRuns {
    static constexpr u32 MOST = BLOCKS_OF_DENSE_LINK_PAGE;
    // Blocks whose links are found at once: as many as all but quite empty pages have.
    static constexpr u32 BLOCKS = 128;
    static constexpr u32 LINKS = BLOCKS * MAX_FECS_IN_HALF;

    // A link: where it is, and the number of its first sample. None is at the beginning of
    // a page.
    struct Link {
        u16 position, first;
    };

    template <class Output>
    struct Shared : LinkPage<MOST, typename Output::Cell> {
        Link links[LINKS];
    };

    // Barriers within.
    template <class Shared>
    __device__ __forceinline__ static void find(Shared& shared, const PageRecord& page, Geometry geometry) {
        const u32 first_fec = geometry.first_fec(page.endpoint);
        for (u32 first = 0; first < page.pieces; first += BLOCKS) {
            const u32 blocks = min(page.pieces - first, BLOCKS);
            if (threadIdx.x < blocks) find_links(shared, page, first + threadIdx.x);
            __syncthreads();
            for (u32 i = threadIdx.x; i < blocks * MAX_FECS_IN_HALF; i += THREADS)
                list_link(shared, shared.links[i], first + i / MAX_FECS_IN_HALF, first_fec);
            __syncthreads();
        }
    }

    // Makes the run of this thread's block, and finds its links.
    template <class Shared>
    __device__ __forceinline__ static void find_links(Shared& shared, const PageRecord& page, u32 block) {
        SampleRun run = shared.runs[block];
        const BlockHead head(shared.half(run.packed), page.version);
        u32 position = run.packed + 2u, sample = run.first;
        for (u32 i = 0; i < MAX_FECS_IN_HALF; i++) {
            Link& link = shared.links[threadIdx.x * MAX_FECS_IN_HALF + i];
            if (i >= head.links) {
                link = {0, 0};
                continue;
            }
            link = {(u16)position, (u16)sample};
            const WholeLinkHead of_link = head_at(shared, position);
            position += of_link.bytes();
            sample += of_link.channels();
        }
        run.packed = (u16)position;
        run.time_bin = (u16)((page.orbit_start + head.crossing) / BC_PER_TIME_BIN - page.first_time_bin);
        run.kind = (u16)head.sample_bits;
        shared.add(block, run, sample);
    }

    template <class Shared>
    __device__ __forceinline__ static WholeLinkHead head_at(const Shared& shared, u32 position) {
        u32 words[3];
        three_words(shared.word_of(position), position, words);
        return WholeLinkHead(words);
    }

    // Lists the channels of a link.
    template <class Shared>
    __device__ __forceinline__ static void list_link(Shared& shared, Link link, u32 run, u32 first_fec) {
        if (link.position == 0) return;
        const u32 word = shared.word(link.position);
        const LinkHead head(word & 0xff, word >> 8 & 0xff);
        const u32 first = (head.fec - first_fec) * CHANNELS_IN_LINK;
        u32 sample = link.first, masks[3];
        spread(shared, link.position + head.before, head.level, masks);
#pragma unroll
        for (u32 part = 0; part < 3; part++) sample = shared.list_mask(masks[part], sample, run, first + part * 32);
    }

    // All 80 channels of a link: the bytes of its mask where their bits in the second level say.
    template <class Shared>
    __device__ __forceinline__ static void spread(const Shared& shared, u32 mask, u32 level, u32 (&channels)[3]) {
        const u32 second = mask + (u32)__popc(level & 0xf), third = mask + (u32)__popc(level & 0xff);
        channels[0] = spread_bytes(shared.word(mask), level & 0xf);
        channels[1] = spread_bytes(shared.word(second), level >> 4 & 0xf);
        channels[2] = spread_bytes(shared.word(third), level >> 8);
    }

    template <class Shared>
    __device__ __forceinline__ static u32 adc(const Shared& shared, const PageRecord&, const SampleRun& run, u32 i) {
        const u32 bit = i * run.kind;
        return shared.half(run.packed + bit / 8) >> (bit % 8) & ((1u << run.kind) - 1);
    }
};

}  // namespace
