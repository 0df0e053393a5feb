#pragma once
#include "temporary.h"

namespace cub {

struct DeviceScan {
    template <typename From, typename To>
    static cudaError_t ExclusiveSum(void *temporary, size_t &bytes, From from, To *to, int64_t count, cudaStream_t) {
        if (!temporary) return report_size(bytes, (size_t)count + 3);
        if (!use(temporary, bytes, (size_t)count + 3)) return cudaErrorInvalidValue;
        To sum = 0;
        for (int64_t i = 0; i < count; i++) {
            to[i] = sum;
            sum += from[i];
        }
        return cudaSuccess;
    }
};

} // namespace cub
