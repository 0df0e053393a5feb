// Accepts or rejects row pages by their headers. What is behind the headers is judged where it is
// decoded: see fused/row.h. A thread a page.
#include "pages/row_mask.h"
#include "validate/headers.h"

namespace {

constexpr u32 THREADS = 64;

// A page without samples is not decoded, so all of it is judged here: none of its records has a row.
__device__ __forceinline__ bool has_no_rows(const u8* bytes, const PageRecord& page, Geometry geometry) {
    const RowMasks masks(geometry, page.endpoint);
    if (page.start + 2u * page.span > page.end) return false;
    for (u32 i = 0; i < page.span; i++) {
        const u32 mask = *reinterpret_cast<const u16*>(bytes + page.start + 2 * i);
        if (!masks.is_sound(mask) || rows_of_mask(mask) != 0) return false;
    }
    return true;
}

}  // namespace

// For each of `count` pages what `validate_row` writes down, as if all that is behind its headers
// were sound. No page of any of the `fragments` has been rejected yet by a decoder.
extern "C" __global__ void __launch_bounds__(THREADS)
    open_row(const u8* pages, const u32* streams, const u32* geometry, u32 count, u32 version, u32 first_orbit,
             u32 orbits, PageRecord* records, uint2* extents, u8* verdicts, u32* rejected, u32 fragments) {
    const u32 page = blockIdx.x * THREADS + threadIdx.x;
    for (u32 i = page; i < fragments; i += gridDim.x * THREADS) rejected[i] = 0;
    if (page >= count) return;
    OpenPage open = {};
    const u8* bytes = page_at(pages, page);
    Verdict verdict = open_page<ROW>(bytes, {streams[page]}, {version, first_orbit, orbits}, open);
    if (verdict == SOUND && open.record.samples == 0 && !has_no_rows(bytes, open.record, {geometry}))
        verdict = DAMAGED;
    Findings{records, extents, verdicts}.note<ROW>(page, open, verdict);
}
KERNEL_EXPORT(open_row)
