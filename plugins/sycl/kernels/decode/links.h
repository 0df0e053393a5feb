// Link and dense link pages as published: a sub-group decodes a page, and the offset of each lane's
// sample follows from a vote of the lanes. As pages/links.h of the native kernels, with votes.
#pragma once
#include "target.h"

namespace decode {

// Rank of a lane among those with a set flag, and their number.
struct Rank {
    u32 before, total;
};

// One vote is enough: the rank is the number of set bits of lower lanes.
DEVICE Rank rank_of(Item item, bool has) {
    const u32 votes = vote(item, has);
    return {u32(sycl::popcount(votes & lanes_below(lane_of(item)))), u32(sycl::popcount(votes))};
}

constexpr u32 LINK_THREADS = 128;  // of a work-group
constexpr u32 WARPS = LINK_THREADS / LANES;

// The channels with a sample of a block's links, in order.
using ChannelList = u16[MAX_FECS_IN_HALF * CHANNELS_IN_LINK];

struct LinkShared {
    ChannelList lists[WARPS];
};

// The pads of the links of a page's region.
DEVICE const u16* pads_of(const u16* pads, const PageRecord& page) {
    return pads + page.endpoint / 2 * MAX_FECS * CHANNELS_IN_LINK;
}

// Extent of a payload: its last block may continue in the next page.
enum class Extent { WITHIN_PAGE, INTO_NEXT_PAGE };

template <Extent EXTENT> struct Payload {
    const u8* page;
    u32 end;

    DEVICE u32 byte(u32 position) const {
        const bool behind = EXTENT == Extent::INTO_NEXT_PAGE && position >= end;
        return page[behind ? position - end + PAGE_BYTES + RDH_BYTES : position];
    }
    DEVICE u32 half(u32 position) const { return byte(position) | byte(position + 1) << 8; }
};

// A link page: the samples of a block are in the order of its channels, five in eight bytes.
template <class Output>
DEVICE void decode_link_page(Item item, const u8* bytes, const PageRecord& page, const u16* pads,
                             const Output& output) {
    const u32 lane = lane_of(item);
    u32 position = page.start;
    u32 slot = 0;
    for (u32 block = 0; block < page.blocks; block++) {
        const sycl::uint4 header = granule_at(bytes + position);
        const u64 low = u64(header[1]) << 32 | header[0];
        const u64 high = low_half(header[2]);
        const u32 crossing = page.time_offset + (header[2] >> 16 & 0xfff);
        const u32 time_bin = (page.orbit_start + crossing) / BC_PER_TIME_BIN;
        const u16* pads_of_link = pads + (header[3] >> 8 & 0xff) * CHANNELS_IN_LINK;
        position += GRANULE;
        u32 samples = 0;
        for (u32 first = 0; first < CHANNELS_IN_LINK; first += LANES) {
            const u32 channel = first + lane;
            const u64 above = channel < CHANNELS_IN_LINK ? high >> (channel - 64) % 64 : 0;
            const bool has = (channel < 64 ? low >> channel : above) & 1;
            const Rank rank = rank_of(item, has);
            if (has) {
                const u32 sample = samples + rank.before;
                const u64 word = *reinterpret_cast<const u64*>(bytes + position + sample / 5 * 8);
                const u32 adc = u32(word >> (sample % 5 * 12)) & 0xfff;
                output.values[slot + sample] = output.make(time_bin, output.cell(pads_of_link[channel]), adc);
            }
            samples += rank.total;
        }
        position += (samples + 9) / 10 * GRANULE;
        slot += samples;
    }
}

// Lists the channels of a link; returns the end of its head.
template <class Bytes>
DEVICE u32 list_link(Item item, const Bytes& bytes, u32 position, ChannelList& list, u32& samples) {
    const LinkHead head(bytes.byte(position), bytes.byte(position + 1));
    position += head.before;
    for (u32 first = 0; first < CHANNELS_IN_LINK; first += LANES) {
        const u32 channel = first + lane_of(item);
        const u32 group = channel / 8;
        bool has = false;
        if (head.level >> group & 1) {
            const u32 mask = bytes.byte(position + u32(sycl::popcount(head.level & low_bits(group))));
            has = mask >> channel % 8 & 1;
        }
        const Rank rank = rank_of(item, has);
        if (has) list[samples + rank.before] = u16(head.fec * CHANNELS_IN_LINK + channel);
        samples += rank.total;
    }
    return position + head.mask_bytes();
}

// Two phases: first the channels of all links, as their samples are one stream after all of them;
// then the samples, one for each lane at a time, regardless of their link.
template <class Bytes, class Output>
DEVICE u32 decode_dense_block(Item item, const Bytes& bytes, const PageRecord& page, u32 position, u32 slot,
                              const u16* pads, ChannelList& list, u32& samples, const Output& output) {
    const BlockHead head(bytes.half(position), page.version);
    const u32 time_bin = (page.orbit_start + head.crossing) / BC_PER_TIME_BIN;
    position += 2;
    samples = 0;
    for (u32 link = 0; link < head.links; link++) position = list_link(item, bytes, position, list, samples);
    warp_barrier(item);
    for (u32 sample = lane_of(item); sample < samples; sample += LANES) {
        const u32 bit = sample * head.sample_bits;
        const u32 adc = bytes.half(position + bit / 8) >> (bit % 8) & low_bits(head.sample_bits);
        output.values[slot + sample] = output.make(time_bin, output.cell(pads[list[sample]]), adc);
    }
    warp_barrier(item);
    return position + bytes_of_samples(samples, head.sample_bits);
}

// Only the last block can continue in the next page, so only it pays for the check.
template <class Output>
DEVICE void decode_dense_page(Item item, const u8* bytes, const PageRecord& page, const u16* pads, ChannelList& list,
                              const Output& output) {
    const Payload<Extent::WITHIN_PAGE> within = {bytes, page.end};
    const Payload<Extent::INTO_NEXT_PAGE> joined = {bytes, page.end};
    const u32 blocks_within = page.blocks - (page.continuation > 0 ? 1u : 0u);
    u32 position = page.start;
    u32 slot = 0;
    u32 samples;
    for (u32 block = 0; block < blocks_within; block++) {
        position = decode_dense_block(item, within, page, position, slot, pads, list, samples, output);
        slot += samples;
    }
    if (page.continuation > 0) decode_dense_block(item, joined, page, position, slot, pads, list, samples, output);
}

// Index of a sub-group's job.
DEVICE u32 warp_job(Item item, const Decoding& all) { return all.first_job() + group_of(item) * WARPS + warp_of(item); }

// Decodes link pages of a fragment. A sub-group for each page; there may be more of them.
template <class Target>
DEVICE void decode_links(Item item, const Decoding& all, const u16* pads, const Target& target) {
    const u32 number = warp_job(item, all);
    if (number >= all.end_of_jobs()) return;
    const Job job = all.jobs[number];
    const PageRecord page = record_at(all.records, job.page);
    decode_link_page(item, page_at(all.pages, job.page), page, pads_of(pads, page), target.of(page, job.slot));
}

template <class Target>
DEVICE void decode_dense_links(Item item, const Decoding& all, const u16* pads, const Target& target,
                               LinkShared& shared) {
    const u32 number = warp_job(item, all);
    if (number >= all.end_of_jobs()) return;
    const Job job = all.jobs[number];
    const PageRecord page = record_at(all.records, job.page);
    decode_dense_page(item, page_at(all.pages, job.page), page, pads_of(pads, page), shared.lists[warp_of(item)],
                      target.of(page, job.slot));
}

}  // namespace decode
