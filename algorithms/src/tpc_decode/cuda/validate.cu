// Accepts or rejects pages, all of a page before anything of it is used.
//
// It decides as the CPU's reference does, and does not say why: that is found out later,
// for the few pages that are rejected. A page is a chain: each block has to be read to know
// where the next one is. So a team of a few lanes goes through a page, follows the chain
// together and shares all else; see validate/team.h. Samples are stepped over.
//
// Static shared memory: a window a team.
#include "validate/dense_link.h"
#include "validate/headers.h"
#include "validate/link.h"
#include "validate/row.h"

namespace {

constexpr u32 THREADS = 64;
constexpr u32 PAGES_OF_BLOCK = THREADS / TEAM;
// Of a multiprocessor, so that enough loads are under way: as many as have room for windows.
template <class Walk>
constexpr u32 RESIDENT_BLOCKS = 12 * 1024 / Walk::WINDOW;

template <Layout LAYOUT, class Walk>
__device__ __forceinline__ void validate(const u8* pages, const u32* streams, const u32* geometry, u32 count,
                                         const Bounds& bounds, PageRecord* records, uint2* extents, u8* verdicts,
                                         Piece* index, u32 stride) {
    __shared__ Slot<Walk::WINDOW> slots[PAGES_OF_BLOCK];
    const u32 warp = threadIdx.x / LANES * (LANES / TEAM), first_page = blockIdx.x * PAGES_OF_BLOCK + warp;
    const u32 page = first_page + threadIdx.x % LANES / TEAM;
    OpenPage open = {};
    Verdict verdict = EMPTY;
    if (page < count) verdict = open_in_stream<LAYOUT>(page_at(pages, page), {streams[page]}, bounds, open);
    PageRecord& record = open.record;
    Piece* pieces = stride ? index + (u64)page * stride : nullptr;
    Walk walk(record, {geometry}, pieces, verdict == SOUND);
    walk_pages(page_at(pages, first_page), walk, slots + warp);
    if (page >= count || rank_in_team() > 0) return;
    if (verdict == SOUND && !walk.sound) verdict = DAMAGED;
    record.pieces = (u16)walk.index.count;
    records[page] = record;
    // Time bins of pages whose samples are wanted; see place.cu.
    const u32 time_bins = open.end_of_time_bins<LAYOUT>() - record.first_time_bin;
    const u32 samples = verdict == SOUND ? record.samples : 0;
    extents[page] = make_uint2(record.first_time_bin, time_bins << 16 | samples);
    verdicts[page] = verdict;
}

}  // namespace

// For each of `count` pages, whose streams' words are `streams`: its record, its first
// time bin with their number above that of its samples (0 if it is rejected), and
// its verdict; and, unless `stride` is 0, the places of its blocks, so many a page.
// Pages are of the format `version`, and of `orbits` orbits from `first_orbit` on.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS<RowWalk>)
    validate_row(const u8* pages, const u32* streams, const u32* geometry, u32 count, u32 version, u32 first_orbit,
                 u32 orbits, PageRecord* records, uint2* extents, u8* verdicts, Piece* index, u32 stride) {
    const Bounds bounds = {version, first_orbit, orbits};
    validate<ROW, RowWalk>(pages, streams, geometry, count, bounds, records, extents, verdicts, index, stride);
}
KERNEL_EXPORT(validate_row, Validate)

// As `validate_row`.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS<LinkWalk>)
    validate_link(const u8* pages, const u32* streams, const u32* geometry, u32 count, u32 version, u32 first_orbit,
                  u32 orbits, PageRecord* records, uint2* extents, u8* verdicts, Piece* index, u32 stride) {
    const Bounds bounds = {version, first_orbit, orbits};
    validate<LINK, LinkWalk>(pages, streams, geometry, count, bounds, records, extents, verdicts, index, stride);
}
KERNEL_EXPORT(validate_link, Validate)

// As `validate_row`.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS<DenseLinkWalk>)
    validate_dense_link(const u8* pages, const u32* streams, const u32* geometry, u32 count, u32 version,
                        u32 first_orbit, u32 orbits, PageRecord* records, uint2* extents, u8* verdicts, Piece* index,
                        u32 stride) {
    const Bounds bounds = {version, first_orbit, orbits};
    validate<DENSE_LINK, DenseLinkWalk>(pages, streams, geometry, count, bounds, records, extents, verdicts, index,
                                        stride);
}
KERNEL_EXPORT(validate_dense_link, Validate)
