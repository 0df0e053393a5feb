// Slice tracks in device memory, as the host has them.
#pragma once
#include "portable.h"

// No slice track.
constexpr u32 NONE = 0xffffffffu;

struct SliceTrack {
    float q_over_pt;  // c/GeV
    float zt_min, zt_max;
    u32 n_clusters;
};

// Relations of a slice track; neighbours on the lower and on the upper side.
struct Relations {
    u32 segment_prev, segment_next;
    u32 neighbours[2];
};
