// Accepts or rejects pages as a unit before any of their data are used.
//
// The decision is that of the CPU's reference, without the reason: the host finds it later, for the
// few pages that are rejected. A page is a chain: each block has to be read to find the next one.
// So a team of a few lanes walks through a page, follows the chain together and shares all other
// work; see validate/team.h. Dense link pages have little other work: if there are many, each lane
// walks through a page of its own, and takes another one when it is done; see validate/turns.h.
// Samples are skipped.
//
// Static shared memory: a window for each team.
#include "validate/dense_link.h"
#include "validate/link.h"
#include "validate/lone_dense_link.h"
#include "validate/row.h"
#include "validate/turns.h"

namespace {

constexpr u32 THREADS = 64;
template <class Walk>
constexpr u32 PAGES_OF_BLOCK = THREADS / Walk::Lanes::LANES_EACH;
// Resident blocks of a multiprocessor, so that enough loads are in flight: the maximum that
// their windows allow.
template <class Walk>
constexpr u32 RESIDENT_BLOCKS = 192 * 1024 / (Walk::WINDOW * PAGES_OF_BLOCK<Walk>);

// Validates a page with each team.
template <Layout LAYOUT, class Walk>
__device__ __forceinline__ void validate(const Pages& pages) {
    using Lanes = typename Walk::Lanes;
    __shared__ Slot<Walk::WINDOW> slots[PAGES_OF_BLOCK<Walk>];
    const u32 first = threadIdx.x / LANES * Lanes::COUNT;
    const u32 page = blockIdx.x * PAGES_OF_BLOCK<Walk> + first + Lanes::number();
    Verdict verdict;
    Walk walk = pages.open<LAYOUT, Walk>(page, verdict);
    walk_pages(pages.bytes, page, walk, slots + first);
    if (page < pages.count && Lanes::rank() == 0) pages.put<LAYOUT>(page, verdict, walk);
}

// Validates pages in a loop, with any number of blocks.
template <Layout LAYOUT, class Walk>
__device__ __forceinline__ void validate_in_turn(const Pages& pages) {
    __shared__ Slot<Walk::WINDOW> slots[THREADS];
    constexpr u32 WARPS = THREADS / LANES;
    const u32 warp = threadIdx.x / LANES;
    const Share share(pages.count, blockIdx.x * WARPS + warp, gridDim.x * WARPS);
    walk_in_turn<LAYOUT, Walk>(pages, share, slots + warp * LANES);
}

}  // namespace

// For each of `count` pages, whose streams' words are `streams`: its record, its first time bin
// with their number above that of its samples (0 if it is rejected), and its verdict; and, unless
// `stride` is 0, the offsets of its blocks, `stride` entries a page. Pages are of the format
// `version`, and of `orbits` orbits from `first_orbit` on.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS<RowWalk>)
    validate_row(const u8* pages, const u32* streams, const u32* geometry, u32 count, u32 version, u32 first_orbit,
                 u32 orbits, PageRecord* records, uint2* extents, u8* verdicts, Piece* index, u32 stride) {
    const Bounds bounds = {version, first_orbit, orbits};
    validate<ROW, RowWalk>({pages, streams, {geometry}, count, bounds, records, extents, verdicts, index, stride});
}
KERNEL_EXPORT(validate_row, Validate)

// Validates link pages; arguments as in `validate_row`.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS<LinkWalk>)
    validate_link(const u8* pages, const u32* streams, const u32* geometry, u32 count, u32 version, u32 first_orbit,
                  u32 orbits, PageRecord* records, uint2* extents, u8* verdicts, Piece* index, u32 stride) {
    const Bounds bounds = {version, first_orbit, orbits};
    validate<LINK, LinkWalk>({pages, streams, {geometry}, count, bounds, records, extents, verdicts, index, stride});
}
KERNEL_EXPORT(validate_link, Validate)

// Validates dense link pages; arguments as in `validate_row`.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS<DenseLinkWalk>)
    validate_dense_link(const u8* pages, const u32* streams, const u32* geometry, u32 count, u32 version,
                        u32 first_orbit, u32 orbits, PageRecord* records, uint2* extents, u8* verdicts, Piece* index,
                        u32 stride) {
    const Bounds bounds = {version, first_orbit, orbits};
    validate<DENSE_LINK, DenseLinkWalk>(
        {pages, streams, {geometry}, count, bounds, records, extents, verdicts, index, stride});
}
KERNEL_EXPORT(validate_dense_link, Validate)

// Validates like `validate_row`, with lanes that take pages one after the other: any number of
// blocks.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS<LoneDenseLinkWalk>)
    validate_many_dense_link(const u8* pages, const u32* streams, const u32* geometry, u32 count, u32 version,
                             u32 first_orbit, u32 orbits, PageRecord* records, uint2* extents, u8* verdicts,
                             Piece* index, u32 stride) {
    const Bounds bounds = {version, first_orbit, orbits};
    validate_in_turn<DENSE_LINK, LoneDenseLinkWalk>(
        {pages, streams, {geometry}, count, bounds, records, extents, verdicts, index, stride});
}
KERNEL_EXPORT(validate_many_dense_link, Validate)
