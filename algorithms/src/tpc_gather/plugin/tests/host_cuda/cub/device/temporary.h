/* Temporary storage as functions of CUB ask for it. */
#pragma once
#include <cstdint>

#include <cuda_runtime.h>

namespace cub {

inline cudaError_t tell(size_t &bytes, size_t needed) {
    bytes = needed;
    return cudaSuccess;
}

/* Writes all of it: whatever lies there is lost. */
inline bool use(void *temporary, size_t bytes, size_t needed) {
    if (bytes < needed) return false;
    memset(temporary, 0x5a, needed);
    return true;
}

} // namespace cub
