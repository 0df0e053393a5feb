// launch bounds: 128, 8
#include "decode/links.h"

using namespace decode;

static_assert(DECODE_LINKS_SHAPE.threads == LINK_THREADS && DECODE_LINKS_SHAPE.local_bytes == 0, "see launch.h");

KERNEL(LINK_THREADS)
decode_link_digits(const u8* pages, const PageRecord* records, const Job* jobs, const u32* job_offsets, u32 fragment,
                   const u16* pads, u64* digits) {
    const DigitTarget target = {digits};
    decode_links(THIS_ITEM, {pages, records, jobs, job_offsets, fragment}, pads, target);
}

KERNEL(LINK_THREADS)
decode_link_charges(const u8* pages, const PageRecord* records, const Job* jobs, const u32* job_offsets, u32 fragment,
                    const u16* pads, const float* gains, const Fragment* fragments, u32* positions, u16* maps) {
    const ChargeTarget target = {gains, fragments, positions, maps, fragment};
    decode_links(THIS_ITEM, {pages, records, jobs, job_offsets, fragment}, pads, target);
}
