#pragma once
#include "temporary.h"

namespace cub {

struct DeviceMemcpy {
    template <typename From, typename To, typename Bytes>
    static cudaError_t Batched(void *temporary, size_t &bytes, From from, To to, Bytes lengths, int64_t count,
                               cudaStream_t) {
        if (!temporary) return report_size(bytes, 24 * (size_t)count + 7);
        if (!use(temporary, bytes, 24 * (size_t)count + 7)) return cudaErrorInvalidValue;
        for (int64_t i = 0; i < count; i++) memcpy(to[i], from[i], lengths[i]);
        return cudaSuccess;
    }
};

} // namespace cub
