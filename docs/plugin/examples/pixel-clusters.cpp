/* A task of one's own, in C++: connected components of pixel cells.
 *
 *   c++ -O3 -std=c++17 -shared -fPIC -o libpixels.so pixel-clusters.cpp
 *   bench pixel-clusters --plugin ./libpixels.so
 *
 * A pixel detector sends the cells of a matrix that have charge, sorted by row and column. Cells that
 * touch, also at a corner, are a cluster. Each cell is to get the index of the first cell of its
 * cluster.
 *
 *   input    cells   row << 16 | column, ascending
 *   output   labels  of each cell the smallest index of its cluster
 *
 * Compiled by nvcc (-x cu), the library has a variant for GPUs, too:
 *
 *   nvcc -x cu -O3 -arch=native -cudart static -shared -Xcompiler -fPIC -o libpixels.so \
 *       pixel-clusters.cpp
 */
#include "pixel-clusters/files.h"
#include "pixel-clusters/generate.h"
#include "pixel-clusters/reference.h"
#include "pixel-clusters/variants.h"
#ifdef __CUDACC__
#include "pixel-clusters/gpu.h"
#endif

namespace {

std::int32_t describe(const recobench_task *, const recobench_host *, const void *input,
                      recobench_description *description) {
    const auto &pixels = *static_cast<const Pixels *>(input);
    const std::uint64_t cells = pixels.cells.size();
    description->items = cells;
    description->bytes_min = cells * (sizeof(Cell) + sizeof(Label));
    description->shape = &pixels.matrix;
    description->shape_bytes = sizeof pixels.matrix;
    description->arrays[0] = pixels.cells.data();
    description->elements[0] = cells;
    description->capacities[0] = cells;
    return RECOBENCH_OK;
}

void release(const recobench_task *, void *input) { delete static_cast<Pixels *>(input); }

recobench_variant variant(const char *name, const char *summary) {
    recobench_variant variant{};
    variant.size = sizeof variant;
    variant.task = "pixel-clusters";
    variant.name = name;
    variant.summary = summary;
    variant.backend = RECOBENCH_CPU;
    variant.buffers = RECOBENCH_SEPARATE;
    return variant;
}

recobench_variant scan_lines() {
    recobench_variant it = variant("scan-lines", "union-find row by row, on one thread");
    it.run = run_scan_lines;
    return it;
}

recobench_variant row_bands() {
    recobench_variant it = variant("row-bands", "union-find in bands of rows, joined at their seams");
    it.prepare = prepare_row_bands;
    it.memory = memory_row_bands;
    it.run = run_row_bands;
    it.release = release_row_bands;
    return it;
}

recobench_axis axis(const char *name, std::uint32_t kind, const char *default_value,
                    const char *help) {
    recobench_axis axis{};
    axis.size = sizeof axis;
    axis.name = name;
    axis.help = help;
    axis.default_value = default_value;
    axis.kind = kind;
    return axis;
}

recobench_axis sized(recobench_axis axis, double small) {
    axis.small = small;
    return axis;
}

recobench_axis choice(recobench_axis axis) {
    axis.choices = PATTERNS;
    axis.choice_count = sizeof PATTERNS / sizeof *PATTERNS;
    return axis;
}

const recobench_axis ROWS_AXIS =
    sized(axis("rows", RECOBENCH_AXIS_COUNT, "1024", "Rows of the matrix"), 64);
const recobench_axis COLUMNS_AXIS =
    sized(axis("columns", RECOBENCH_AXIS_COUNT, "1024", "Columns of the matrix"), 64);
const recobench_axis OCCUPANCY_AXIS =
    axis("occupancy", RECOBENCH_AXIS_SHARE, "0.01", "Share of cells with charge, 0 to 0.5");
const recobench_axis PATTERN_AXIS = choice(
    axis("pattern", RECOBENCH_AXIS_CHOICE, "clusters", "Cells of particles, or single ones"));
/* In the order of `Axis`. */
const recobench_axis *const AXES[] = {&ROWS_AXIS, &COLUMNS_AXIS, &OCCUPANCY_AXIS, &PATTERN_AXIS};

const recobench_array CELLS = {sizeof CELLS, "cells", sizeof(Cell)};
const recobench_array *const ARRAYS[] = {&CELLS};
const recobench_array LABELS = {sizeof LABELS, "labels", sizeof(Label)};
const recobench_array *const OUTPUTS[] = {&LABELS};

const recobench_metric CELLS_PER_CLUSTER = {sizeof CELLS_PER_CLUSTER, "cells_per_cluster", "cells",
                                            "cells per cluster", "mean number of cells of a cluster",
                                            0};
const recobench_metric *const METRICS[] = {&CELLS_PER_CLUSTER};
const char *const FILE_ENDINGS[] = {"csv"};

template <typename T, std::size_t N> constexpr std::uint64_t count(T (&)[N]) { return N; }

recobench_task pixel_clusters() {
    recobench_task task{};
    task.size = sizeof task;
    task.name = "pixel-clusters";
    task.summary = "find connected pixel cells, by the index of their first cell";
    task.item_unit = "cell";
    task.axis_count = count(AXES);
    task.axes = AXES;
    task.array_count = count(ARRAYS);
    task.arrays = ARRAYS;
    task.output_count = count(OUTPUTS);
    task.outputs = OUTPUTS;
    task.metric_count = count(METRICS);
    task.metrics = METRICS;
    task.file_ending_count = count(FILE_ENDINGS);
    task.file_endings = FILE_ENDINGS;
    task.hard_input_count = count(HARD_INPUTS);
    task.hard_inputs = HARD_INPUTS;
    task.plan = plan;
    task.generate = generate;
    task.read = read;
    task.write = write;
    task.hard_input = hard_input;
    task.shrink = shrink;
    task.describe = describe;
    task.reference = reference;
    task.measure = measure;
    task.release = release;
    return task;
}

const recobench_task PIXEL_CLUSTERS = pixel_clusters();
const recobench_task *const TASKS[] = {&PIXEL_CLUSTERS};
const recobench_task_table TASK_TABLE = {sizeof TASK_TABLE, count(TASKS), TASKS};

const recobench_variant SCAN_LINES = scan_lines();
const recobench_variant ROW_BANDS = row_bands();
#ifdef __CUDACC__
recobench_variant on_gpu() {
    recobench_variant it = variant("atomic-union", "union-find by atomics, a thread a cell");
    it.backend = RECOBENCH_CUDA;
    it.run = run_on_gpu;
    return it;
}

const recobench_variant ATOMIC_UNION = on_gpu();
const recobench_variant *const VARIANTS[] = {&SCAN_LINES, &ROW_BANDS, &ATOMIC_UNION};
#else
const recobench_variant *const VARIANTS[] = {&SCAN_LINES, &ROW_BANDS};
#endif
const recobench_plugin_table TABLE = {sizeof TABLE, "pixel clusters", "1.0", count(VARIANTS),
                                      VARIANTS};

} // namespace

std::uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }

const recobench_task_table *recobench_plugin_tasks(void) { return &TASK_TABLE; }
