/* Inputs in files. */
#ifndef PIXEL_CLUSTERS_FILES_H
#define PIXEL_CLUSTERS_FILES_H

#include "pixels.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace {

/* Files have a line "rows,columns", then a line "row,column" for each cell. */
std::int32_t read(const recobench_task *, const recobench_host *host, const char *path,
                  void **input) {
    std::FILE *file = std::fopen(path, "r");
    if (!file) return failed(host, "the file can't be opened");
    const std::int32_t answer = guarded(host, [&] {
        std::uint32_t row, column;
        Pixels pixels{};
        if (std::fscanf(file, "%" SCNu32 ",%" SCNu32, &row, &column) != 2)
            return failed(host, "line 1 is not \"rows,columns\"");
        pixels.matrix = {row, column};
        while (std::fscanf(file, "%" SCNu32 ",%" SCNu32, &row, &column) == 2) {
            if (row >= std::min(pixels.matrix.rows, 65536u) ||
                column >= std::min(pixels.matrix.columns, 65536u))
                return failed(host, "a cell is outside of the matrix");
            pixels.cells.push_back(cell_at(row, column));
        }
        if (!std::feof(file)) return failed(host, "a line is not \"row,column\"");
        std::sort(pixels.cells.begin(), pixels.cells.end());
        if (std::adjacent_find(pixels.cells.begin(), pixels.cells.end()) != pixels.cells.end())
            return failed(host, "a cell is there twice");
        *input = new Pixels(std::move(pixels));
        return static_cast<std::int32_t>(RECOBENCH_OK);
    });
    std::fclose(file);
    return answer;
}

std::int32_t write(const recobench_task *, const recobench_host *host, const void *input,
                   const char *path) {
    const auto &pixels = *static_cast<const Pixels *>(input);
    std::FILE *file = std::fopen(path, "w");
    if (!file) return failed(host, "the file can't be made");
    std::fprintf(file, "%" PRIu32 ",%" PRIu32 "\n", pixels.matrix.rows, pixels.matrix.columns);
    for (Cell cell : pixels.cells)
        std::fprintf(file, "%" PRIu32 ",%" PRIu32 "\n", row_of(cell), column_of(cell));
    return std::fclose(file) ? failed(host, "the file can't be written") : RECOBENCH_OK;
}

} // namespace

#endif
