#include "hits/prepare.h"

using namespace hits;

static_assert(HITS_SENSORS_SHAPE.threads == PREPARE_THREADS && HITS_SENSORS_SHAPE.local_bytes == 0, "see launch.h");

// Sensors of the modules of all timeslices, which have the same `modules`.
KERNEL(PREPARE_THREADS)
hits_sensors(const Module* described, Sensor* sensors, u32 modules, u32 count) {
    const u32 index = index_of(THIS_ITEM);
    if (index < count) sensors[index] = sensor_of(described[index % modules]);
}
