// launch bounds: 256, 4
#include "bit_runs.h"

CHECK_SHAPE(BIT_RUNS_SHAPE, bit_runs::THREADS, bit_runs::Shared)
KERNEL(bit_runs::THREADS)
noisy_pads_bit_runs(const u16* maps, const GroupWords* groups, PadActivity* activity, u32 group_count, u32 tile_rows,
                    u32 max_charges, u32 max_run, u32 saturation, LOCAL_MEMORY(bit_runs::Shared) shared) {
    bit_runs::find(THIS_ITEM, maps, groups, activity, group_count, tile_rows, {max_charges, max_run, saturation},
                   shared);
}
