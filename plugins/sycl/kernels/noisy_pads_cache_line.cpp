#include "cache_line.h"

CHECK_SHAPE(CACHE_LINE_SHAPE, cache_line::THREADS, cache_line::Shared)
KERNEL(cache_line::THREADS)
noisy_pads_cache_line(const u16* maps, const GroupWords* groups, PadActivity* activity, u32 group_count, u32 tile_rows,
                      u32 max_charges, u32 max_run, u32 saturation, LOCAL_MEMORY(cache_line::Shared) shared) {
    cache_line::find(THIS_ITEM, maps, groups, activity, group_count, tile_rows, {max_charges, max_run, saturation},
                     shared);
}
