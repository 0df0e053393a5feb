// Products of the stages before that native kernels have, a plugin does not: entries in order of time, the
// largest time errors, and sensors in single precision.
#pragma once
#include "pairs.h"

namespace hits {

constexpr u32 PREPARE_THREADS = 256;

// Index of a work-item among all of the launch.
DEVICE u32 index_of(Item item) { return group_of(item) * PREPARE_THREADS + thread_of(item); }

// Writes the entries of a side, whose clusters are in order of time, and its largest time error. A
// work-group for each side.
DEVICE void make_entries(Item item, const Cluster* clusters, u32 count, Entry* entries, Found& found) {
    float latest = 0;
    for (u32 i = thread_of(item); i < count; i += PREPARE_THREADS) {
        entries[i] = {clusters[i].time, i};
        latest = max_of(latest, clusters[i].time_error);
    }
    latest = sycl::reduce_over_group(item.get_group(), latest, sycl::maximum<float>());
    if (thread_of(item) == 0) found = {count, latest};
}

// One side of a module, as the interface has it.
struct SideOfModule {
    double stereo, lorentz, tangent, cosine;
    float tangent_single, cosine_single;

    DEVICE Edge edge() const { return {tangent_single, cosine_single, float(lorentz)}; }
};

// A module, as the interface has it.
struct Module {
    double height, pitch;
    SideOfModule front, back;
    double rotation[9], translation[3];
    u64 address;
};

// Angles below it, in degrees, are none.
constexpr double VERTICAL = 0.001;
// Sides whose angles differ by less than this, in degrees, do not cross.
constexpr double PARALLEL_ANGLES = 0.5;

DEVICE Strips strips_of(const Module& module) {
    if (sycl::fabs(module.front.stereo - module.back.stereo) < PARALLEL_ANGLES) return PARALLEL;
    if (sycl::fabs(module.front.stereo) < VERTICAL) return FRONT_VERTICAL;
    return sycl::fabs(module.back.stereo) < VERTICAL ? BACK_VERTICAL : BOTH_TILTED;
}

DEVICE Sensor sensor_of(const Module& module) {
    Sensor sensor;
    sensor.strips = strips_of(module);
    sensor.pitch = float(module.pitch);
    sensor.width = float(CHANNELS_OF_SIDE) * sensor.pitch;
    sensor.height = float(module.height);
    sensor.front = module.front.edge();
    sensor.back = module.back.edge();
    for (u32 i = 0; i < 9; i++) sensor.rotation[i] = float(module.rotation[i]);
    for (u32 i = 0; i < 3; i++) sensor.translation[i] = float(module.translation[i]);
    sensor.address = u32(module.address);
    return sensor;
}

}  // namespace hits
