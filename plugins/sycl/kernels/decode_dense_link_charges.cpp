// launch bounds: 128, 8
#include "decode/links.h"

using namespace decode;

CHECK_SHAPE(DECODE_DENSE_LINKS_SHAPE, LINK_THREADS, LinkShared)
KERNEL(LINK_THREADS)
decode_dense_link_charges(const u8* pages, const PageRecord* records, const Job* jobs, const u32* job_offsets,
                          u32 fragment, const u16* pads, const float* gains, const Fragment* fragments, u32* positions,
                          u16* maps, LOCAL_MEMORY(LinkShared) shared) {
    const ChargeTarget target = {gains, fragments, positions, maps, fragment};
    decode_dense_links(THIS_ITEM, {pages, records, jobs, job_offsets, fragment}, pads, target, shared);
}
