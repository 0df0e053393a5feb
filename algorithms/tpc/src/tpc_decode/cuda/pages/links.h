// Link and dense link pages as published: a warp decodes a page.
#pragma once
#include "scan.h"
#include "page.h"
#include "target.h"

namespace {

// Ranks of the lanes with a sample: as published, and in the earlier version.

// Rank of a lane among those with a set flag, and their number.
struct Rank {
    u32 before, total;
};

// One vote is enough: the rank is the number of set bits of lower lanes.
struct BallotScan {
    __device__ __forceinline__ static Rank rank(bool has) {
        const lanemask_t vote = __ballot_sync(FULL_MASK, has);
        return {(u32)popc(vote & lanemask_lt(threadIdx.x % LANES)), (u32)popc(vote)};
    }
};

// A prefix sum by shuffles, one for each power of two below the number of lanes.
struct ShuffleScan {
    __device__ __forceinline__ static Rank rank(bool has) {
        const u32 sum = warp_inclusive_sum(has);
        return {sum - has, __shfl_sync(FULL_MASK, sum, (int)LANES - 1)};
    }
};

// Link and dense link pages as published: a warp decodes a page, block by block.

constexpr u32 WARP_THREADS = 128;  // of a block
constexpr u32 WARPS = WARP_THREADS / LANES;
// Resident blocks of a multiprocessor: 64 registers a thread avoid spilling.
constexpr u32 RESIDENT_BLOCKS = 8;
// Pads of a card by raw channel, one card after the other: see pads.rs.
constexpr u32 LINK_STRIDE = 96;

// The pads of the links of a page's region.
__device__ __forceinline__ const u16* pads_of(const u16* pads, const PageRecord& page) {
    return pads + page.endpoint / 2 * MAX_FECS * LINK_STRIDE;
}

// Extent of a payload: its last block may continue in the next page.
enum class Extent { WITHIN_PAGE, INTO_NEXT_PAGE };

template <Extent EXTENT>
struct Payload {
    const u8* page;
    u32 end;

