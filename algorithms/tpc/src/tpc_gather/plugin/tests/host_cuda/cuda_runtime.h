/* The part of CUDA that the variants of NVIDIA's libraries use, with the host acting as a GPU: to
 * run their code without either. */
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>

#define __host__
#define __device__
#define CUDART_VERSION 13000

typedef void *cudaStream_t;

enum cudaError_t {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorInsufficientDriver,
    cudaErrorNoKernelImageForDevice
};

inline const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorInvalidValue ? "invalid value" : "another error";
}

inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }

template <typename T> cudaError_t cudaMalloc(T **made, size_t bytes) {
    *made = static_cast<T *>(malloc(bytes));
    return *made ? cudaSuccess : cudaErrorMemoryAllocation;
}

inline cudaError_t cudaFree(void *memory) {
    free(memory);
    return cudaSuccess;
}

enum cudaMemcpyKind { cudaMemcpyHostToDevice };

inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
    memcpy(to, from, bytes);
    return cudaSuccess;
}

enum cudaMemcpySrcAccessOrder { cudaMemcpySrcAccessOrderInvalid, cudaMemcpySrcAccessOrderStream };

struct cudaMemcpyAttributes {
    cudaMemcpySrcAccessOrder srcAccessOrder;
};

/* Like the driver, it rejects empty copies and empty batches. */
inline cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                        cudaMemcpyAttributes attributes, cudaStream_t) {
    if (count == 0 || attributes.srcAccessOrder != cudaMemcpySrcAccessOrderStream) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == 0) return cudaErrorInvalidValue;
        memcpy(to[i], from[i], bytes[i]);
    }
    return cudaSuccess;
}
