/* An input: the cells of a matrix that have charge. */
#ifndef PIXEL_CLUSTERS_PIXELS_H
#define PIXEL_CLUSTERS_PIXELS_H

#include "../../recobench.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif

namespace {

using Cell = std::uint32_t;
using Label = std::uint32_t;

BOTH constexpr Cell cell_at(std::uint32_t row, std::uint32_t column) { return row << 16 | column; }
BOTH constexpr std::uint32_t row_of(Cell cell) { return cell >> 16; }
BOTH constexpr std::uint32_t column_of(Cell cell) { return cell & 0xffff; }

/* What variants see of an input besides its arrays. */
struct Matrix {
    std::uint32_t rows, columns;
};

/* An input: the handle that bench keeps. */
struct Pixels {
    Matrix matrix;
    std::vector<Cell> cells;
};

/* Nothing may be thrown across the interface. */
template <typename Work> std::int32_t guarded(const recobench_host *host, Work work) {
    try {
        return work();
    } catch (const std::bad_alloc &) {
        host->explain(host, "not enough memory");
    } catch (...) {
        host->explain(host, "unexpected exception");
    }
    return RECOBENCH_FAILED;
}

std::int32_t failed(const recobench_host *host, const char *reason) {
    host->explain(host, reason);
    return RECOBENCH_FAILED;
}

} // namespace

#endif
