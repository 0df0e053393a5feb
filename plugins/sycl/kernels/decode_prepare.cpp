#include "decode/fragments.h"

using namespace decode;

static_assert(DECODE_PREPARE_SHAPE.threads == PREPARE_THREADS, "see launch.h");

KERNEL(PREPARE_THREADS)
decode_streams(const PageStream* streams, u32* words) { write_streams(THIS_ITEM, streams, words); }

KERNEL(PREPARE_THREADS)
decode_touched(const u8* pages, const u32* streams, u32 count, u32 version, u32 first_orbit, u32 orbits, u32 length,
               u32 step, u32* flags) {
    const u32 page = group_of(THIS_ITEM) * PREPARE_THREADS + thread_of(THIS_ITEM);
    if (page >= count) return;
    flag_fragments(page_at(pages, page), {streams[page]}, {version, first_orbit, orbits}, length, step, flags);
}

// Clears an array: `rows` times `granules` of 16 bytes, if the flag is set, or there is none.
KERNEL(PREPARE_THREADS)
decode_clear(sycl::uint4* array, u32 granules, u32 rows, const u32* flag) {
    if (flag && *flag == 0) return;
    clear(THIS_ITEM, array, u64(granules) * rows);
}
