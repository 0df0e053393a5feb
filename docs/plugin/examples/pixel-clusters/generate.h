/* Generated inputs: with parameters, hard ones, and smaller ones. */
#ifndef PIXEL_CLUSTERS_GENERATE_H
#define PIXEL_CLUSTERS_GENERATE_H

#include "pixels.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace {

enum Axis { ROWS, COLUMNS, OCCUPANCY, PATTERN };
enum Pattern { CLUSTERS, NOISE };
const char *const PATTERNS[] = {"clusters", "noise"};

/* splitmix64: the same numbers from the same seed on every machine. */
struct Random {
    std::uint64_t state;

    std::uint64_t next() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    std::uint32_t below(std::uint32_t bound) { return (next() >> 32) * bound >> 32; }
};

/* Cells that are set, as a matrix. */
struct Bitmap {
    Matrix matrix;
    std::vector<bool> cells;

    explicit Bitmap(Matrix matrix)
        : matrix(matrix), cells(std::size_t{matrix.rows} * matrix.columns) {}

    std::size_t index(std::uint32_t row, std::uint32_t column) const {
        return std::size_t{row} * matrix.columns + column;
    }

    /* Sets a cell; returns false if it was set before. */
    bool set(std::uint32_t row, std::uint32_t column) {
        const std::size_t i = index(row, column);
        const bool is_new = !cells[i];
        cells[i] = true;
        return is_new;
    }

    template <typename IsSet> void set_where(IsSet is_set) {
        for (std::uint32_t row = 0; row < matrix.rows; row++)
            for (std::uint32_t column = 0; column < matrix.columns; column++)
                if (is_set(row, column)) set(row, column);
    }

    Pixels *pixels() const {
        Pixels pixels{matrix, {}};
        for (std::uint32_t row = 0; row < matrix.rows; row++)
            for (std::uint32_t column = 0; column < matrix.columns; column++)
                if (cells[index(row, column)]) pixels.cells.push_back(cell_at(row, column));
        return new Pixels(std::move(pixels));
    }
};

/* Sets cells until there are `count`: single ones, or random walks as particles leave them. */
void fill(Bitmap &bitmap, std::uint64_t count, Pattern pattern, std::uint64_t seed) {
    Random random{seed};
    const Matrix matrix = bitmap.matrix;
    for (std::uint64_t set = 0; set < count;) {
        std::uint32_t row = random.below(matrix.rows), column = random.below(matrix.columns);
        const std::uint32_t steps = pattern == NOISE ? 1 : 1 + random.below(7);
        for (std::uint32_t step = 0; step < steps && set < count; step++) {
            set += bitmap.set(row, column);
            row = std::min(row + random.below(2), matrix.rows - 1);
            column = std::min(column + random.below(2), matrix.columns - 1);
        }
    }
}

std::int32_t plan(const recobench_task *, const recobench_host *host,
                  const recobench_params *params, recobench_plan *plan) {
    const std::int64_t rows = params->integers[ROWS], columns = params->integers[COLUMNS];
    const double occupancy = params->numbers[OCCUPANCY];
    if (rows < 1 || rows > 65536 || columns < 1 || columns > 65536)
        return failed(host, "use 1 to 65536 rows and columns");
    /* NaN is neither. */
    if (!(occupancy >= 0 && occupancy <= 0.5)) return failed(host, "use an occupancy of 0 to 0.5");
    const auto cells = static_cast<std::uint64_t>(std::ceil(rows * columns * occupancy));
    plan->input_bytes = cells * sizeof(Cell) + rows * columns / 8;
    plan->output_bytes = cells * sizeof(Label);
    return RECOBENCH_OK;
}

std::int32_t generate(const recobench_task *, const recobench_host *host,
                      const recobench_params *params, std::uint64_t seed, void **input) {
    return guarded(host, [&] {
        Bitmap bitmap({static_cast<std::uint32_t>(params->integers[ROWS]),
                       static_cast<std::uint32_t>(params->integers[COLUMNS])});
        const double cells = bitmap.cells.size() * params->numbers[OCCUPANCY];
        fill(bitmap, static_cast<std::uint64_t>(cells),
             static_cast<Pattern>(params->integers[PATTERN]), seed);
        *input = bitmap.pixels();
        return RECOBENCH_OK;
    });
}

const char *const HARD_INPUTS[] = {"no cells",      "one cell",        "all cells",
                                   "checkerboard",  "rows that end",   "diagonals",
                                   "teeth of a comb", "rings in rings", "random cells"};

std::int32_t hard_input(const recobench_task *, const recobench_host *host, std::uint64_t index,
                        std::uint64_t seed, void **input) {
    return guarded(host, [&] {
        constexpr std::uint32_t SIDE = 32;
        Bitmap bitmap({SIDE, SIDE});
        switch (index) {
        case 0: break;
        case 1: bitmap.set(SIDE - 1, SIDE - 1); break;
        case 2: bitmap.set_where([](auto, auto) { return true; }); break;
        case 3: bitmap.set_where([](auto row, auto column) { return (row + column) % 2 == 0; }); break;
        /* The last column and the first one of the next row do not touch. */
        case 4:
            bitmap.set_where([](auto row, auto column) {
                return (column == 0 && row % 4 == 1) || (column == SIDE - 1 && row % 4 == 0);
            });
            break;
        case 5: bitmap.set_where([](auto row, auto column) { return (row + column) % 3 == 0; }); break;
        /* Columns that only the last row joins. */
        case 6:
            bitmap.set_where([](auto row, auto column) { return column % 2 == 0 || row == SIDE - 1; });
            break;
        case 7:
            bitmap.set_where([](auto row, auto column) {
                return std::min({row, column, SIDE - 1 - row, SIDE - 1 - column}) % 2 == 0;
            });
            break;
        default: fill(bitmap, SIDE * SIDE * 2 / 5, NOISE, seed);
        }
        *input = bitmap.pixels();
        return RECOBENCH_OK;
    });
}

/* Removes a half, then a quarter, and so on down to a cell. */
std::int32_t shrink(const recobench_task *, const recobench_host *host, const void *input,
                    std::uint64_t index, void **smaller) {
    const auto &pixels = *static_cast<const Pixels *>(input);
    const std::uint64_t cells = pixels.cells.size();
    std::uint64_t parts = 2;
    for (; index >= parts; parts *= 2) index -= parts;
    if (parts > 2 * cells) return RECOBENCH_UNAVAILABLE;
    return guarded(host, [&] {
        auto *rest = new Pixels(pixels);
        const auto begin = rest->cells.begin();
        rest->cells.erase(begin + index * cells / parts, begin + (index + 1) * cells / parts);
        *smaller = rest;
        return RECOBENCH_OK;
    });
}

} // namespace

#endif
