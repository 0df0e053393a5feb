// Slice tracks in device memory, in the host's layout.
#pragma once
#include "portable.h"

// Index of no slice track.
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
