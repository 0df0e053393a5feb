/* The right output, and a metric. */
#ifndef PIXEL_CLUSTERS_REFERENCE_H
#define PIXEL_CLUSTERS_REFERENCE_H

#include "pixels.h"

#include <algorithm>

namespace {

/* Flood fill, with a search for each neighbour. Cells are visited in order, so the first one of a
 * cluster has the smallest index. */
std::int32_t reference(const recobench_task *, const recobench_host *host, const void *input,
                       const recobench_outputs *right) {
    return guarded(host, [&] {
        const std::vector<Cell> &cells = static_cast<const Pixels *>(input)->cells;
        auto *labels = static_cast<Label *>(right->arrays[0]);
        std::vector<bool> is_labelled(cells.size());
        std::vector<std::size_t> open;
        for (std::size_t first = 0; first < cells.size(); first++) {
            if (is_labelled[first]) continue;
            is_labelled[first] = true;
            open.push_back(first);
            while (!open.empty()) {
                const std::size_t here = open.back();
                open.pop_back();
                labels[here] = static_cast<Label>(first);
                for (int step = 0; step < 9; step++) {
                    const std::int64_t row = std::int64_t{row_of(cells[here])} + step / 3 - 1;
                    const std::int64_t column = std::int64_t{column_of(cells[here])} + step % 3 - 1;
                    if (row < 0 || column < 0 || row > 0xffff || column > 0xffff) continue;
                    const Cell wanted = cell_at(row, column);
                    const auto found = std::lower_bound(cells.begin(), cells.end(), wanted);
                    if (found == cells.end() || *found != wanted) continue;
                    const std::size_t index = found - cells.begin();
                    if (is_labelled[index]) continue;
                    is_labelled[index] = true;
                    open.push_back(index);
                }
            }
        }
        return RECOBENCH_OK;
    });
}

std::int32_t measure(const recobench_task *, const recobench_host *, const void *,
                     const recobench_outputs *output, double *values) {
    const auto *labels = static_cast<const Label *>(output->arrays[0]);
    const std::uint64_t cells = output->lengths[0];
    std::uint64_t clusters = 0;
    for (std::uint64_t i = 0; i < cells; i++) clusters += labels[i] == i;
    values[0] = static_cast<double>(cells) / clusters;
    return RECOBENCH_OK;
}

} // namespace

#endif
