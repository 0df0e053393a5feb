// launch bounds: 64, 6
#include "decode/validate.h"

using namespace decode;

CHECK_SHAPE(DECODE_VALIDATE_MANY_DENSE_LINK_SHAPE, VALIDATE_THREADS, ValidateShared<LoneDenseLinkWalk>)
KERNEL(VALIDATE_THREADS)
decode_validate_many_dense_link(const u8* pages, const u32* streams, const Endpoint* endpoints, const u32* row_pads,
                                u32 count, u32 version, u32 first_orbit, u32 orbits, PageRecord* records,
                                PageExtent* extents, u8* damaged,
                                LOCAL_MEMORY(ValidateShared<LoneDenseLinkWalk>) shared) {
    const Pages all = {pages, streams, {endpoints, row_pads}, count, {version, first_orbit, orbits}, records, extents,
                       damaged};
    validate_in_turn<DENSE_LINK, LoneDenseLinkWalk>(THIS_ITEM, all, shared);
}
