// Dense link pages: a thread finds the links of a block, a thread lists the channels of a link,
// then threads take two samples each.
#pragma once
#include "../pages/page.h"
#include "staged.h"

namespace {

// The samples of dense blocks, two for each thread.

// The samples of a block, one after the other. While only the head of the block is known, `origin`
// contains its position and, above, the index of its first sample.
struct DenseRun {
    static constexpr u32 WIDTH_SHIFT = 28;

    // The bit offset in the page that a sample with index 0 would have, in the lowest bits; the
    // bits of a sample in the highest ones.
    u32 origin;
    u32 time_bin;

    __device__ __forceinline__ static DenseRun of_head(u32 position, u32 first) { return {position | first << 16, 0}; }
    __device__ __forceinline__ u32 head() const { return low_half(origin); }
    __device__ __forceinline__ u32 first() const { return high_half(origin); }

    __device__ __forceinline__ static DenseRun of_samples(u32 position, u32 first, u32 bits, u32 time_bin) {
        const u32 before = position * 8 - first * bits;
        return {(before & ((1u << WIDTH_SHIFT) - 1)) | bits << WIDTH_SHIFT, time_bin};
    }
    __device__ __forceinline__ u32 sample_bits() const { return origin >> WIDTH_SHIFT; }
    __device__ __forceinline__ u32 mask() const { return ~(~0u << sample_bits()); }
    // The bit offset of a sample, in the lowest bits.
    __device__ __forceinline__ u32 bit(u32 sample) const { return origin + sample * sample_bits(); }
};

// Two consecutive samples: most are of the same run, and they are stored together as if all were.
// Samples that start a run, or the page, as the second one of a pair are stored once more,
// afterwards.
template <class Shared, class Output>
struct SamplePairs {
    using Value = typename Output::Value;
    // Distance between a thread's pairs: a multiple of the group, so the index within the group is
    // constant.
    static constexpr u32 STEP = 2 * THREADS;
    static_assert(STEP % GROUP == 0, "whole groups at once");

    const Shared& shared;
    const PageRecord& page;
    const Output& output;

    __device__ __forceinline__ void emit(u32 first) const {
        const u32 end = first + page.samples;
        store_pairs(first, end);
        // The later store to the same address takes effect.
        __syncthreads();
        store_second_ones(first);
        if (threadIdx.x == THREADS - 1 && end % 2 > 0) store(first, end - 1);
    }

  private:
    __device__ __forceinline__ void store_pairs(u32 first, u32 end) const {
        u32 sample = 2 * threadIdx.x < first ? 2 * threadIdx.x + STEP : 2 * threadIdx.x;
        const GroupPosition position(sample);
        const GroupStarts* starts = shared.starts + sample / GROUP;
        const u32* cells = reinterpret_cast<const u32*>(shared.channels) + sample / 2;
        Output to = output;
        to.move(sample - first);
#pragma unroll PAIRS_AT_ONCE
        for (; sample + 1 < end; sample += STEP) {
            store_pair(to, sample, *starts, position, *cells);
            starts += STEP / GROUP;
            cells += STEP / 2;
            to.move(STEP);
        }
    }

    __device__ __forceinline__ void store_pair(const Output& to, u32 sample, GroupStarts starts, GroupPosition position,
                                               u32 cells) const {
        const DenseRun run = shared.runs[starts.run_of(position)];
        const u32 packed = shared.bits_at(run.bit(sample));
        to.store_pair(make(run, low_half(cells), packed), make(run, high_half(cells), packed >> run.sample_bits()));
    }

    // Stores the samples that start a run.
    __device__ __forceinline__ void store_second_ones(u32 first) const {
        constexpr u32 ODD = 0xaaaaaaaa;
        if (threadIdx.x >= GROUPS) return;
        for (u32 left = shared.starts[threadIdx.x].bits & ODD; left != 0; left &= left - 1)
            store(first, threadIdx.x * GROUP + (u32)__ffs((int)left) - 1);
    }

    __device__ __forceinline__ void store(u32 first, u32 sample) const {
        const DenseRun run = shared.runs[shared.run_of(sample)];
        output.store(sample - first, make(run, shared.channels[sample], shared.bits_at(run.bit(sample))));
    }

    // Makes the value of a sample in the lowest bits of `packed`.
    __device__ __forceinline__ Value make(DenseRun run, u32 cell, u32 packed) const {
        return output.make(run.time_bin, shared.cell_at(cell), packed & run.mask());
    }
};

// Maximum number of blocks of a page: it is of one orbit, which has 446 time bins.
constexpr u32 BLOCKS_OF_DENSE_LINK_PAGE = 448;

// Cells of charges, together with links, limit the number of resident blocks.
constexpr u32 RESIDENT_CHARGE_BLOCKS = RESIDENT_BLOCKS < 5 ? RESIDENT_BLOCKS : 5;

struct DenseLinkRuns {
    static constexpr u32 MOST = BLOCKS_OF_DENSE_LINK_PAGE;
    // Blocks whose links are found at once: enough for all pages except nearly empty ones.
    static constexpr u32 BLOCKS = 128;
    static constexpr u32 LINKS = BLOCKS * MAX_FECS_IN_HALF;

