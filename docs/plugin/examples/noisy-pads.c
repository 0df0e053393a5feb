/* Noisy pads of the TPC in C: the counters of the pads of a row stay in the nearest cache.
 *
 *   cc -O3 -shared -fPIC -o libnoisy-pads.so noisy-pads.c
 *   bench noisy-pads --plugin ./libnoisy-pads.so
 *
 * Charges lie in tiles of 8 pads and 4 time bins, and a row of pads begins with a tile of its
 * own. Each thread takes the next row of a sector that no thread has, and goes through its tiles in
 * order of time.
 */
#include "plugin.h"

#include <string.h>

enum {
    TILE_PADS = 8,
    TILE_TIMES = 4,
    TILE = TILE_PADS * TILE_TIMES,
    TILES_IN_LINE = 2889, /* side by side: all rows of pads */
    TILES_OF_ROW = 19,    /* from one row of pads to the next */
    MAX_ROWS = 256
};

/* Counters of a pad, and its current run. */
typedef struct {
    recobench_pad_activity activity;
    uint16_t run;
} Pad;

static void see(Pad *pad, uint16_t charge) {
    if (charge == 0) {
        pad->run = 0;
        return;
    }
    pad->activity.charges++;
    pad->run++;
    if (pad->run > pad->activity.longest_run) pad->activity.longest_run = pad->run;
    if (charge > pad->activity.largest) pad->activity.largest = charge;
}

static uint16_t is_noisy(const recobench_noisy_pads *input, const recobench_pad_activity *pad) {
    int busy = pad->charges > input->most_charges || pad->longest_run > input->most_run;
    return busy && pad->largest <= input->saturation;
}

static void find_row(const recobench_noisy_pads *input, const uint16_t *map, uint64_t row,
                     recobench_pad_activity *found) {
    uint32_t pads = input->pads_in_row[row];
    uint64_t tiles = (pads + TILE_PADS - 1) / TILE_PADS;
    uint64_t lines = input->map_entries / (TILES_IN_LINE * TILE);
    Pad state[TILES_OF_ROW * TILE_PADS];
    memset(state, 0, sizeof state);
    for (uint64_t line = 0; line < lines; line++) {
        /* A margin of one tile is in front of the first row. */
        const uint16_t *first = map + (line * TILES_IN_LINE + 1 + row * TILES_OF_ROW) * TILE;
        for (uint64_t tile = 0; tile < tiles; tile++)
            for (int time = 0; time < TILE_TIMES; time++)
                for (int pad = 0; pad < TILE_PADS; pad++)
                    see(&state[tile * TILE_PADS + pad],
                        first[tile * TILE + time * TILE_PADS + pad]);
    }
    for (uint32_t pad = 0; pad < pads; pad++) {
        found[pad] = state[pad].activity;
        found[pad].noisy = is_noisy(input, &found[pad]);
    }
}

/* State that the threads of a run share. */
typedef struct {
    const recobench_noisy_pads *input;
    uint64_t first_pad[MAX_ROWS];
} Run;

static void find_piece(void *shared, uint64_t number, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    const recobench_noisy_pads *input = run->input;
    uint64_t sector = number / input->rows, row = number % input->rows;
    find_row(input, input->charges + sector * input->map_entries, row,
             input->found + sector * input->pads + run->first_pad[row]);
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant, (void)state;
    if (((const recobench_noisy_pads *)input)->rows <= MAX_ROWS) return RECOBENCH_OK;
    host->explain(host, "there are more rows than the TPC has");
    return RECOBENCH_UNAVAILABLE;
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    Run shared = {.input = input};
    uint64_t pads = 0;
    for (uint64_t row = 0; row < shared.input->rows; row++) {
        shared.first_pad[row] = pads;
        pads += shared.input->pads_in_row[row];
    }
    for_each_piece(host, shared.input->sectors * shared.input->rows, find_piece, &shared);
    return RECOBENCH_OK;
}

static const recobench_variant ROW_BY_ROW = {
    .size = sizeof(recobench_variant),
    .task = "noisy-pads",
    .name = "example-rows",
    .summary = "row by row of a sector, tile by tile, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .stable = 1,
    .prepare = prepare,
    .run = run,
};

EXPORT_PLUGIN("noisy-pads example", &ROW_BY_ROW)
