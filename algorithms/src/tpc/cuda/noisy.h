// When a pad is noisy: see noisy.rs.
#pragma once
#include "portable.h"

// What kernels are given has names that NVRTC needs to know.
namespace tpc_chain {

struct Limits {
    u32 time_bins;  // that are looked at
    u32 least_charges, least_run;
    u32 saturation;  // the least charge that is no noise

    __device__ __forceinline__ bool are_passed_by(u32 charges, u32 longest_run, u32 largest) const {
        return (charges >= least_charges || longest_run >= least_run) && largest < saturation;
    }
};

}  // namespace tpc_chain

namespace {
using tpc_chain::Limits;
}
