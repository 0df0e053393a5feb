// launch bounds: 64, 12
#include "decode/validate.h"

using namespace decode;

CHECK_SHAPE(DECODE_VALIDATE_DENSE_LINK_SHAPE, VALIDATE_THREADS, ValidateShared<DenseLinkWalk>)
KERNEL(VALIDATE_THREADS)
decode_validate_dense_link(const u8* pages, const u32* streams, const Endpoint* endpoints, const u32* row_pads,
                           u32 count, u32 version, u32 first_orbit, u32 orbits, PageRecord* records,
                           PageExtent* extents, u8* damaged, LOCAL_MEMORY(ValidateShared<DenseLinkWalk>) shared) {
    const Pages all = {pages, streams, {endpoints, row_pads}, count, {version, first_orbit, orbits}, records, extents,
                       damaged};
    validate<DENSE_LINK, DenseLinkWalk>(THIS_ITEM, all, shared);
}
