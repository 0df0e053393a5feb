// Accepts or rejects pages as a unit before any of their data are used.
//
// The decision is that of the CPU's reference, without the reason: the host finds it later, for the
// few pages that are rejected. A page is a chain: each block has to be read to find the next one.
// So a team of a few lanes walks through a page, follows the chain together and shares all other
// work; see validate/window.h. Dense link pages have little other work: if there are many, each lane
// walks through a page of its own, and takes another one when it is done; see validate/pages.h.
// Samples are skipped.
//
// Static shared memory: a window for each team.
#include "validate/dense_link.h"
#include "validate/links.h"
#include "validate/pages.h"

namespace {

constexpr u32 THREADS = 64;
template <class Walk>
constexpr u32 PAGES_OF_BLOCK = THREADS / Walk::Lanes::LANES_EACH;
// Resident blocks of a multiprocessor, so that enough loads are in flight: the maximum that
// their windows allow.
template <class Walk>
constexpr u32 RESIDENT_BLOCKS = 192 * 1024 / (Walk::WINDOW * PAGES_OF_BLOCK<Walk>);

// Validates a page with each team.
template <Layout LAYOUT, class Walk> __device__ __forceinline__ void validate(const Validation& all) {
    using Lanes = typename Walk::Lanes;
    __shared__ Slot<Walk::WINDOW> slots[PAGES_OF_BLOCK<Walk>];
    const Pages pages = {all};
    const u32 first = threadIdx.x / LANES * Lanes::COUNT;
    const u32 page = blockIdx.x * PAGES_OF_BLOCK<Walk> + first + Lanes::number();
    Verdict verdict;
    Walk walk = pages.open<LAYOUT, Walk>(page, verdict);
    walk_pages(all.bytes, page, walk, slots + first);
    if (page < all.count && Lanes::rank() == 0) pages.put<LAYOUT>(page, verdict, walk);
}

// Validates pages in a loop, with any number of blocks: lanes take one page after the other.
template <Layout LAYOUT, class Walk> __device__ __forceinline__ void validate_in_turn(const Validation& all) {
    __shared__ Slot<Walk::WINDOW> slots[THREADS];
    constexpr u32 WARPS = THREADS / LANES;
    const u32 warp = threadIdx.x / LANES;
    const Share share(all.count, blockIdx.x * WARPS + warp, gridDim.x * WARPS);
    walk_in_turn<LAYOUT, Walk>(Pages{all}, share, slots + warp * LANES);
}

}  // namespace

KERNEL_INSTANCE(validate_row, Validation, (THREADS, RESIDENT_BLOCKS<RowWalk>), validate<ROW, RowWalk>)
KERNEL_INSTANCE(validate_link, Validation, (THREADS, RESIDENT_BLOCKS<LinkWalk>), validate<LINK, LinkWalk>)
KERNEL_INSTANCE(validate_dense_link, Validation, (THREADS, RESIDENT_BLOCKS<DenseLinkWalk>),
                validate<DENSE_LINK, DenseLinkWalk>)
KERNEL_INSTANCE(validate_many_dense_link, Validation, (THREADS, RESIDENT_BLOCKS<LoneDenseLinkWalk>),
                validate_in_turn<DENSE_LINK, LoneDenseLinkWalk>)
