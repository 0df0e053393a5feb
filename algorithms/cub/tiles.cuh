// Streams through digis: each block has a tile, each thread reads 16 bytes at a time,
// four times, before it writes.
#pragma once
#include <cstdint>

#include <cuda_runtime.h>

#include "digis.cuh"

constexpr int TILE_THREADS = 256;
constexpr int VECTORS_PER_THREAD = 4;
constexpr int64_t TILE_DIGIS = 2 * TILE_THREADS * VECTORS_PER_THREAD;

inline unsigned tiles(int64_t digis) { return (unsigned)((digis + TILE_DIGIS - 1) / TILE_DIGIS); }

// Replaces digis[i] by convert(i, digis[i]). The array is aligned to 16 bytes. `convert`
// is a copy for each thread; indices of a thread ascend.
template <typename Convert>
__device__ __forceinline__ void convert_tile(u64 *digis, int64_t length, Convert convert) {
    const int64_t first = blockIdx.x * TILE_DIGIS + 2 * threadIdx.x;
    ulonglong2 *vectors = reinterpret_cast<ulonglong2 *>(digis);
    ulonglong2 read[VECTORS_PER_THREAD];
#pragma unroll
    for (int v = 0; v < VECTORS_PER_THREAD; v++) {
        const int64_t at = first + 2 * v * TILE_THREADS;
        if (at + 1 < length) read[v] = vectors[at / 2];
    }
#pragma unroll
    for (int v = 0; v < VECTORS_PER_THREAD; v++) {
        const int64_t at = first + 2 * v * TILE_THREADS;
        if (at + 1 < length) {
            const u64 low = convert(at, read[v].x);
            vectors[at / 2] = make_ulonglong2(low, convert(at + 1, read[v].y));
        } else if (at < length) {
            digis[at] = convert(at, digis[at]);
        }
    }
}

template <typename Convert>
__global__ void __launch_bounds__(TILE_THREADS) convert_all(u64 *digis, int64_t length, Convert convert) {
    convert_tile(digis, length, convert);
}

template <typename Convert>
cudaError_t start_convert(u64 *digis, int64_t length, Convert convert, cudaStream_t stream) {
    convert_all<<<tiles(length), TILE_THREADS, 0, stream>>>(digis, length, convert);
    return cudaGetLastError();
}
