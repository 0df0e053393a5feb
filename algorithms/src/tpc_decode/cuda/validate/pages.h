// Pages, and the results of their validation.
#pragma once
#include "headers.h"
#include "walk.h"

namespace {

struct Pages {
    const u8* bytes;
    const u32* streams;
    Geometry geometry;
    u32 count;
    Bounds bounds;
    PageRecord* records;
    uint2* extents;
    u8* verdicts;
    Piece* index;
    u32 stride;  // entries of the index for each page, or 0

    // Creates the walk through a page whose headers are read. An invalid page is not walked
    // through.
    template <Layout LAYOUT, class Walk>
    __device__ __forceinline__ Walk open(u32 page, Verdict& verdict) const {
        OpenPage open = {};
        verdict = EMPTY;
        if (page < count) verdict = open_in_stream<LAYOUT>(page_at(bytes, page), {streams[page]}, bounds, open);
        return Walk(open.record, geometry, stride ? index + (u64)page * stride : nullptr, verdict == SOUND);
    }

    // Stores the results of a walk; `verdict` is that of the headers.
    template <Layout LAYOUT, class Walk>
    __device__ __forceinline__ void put(u32 page, Verdict verdict, const Walk& walk) const {
        if (verdict == SOUND && !walk.sound) verdict = DAMAGED;
        OpenPage open = {walk.page, 0};
        PageRecord& record = open.record;
        record.pieces = (u16)walk.index.count;
        records[page] = record;
        // Time bins of pages whose samples are needed; see place.cu.
        const u32 time_bins = open.end_of_time_bins<LAYOUT>() - record.first_time_bin;
        const u32 samples = verdict == SOUND ? record.samples : 0;
        extents[page] = make_uint2(record.first_time_bin, time_bins << 16 | samples);
        verdicts[page] = verdict;
    }
};

}  // namespace
