// launch bounds: 512, 1
#include "copy_out.h"

static_assert(UNPACK_COPY_OUT_SHAPE.threads == copy_out::THREADS && UNPACK_COPY_OUT_SHAPE.local_bytes == 0,
              "see launch.h");
KERNEL(copy_out::THREADS)
unpack_copy_out(const Counts* counts, const Microslice* microslices, const u32* offsets, const u64* slots,
                u64* digis) {
    copy_out::copy(THIS_ITEM, counts, microslices, offsets, slots, digis);
}
