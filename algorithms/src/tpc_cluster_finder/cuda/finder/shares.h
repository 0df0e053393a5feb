// Charges that several peaks claim.
#pragma once
#include "map.h"

// An equal part for each of `peaks` peaks, with its flags.
PORTABLE_INLINE u32 share_of(u32 charge, u32 peaks) {
    return charge / max(peaks, 1u) | (peaks > 1 ? DIVIDED : 0);
}