    // A link: its position, and the index after that of its last sample.
    struct Link {
        u16 position, end;
    };

    template <class Output>
    struct Shared : LinkPage<MOST, typename Output::Cell, DenseRun> {
        u32 link_count;
        Link links[LINKS];

        __device__ __forceinline__ void load(const Decoding& all, const Task& task) {
            if (threadIdx.x == 0) link_count = 0;
            LinkPage<MOST, typename Output::Cell, DenseRun>::load(all, task);
        }
    };
    template <class Output>
    using Samples = SamplePairs<Shared<Output>, Output>;

    // Contains barriers.
    template <class Shared>
    __device__ __forceinline__ static void find(Shared& shared, const PageRecord& page, Geometry geometry) {
        const u32 first_fec = geometry.first_fec(page.endpoint);
        for (u32 first = 0; first < page.pieces; first += BLOCKS) {
            if (first > 0) {
                __syncthreads();
                if (threadIdx.x == 0) shared.link_count = 0;
                __syncthreads();
            }
            const u32 block = first + threadIdx.x;
            if (threadIdx.x < BLOCKS && block < page.pieces) find_links(shared, page, block);
            __syncthreads();
            for (u32 i = threadIdx.x; i < shared.link_count; i += THREADS)
                list_link(shared, shared.links[i], first_fec);
        }
    }

    // Makes the run of a block, and finds its links: they may come in any order.
    template <class Shared>
    __device__ __forceinline__ static void find_links(Shared& shared, const PageRecord& page, u32 block) {
        const DenseRun run = shared.runs[block];
        const BlockHead head(shared.half(run.head()), page.version);
        Link* const links = shared.links + atomicAdd(&shared.link_count, head.links);
        u32 position = run.head() + 2, sample = run.first();
        for (u32 i = 0; i < head.links; i++) {
            const WholeLinkHead of_link = head_at(shared, position);
            sample += of_link.channels();
            links[i] = {(u16)position, (u16)sample};
            position += of_link.bytes();
        }
        const u32 time_bin = (page.orbit_start + head.crossing) / BC_PER_TIME_BIN;
        shared.runs[block] = DenseRun::of_samples(position, run.first(), head.sample_bits, time_bin);
        shared.mark(block, run.first(), sample);
    }

    template <class Shared>
    __device__ __forceinline__ static WholeLinkHead head_at(const Shared& shared, u32 position) {
        u32 words[3];
        three_words(shared.word_of(position), position, words);
        return WholeLinkHead(words);
    }

    // Lists the channels of a link by their cells, in descending order: the highest bit of a mask
    // is found in one instruction.
    template <class Shared>
    __device__ __forceinline__ static void list_link(Shared& shared, Link link, u32 first_fec) {
        u32 words[3], masks[3];
        three_words(shared.word_of(link.position), link.position, words);
        const LinkHead head(words[0] & 0xff, words[0] >> 8 & 0xff);
        spread(words, head, masks);
        u16* end = shared.channels + link.end;
        constexpr u32 CELL = Shared::CELL_BYTES;
        const u32 first = (head.fec - first_fec) * (CHANNELS_IN_LINK * CELL);
#pragma unroll
        for (u32 part = 3; part-- > 0;) list_mask<CELL>(masks[part], first + part * 32 * CELL, end);
    }

    // Expands the mask of a link to all 80 channels: its bytes go to the set bits of the second
    // level.
    __device__ __forceinline__ static void spread(const u32 (&words)[3], const LinkHead& head, u32 (&channels)[3]) {
        u32 bytes[3];
#pragma unroll
        for (u32 i = 0; i < 3; i++) bytes[i] = __funnelshift_r(words[i], i < 2 ? words[i + 1] : 0, head.before * 8);
        const u32 second = (u32)__popc(head.level & 0xf), third = (u32)__popc(head.level & 0xff);
        channels[0] = spread_bytes(bytes[0], head.level & 0xf);
        channels[1] = spread_bytes(bytes_from(bytes[0], bytes[1], second), head.level >> 4 & 0xf);
        channels[2] = spread_bytes(third < 4 ? bytes_from(bytes[0], bytes[1], third)
                                             : bytes_from(bytes[1], bytes[2], third - 4),
                                   head.level >> 8);
    }

    // Four of eight bytes, starting at one of the first five.
    __device__ __forceinline__ static u32 bytes_from(u32 low, u32 high, u32 first) {
        return __funnelshift_rc(low, high, first * 8);
    }

    // Lists the cells of the channels of a mask, from `first` on, before `end`, which becomes their
    // start.
    template <u32 CELL>
    __device__ __forceinline__ static void list_mask(u32 mask, u32 first, u16*& end) {
        while (mask != 0) {
            const u32 highest = 31 - (u32)__clz((int)mask);
            *--end = (u16)(first + highest * CELL);
            mask &= ~(1u << highest);
        }
    }
};

}  // namespace