    __device__ __forceinline__ u32 byte(u32 position) const {
        const bool behind = EXTENT == Extent::INTO_NEXT_PAGE && position >= end;
        return page[behind ? position - end + PAGE_BYTES + RDH_BYTES : position];
    }
    __device__ __forceinline__ u32 half(u32 position) const { return byte(position) | byte(position + 1) << 8; }
};

// A link page: the samples of a block are in the order of its channels, five in eight bytes.
template <class Scan, class Output>
__device__ __forceinline__ void decode_link_page(const u8* bytes, const PageRecord& page, const u16* pads,
                                                 const Output& output) {
    const u32 lane = threadIdx.x % LANES;
    u32 position = page.start, slot = 0;
    for (u32 block = 0; block < page.blocks; block++) {
        const uint4 header = granule_at(bytes + position);
        const u64 low = (u64)header.y << 32 | header.x;
        const u64 high = low_half(header.z);
        const u32 crossing = page.time_offset + (header.z >> 16 & 0xfff);
        const u32 time_bin = (page.orbit_start + crossing) / BC_PER_TIME_BIN;
        const u16* pads_of_link = pads + (header.w >> 8 & 0xff) * LINK_STRIDE;
        position += GRANULE;
        u32 samples = 0;
        for (u32 first = 0; first < CHANNELS_IN_LINK; first += LANES) {
            const u32 channel = first + lane;
            const bool has = (channel < 64 ? low >> channel : channel < CHANNELS_IN_LINK ? high >> (channel - 64) : 0) & 1;
            const Rank rank = Scan::rank(has);
            if (has) {
                const u32 sample = samples + rank.before;
                const u64 word = *reinterpret_cast<const u64*>(bytes + position + sample / 5 * 8);
                const u32 adc = (u32)(word >> (sample % 5 * 12)) & 0xfff;
                output.values[slot + sample] = output.make(time_bin, output.cell(pads_of_link[channel]), adc);
            }
            samples += rank.total;
        }
        position += (samples + 9) / 10 * GRANULE;
        slot += samples;
    }
}

// The channels with a sample of a block's links, in order.
using ChannelList = u16[MAX_FECS_IN_HALF * CHANNELS_IN_LINK];

// Lists the channels of a link; returns the end of its head.
template <class Scan, class Bytes>
__device__ __forceinline__ u32 list_link(const Bytes& bytes, u32 position, ChannelList& list, u32& samples) {
    const u32 lane = threadIdx.x % LANES;
    const LinkHead head(bytes.byte(position), bytes.byte(position + 1));
    position += head.before;
    for (u32 first = 0; first < CHANNELS_IN_LINK; first += LANES) {
        const u32 channel = first + lane, group = channel / 8;
        bool has = false;
        if (head.level >> group & 1) {
            const u32 mask = bytes.byte(position + (u32)__popc(head.level & ((1u << group) - 1)));
            has = mask >> channel % 8 & 1;
        }
        const Rank rank = Scan::rank(has);
        if (has) list[samples + rank.before] = (u16)(head.fec * LINK_STRIDE + channel);
        samples += rank.total;
    }
    return position + head.mask_bytes();
}

// Two phases: first the channels of all links, as their samples are one stream after all of them;
// then the samples, one for each lane at a time, regardless of their link.
template <class Scan, class Bytes, class Output>
__device__ __forceinline__ u32 decode_dense_block(const Bytes& bytes, const PageRecord& page, u32 position, u32 slot,
                                                  const u16* pads, ChannelList& list, u32& samples,
                                                  const Output& output) {
    const BlockHead head(bytes.half(position), page.version);
    const u32 time_bin = (page.orbit_start + head.crossing) / BC_PER_TIME_BIN;
    position += 2;
    samples = 0;
    for (u32 link = 0; link < head.links; link++) position = list_link<Scan>(bytes, position, list, samples);
    __syncwarp();
    for (u32 sample = threadIdx.x % LANES; sample < samples; sample += LANES) {
        const u32 bit = sample * head.sample_bits;
        const u32 adc = bytes.half(position + bit / 8) >> (bit % 8) & ((1u << head.sample_bits) - 1);
        output.values[slot + sample] = output.make(time_bin, output.cell(pads[list[sample]]), adc);
    }
    __syncwarp();
    return position + bytes_of_samples(samples, head.sample_bits);
}

// Only the last block can continue in the next page, so only it pays for the check.
template <class Scan, class Output>
__device__ __forceinline__ void decode_dense_page(const u8* bytes, const PageRecord& page, const u16* pads,
                                                  ChannelList& list, const Output& output) {
    const Payload<Extent::WITHIN_PAGE> within = {bytes, page.end};
    const Payload<Extent::INTO_NEXT_PAGE> joined = {bytes, page.end};
    const u32 blocks_within = page.blocks - (page.continuation > 0 ? 1u : 0u);
    u32 position = page.start, slot = 0, samples;
    for (u32 block = 0; block < blocks_within; block++) {
        position = decode_dense_block<Scan>(within, page, position, slot, pads, list, samples, output);
        slot += samples;
    }
    if (page.continuation > 0) decode_dense_block<Scan>(joined, page, position, slot, pads, list, samples, output);
}

// The job of a warp.
struct WarpJob {
    Job job;
    bool present;

    __device__ __forceinline__ explicit WarpJob(const Decoding& all) {
        const u32 number = all.first_job() + blockIdx.x * WARPS + threadIdx.x / LANES;
        present = number < all.end_of_jobs();
        if (present) job = all.jobs[number];
    }
};

// Decodes link pages of a fragment. A warp for each page; there may be more warps.
template <class Scan, class Target> __device__ __forceinline__ void decode_links(const Decoding& all) {
    const WarpJob own(all);
    if (!own.present) return;
    const PageRecord page = record_at(all.records, own.job.page);
    const auto output = Target::of(all, page, own.job.slot);
    decode_link_page<Scan>(page_at(all.pages, own.job.page), page, pads_of(all.pads, page), output);
}

template <class Scan, class Target> __device__ __forceinline__ void decode_dense_links(const Decoding& all) {
    __shared__ ChannelList lists[WARPS];
    const WarpJob own(all);
    if (!own.present) return;
    const PageRecord page = record_at(all.records, own.job.page);
    const auto output = Target::of(all, page, own.job.slot);
    decode_dense_page<Scan>(page_at(all.pages, own.job.page), page, pads_of(all.pads, page),
                            lists[threadIdx.x / LANES], output);
}

}  // namespace
