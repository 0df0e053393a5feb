/* The variant for GPUs. */
#ifndef PIXEL_CLUSTERS_GPU_H
#define PIXEL_CLUSTERS_GPU_H

#include "variants.h"

namespace {

constexpr unsigned BLOCK = 256;

__global__ void label_by_index(Label *labels, std::size_t count) {
    const std::size_t i = std::size_t{blockIdx.x} * BLOCK + threadIdx.x;
    if (i < count) labels[i] = static_cast<Label>(i);
}

__device__ Label root_of(const volatile Label *labels, Label cell) {
    while (labels[cell] != cell) cell = labels[cell];
    return cell;
}

/* Joins two sets while other threads do the same: retries until both have one root. */
__device__ void join_on_gpu(Label *labels, Label a, Label b) {
    for (;;) {
        a = root_of(labels, a);
        b = root_of(labels, b);
        if (a == b) return;
        const Label low = min(a, b), high = max(a, b);
        if (atomicCAS(&labels[high], high, low) == high) return;
    }
}

/* A thread a cell joins it with its neighbours before it. */
__global__ void join_neighbours(const Cell *cells, Label *labels, std::size_t count) {
    const std::size_t i = std::size_t{blockIdx.x} * BLOCK + threadIdx.x;
    if (i >= count) return;
    const std::uint32_t row = row_of(cells[i]), column = column_of(cells[i]);
    if (i > 0 && column > 0 && cells[i - 1] == cells[i] - 1)
        join_on_gpu(labels, static_cast<Label>(i - 1), static_cast<Label>(i));
    if (row == 0) return;
    const Cell from = cell_at(row - 1, column ? column - 1 : 0);
    const Cell to = cell_at(row - 1, min(column + 1, 0xffffu));
    std::size_t begin = 0, end = i;
    while (begin < end) {
        const std::size_t middle = (begin + end) / 2;
        if (cells[middle] < from)
            begin = middle + 1;
        else
            end = middle;
    }
    for (; cells[begin] <= to; begin++)
        join_on_gpu(labels, static_cast<Label>(begin), static_cast<Label>(i));
}

__global__ void resolve_labels(Label *labels, std::size_t count) {
    const std::size_t i = std::size_t{blockIdx.x} * BLOCK + threadIdx.x;
    if (i < count) labels[i] = root_of(labels, static_cast<Label>(i));
}

std::int32_t run_on_gpu(void *, const recobench_host *host, const void *input) {
    const Job job(input);
    if (job.count == 0) return RECOBENCH_OK;
    const auto blocks = static_cast<unsigned>((job.count + BLOCK - 1) / BLOCK);
    const auto stream = static_cast<cudaStream_t>(host->stream);
    label_by_index<<<blocks, BLOCK, 0, stream>>>(job.labels, job.count);
    join_neighbours<<<blocks, BLOCK, 0, stream>>>(job.cells, job.labels, job.count);
    resolve_labels<<<blocks, BLOCK, 0, stream>>>(job.labels, job.count);
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? RECOBENCH_OK : failed(host, cudaGetErrorString(error));
}

} // namespace

#endif
