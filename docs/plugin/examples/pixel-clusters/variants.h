/* Variants for the CPU. */
#ifndef PIXEL_CLUSTERS_VARIANTS_H
#define PIXEL_CLUSTERS_VARIANTS_H

#include "pixels.h"

#include <algorithm>

namespace {

/* Arrays of an input and of its output. */
struct Job {
    const Cell *cells;
    Label *labels;
    std::size_t count;

    explicit Job(const void *input) {
        const auto &task = *static_cast<const recobench_task_input *>(input);
        cells = static_cast<const Cell *>(task.arrays[0]);
        labels = static_cast<Label *>(task.outputs.arrays[0]);
        count = task.elements[0];
    }
};

/* Disjoint sets: each cell has a cell of its set that is not behind it, the first one itself. */
Label first_of(const Label *parents, Label cell) {
    while (parents[cell] != cell) cell = parents[cell];
    return cell;
}

void join(Label *parents, Label a, Label b) {
    a = first_of(parents, a);
    b = first_of(parents, b);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}

/* Joins cells with their neighbours before them, row by row: `above` follows in the row before. */
void join_rows(const Cell *cells, Label *parents, std::size_t begin, std::size_t end) {
    std::size_t above = begin;
    for (std::size_t i = begin; i < end; i++) {
        const std::uint32_t row = row_of(cells[i]), column = column_of(cells[i]);
        parents[i] = static_cast<Label>(i);
        if (i > begin && column > 0 && cells[i - 1] == cells[i] - 1)
            join(parents, static_cast<Label>(i - 1), static_cast<Label>(i));
        if (row == 0) continue;
        const Cell from = cell_at(row - 1, column ? column - 1 : 0);
        const Cell to = cell_at(row - 1, std::min(column + 1, 0xffffu));
        while (cells[above] < from) above++;
        for (std::size_t k = above; cells[k] <= to; k++)
            join(parents, static_cast<Label>(k), static_cast<Label>(i));
    }
}

std::int32_t run_scan_lines(void *, const recobench_host *, const void *input) {
    const Job job(input);
    join_rows(job.cells, job.labels, 0, job.count);
    /* Cells before this one have their final label. */
    for (std::size_t i = 0; i < job.count; i++) job.labels[i] = job.labels[job.labels[i]];
    return RECOBENCH_OK;
}

/* Bands of rows, one for each worker. */
struct Bands {
    Job job;
    Label *parents; /* in scratch memory */
    std::uint32_t workers;

    /* First cell of a band: the first one of its row. */
    std::size_t begin(std::uint32_t band) const {
        const std::size_t middle = job.count * band / workers;
        if (middle == 0 || middle == job.count) return middle;
        const Cell row_start = cell_at(row_of(job.cells[middle]), 0);
        return std::lower_bound(job.cells, job.cells + job.count, row_start) - job.cells;
    }

    /* Joins the first row of a band with the row before it. */
    void join_seam(std::uint32_t band) const {
        const std::size_t seam = begin(band);
        if (seam == 0 || seam == job.count || row_of(job.cells[seam]) == 0) return;
        const std::uint32_t row = row_of(job.cells[seam]);
        const Cell *above = std::lower_bound(job.cells, job.cells + seam, cell_at(row - 1, 0));
        for (std::size_t i = seam; i < job.count && row_of(job.cells[i]) == row; i++)
            for (const Cell *cell = above; cell < job.cells + seam; cell++) {
                const std::int64_t distance =
                    std::int64_t{column_of(*cell)} - column_of(job.cells[i]);
                if (distance < -1)
                    above = cell;
                else if (distance > 1)
                    break;
                else
                    join(parents, static_cast<Label>(cell - job.cells), static_cast<Label>(i));
            }
    }
};

std::int32_t memory_row_bands(void *state, const recobench_host *, recobench_memory *memory) {
    memory->scratch_bytes = *static_cast<std::uint64_t *>(state) * sizeof(Label);
    return RECOBENCH_OK;
}

std::int32_t prepare_row_bands(const recobench_variant *, const recobench_host *, const void *input,
                               void **state) {
    const auto &task = *static_cast<const recobench_task_input *>(input);
    *state = new (std::nothrow) std::uint64_t{task.elements[0]};
    return *state ? RECOBENCH_OK : RECOBENCH_FAILED;
}

void release_row_bands(void *state) { delete static_cast<std::uint64_t *>(state); }

std::int32_t run_row_bands(void *, const recobench_host *host, const void *input) {
    Bands bands{Job(input), static_cast<Label *>(host->scratch), host->workers};
    host->stage(host, "bands");
    host->parallel(
        host,
        [](void *argument, std::uint32_t worker, std::uint32_t) {
            const auto &bands = *static_cast<const Bands *>(argument);
            join_rows(bands.job.cells, bands.parents, bands.begin(worker), bands.begin(worker + 1));
        },
        &bands);
    host->stage(host, "seams");
    for (std::uint32_t band = 1; band < bands.workers; band++) bands.join_seam(band);
    host->stage(host, "labels");
    host->parallel(
        host,
        [](void *argument, std::uint32_t worker, std::uint32_t) {
            const auto &bands = *static_cast<const Bands *>(argument);
            const std::size_t end = bands.begin(worker + 1);
            for (std::size_t i = bands.begin(worker); i < end; i++)
                bands.job.labels[i] = first_of(bands.parents, static_cast<Label>(i));
        },
        &bands);
    return RECOBENCH_OK;
}

} // namespace

#endif
