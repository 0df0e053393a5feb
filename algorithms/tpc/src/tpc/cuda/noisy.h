// Limits of noisy pads: see noisy.rs.
#pragma once
#include "portable.h"

// Named namespace because NVRTC has to name the types of kernel arguments.
namespace tpc_chain {

struct Limits {
    u32 time_bins;  // that are examined
    u32 min_charges, min_run;
    u32 saturation;  // the smallest charge that is not noise

    __device__ __forceinline__ bool are_passed_by(u32 charges, u32 longest_run, u32 largest) const {
        return (charges >= min_charges || longest_run >= min_run) && largest < saturation;
    }
};

}  // namespace tpc_chain

namespace {
using tpc_chain::Limits;
}
