// Transposes matrices: a block of TILE x TILE threads moves a tile through shared memory, so that
// neighbouring threads read and write neighbouring words. The z index of a block is its matrix.
#include "portable.h"

namespace {
constexpr u32 TILE = 16;
}

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    transpose_matrices(const u32* matrices, u32* transposed, u32 columns, u32 rows) {
    // One more column: threads of a warp then use different banks.
    __shared__ u32 tile[TILE][TILE + 1];
    const u32 matrix = blockIdx.z * columns * rows;
    const u32 column = blockIdx.x * TILE, row = blockIdx.y * TILE;
    if (column + threadIdx.x < columns && row + threadIdx.y < rows)
        tile[threadIdx.y][threadIdx.x] =
            matrices[matrix + (row + threadIdx.y) * columns + column + threadIdx.x];
    __syncthreads();
    if (row + threadIdx.x < rows && column + threadIdx.y < columns)
        transposed[matrix + (column + threadIdx.y) * rows + row + threadIdx.x] =
            tile[threadIdx.x][threadIdx.y];
}
KERNEL_EXPORT(transpose_matrices)
