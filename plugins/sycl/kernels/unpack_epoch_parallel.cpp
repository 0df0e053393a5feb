// launch bounds: 512, 1
#include "copy_out.h"
#include "epoch_parallel.h"

CHECK_SHAPE(UNPACK_EPOCH_PARALLEL_SHAPE, epoch_parallel::THREADS, epoch_parallel::Shared)
KERNEL(epoch_parallel::THREADS)
unpack_epoch_parallel(const u8* data, const Microslice* microslices, u32 microslice_count, const u32* elinks,
                      const Link* links, u32 rules, Counts* counts, u64* slots, u64* states,
                      LOCAL_MEMORY(epoch_parallel::Shared) shared) {
    copy_out::clear_states(THIS_ITEM, microslice_count, states);
    epoch_parallel::unpack_microslice(THIS_ITEM, data, microslices, elinks, links, rules, counts, slots, shared);
}
