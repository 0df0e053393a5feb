// Tracks of an event in device memory.
#pragma once
#include "event.h"
// nvcc: -fmad=false

namespace velo {

constexpr u32 MAX_HITS = 26;
constexpr u32 INDEX_BITS = 27;
constexpr u32 INDEX_MASK = (1u << INDEX_BITS) - 1;

// Cuts on the hits that a line may be continued with: half width of the window of angles, in units of pi / 32768, and
// the limit of the scatter in mm^2.
struct SearchCuts {
    i32 phi_tolerance;
    float max_scatter;
};

// First angle of the window around an angle.
__device__ __forceinline__ i16 first_phi(const SearchCuts& cuts, i32 expected) { return (i16)(expected - cuts.phi_tolerance); }

// Number of tracks of an event, of accepted ones of three hits, and of their hits together; not 0 if there
// is too little memory for them.
struct TrackCounts {
    u32 tracks, three_hit, hits, overflow;
};

}  // namespace velo
