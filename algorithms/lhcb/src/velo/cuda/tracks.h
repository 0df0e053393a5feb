// Tracks of an event in device memory.
#pragma once
#include "event.h"
// nvcc: -fmad=false

namespace velo {

constexpr u32 MAX_HITS = 26;
constexpr u32 INDEX_BITS = 27;
constexpr u32 INDEX_MASK = (1u << INDEX_BITS) - 1;

// Number of tracks of an event, of accepted ones of three hits, and of their hits together; not 0 if there
// is too little memory for them.
struct TrackCounts {
    u32 tracks, three_hit, hits, overflow;
};

}  // namespace velo
