// The way through a link page: a step goes over a block.
#pragma once
#include "walk.h"

namespace {

constexpr u32 LINK_MAGIC = 0xfc;
constexpr u32 SAMPLES_IN_DATA_WORD = 10;

// The header of a block: a bit for each channel, then what follows.
struct LinkHeader {
    u64 low;
    u32 high;
    u32 crossing, data_words, fec, magic;

    __device__ __forceinline__ explicit LinkHeader(uint4 words) {
        low = (u64)words.y << 32 | words.x;
        high = low_half(words.z);
        crossing = words.z >> 16 & 0xfff;
        data_words = words.z >> 28;
        fec = words.w >> 8 & 0xff;
        magic = words.w >> 24;
    }

    __device__ __forceinline__ u32 channels() const { return (u32)(__popcll(low) + __popc(high)); }
};

struct LinkWalk : Walk {
    static constexpr u32 REACH = GRANULE;

    u32 blocks = 0;
    u32 first_fec, end_of_fecs;
    u32 previous = 0;  // time bin and card of the block before, plus one

    __device__ __forceinline__ LinkWalk(const PageRecord& page, Geometry geometry, Piece* pieces, bool walking)
        : Walk(page, pieces, walking) {
        first_fec = geometry.first_fec(page.endpoint);
        end_of_fecs = geometry.end_of_fecs(page.endpoint);
        if (walking && page.blocks == 0) end(true);
    }

    __device__ __forceinline__ void step(const Window& window) {
        const LinkHeader header(window.granule(position));
        const u32 crossing = page.time_offset + header.crossing;
        const u32 time_bin = (page.orbit_start + crossing) / BC_PER_TIME_BIN - page.first_time_bin;
        const u32 place = 1 + (time_bin << 8 | header.fec);
        const u32 channels = header.channels();
        const u32 data_words = (channels + SAMPLES_IN_DATA_WORD - 1) / SAMPLES_IN_DATA_WORD;
        if (header.magic != LINK_MAGIC || header.fec < first_fec || header.fec >= end_of_fecs ||
            crossing >= BC_PER_ORBIT || time_bin > page.span || place <= previous || header.data_words != data_words)
            return give_up();
        previous = place;
        if (channels > 0) index.add(position, samples);
        samples += channels;
        position += GRANULE * (1 + data_words);
        if (position > page.end || samples > page.samples) return give_up();
        if (++blocks == page.blocks) end(true);
    }
};

}  // namespace
