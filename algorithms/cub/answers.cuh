// Return codes of variants.
#pragma once
#include <cuda_runtime.h>

#include "recobench.h"

inline int32_t answer(const recobench_host *host, cudaError_t error) {
    if (error == cudaSuccess) return RECOBENCH_OK;
    host->explain(host, cudaGetErrorString(error));
    return RECOBENCH_FAILED;
}

inline int32_t unavailable(const recobench_host *host, const char *reason) {
    host->explain(host, reason);
    return RECOBENCH_UNAVAILABLE;
}

// True if nothing of this library can run: the driver is too old, or the GPU.
inline bool is_unsupported_gpu(cudaError_t error) {
    return error == cudaErrorNoKernelImageForDevice || error == cudaErrorInsufficientDriver;
}

constexpr size_t ALIGNMENT = 256;

inline size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }
