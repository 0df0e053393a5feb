/* Gathering clusters in C: sums, then pieces are copied by all threads.
 *
 *   cc -O3 -shared -fPIC -o libgather.so gather.c
 *   bench gather --plugin ./libgather.so
 */
#include "plugin.h"

#include <string.h>

enum { TRACKS_IN_PIECE = 256 };

/* Offsets of the pieces of tracks and of rows in the output. */
typedef struct {
    const recobench_gather *gather;
    uint32_t *tracks, *rows;
} Run;

static uint64_t counts_at(const recobench_gather *gather, uint64_t array) {
    return gather->arrays[array].source_offset;
}

/* The sums of all counts before each piece, and of all. */
static void sum(const uint8_t *counts, uint32_t bytes, uint64_t pieces, uint32_t *offsets) {
    uint32_t offset = 0;
    for (uint64_t i = 0; i < pieces; i++) {
        uint32_t count = 0;
        memcpy(&count, counts + i * bytes, bytes);
        offsets[i] = offset;
        offset += count;
    }
    offsets[pieces] = offset;
}

/* Copies pieces from one to another one of an array. Of differences, the first entry of each
 * piece is left out. */
static void copy_pieces(const Run *run, const recobench_gather_array *array, uint64_t begin,
                        uint64_t end) {
    int of_rows = array->per == RECOBENCH_PER_UNATTACHED;
    uint64_t left_out = array->per == RECOBENCH_PER_DIFFERENCE;
    const uint32_t *offsets = of_rows ? run->rows : run->tracks;
    const uint32_t *starts = of_rows ? run->gather->row_starts : run->gather->track_starts;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t entries = offsets[i + 1] - offsets[i] - left_out;
        uint64_t from = starts[i] + left_out, to = offsets[i] - i * left_out;
        memcpy(run->gather->output + array->output_offset + to * array->entry_bytes,
               run->gather->source + array->source_offset + from * array->entry_bytes,
               entries * array->entry_bytes);
    }
}

/* Some tracks of all arrays, or some rows. */
static void copy_some(const Run *run, int of_rows, uint64_t begin, uint64_t end) {
    for (uint64_t i = 0; i < run->gather->array_count; i++) {
        const recobench_gather_array *array = &run->gather->arrays[i];
        int in_pieces = array->per != RECOBENCH_PER_ROW && array->per != RECOBENCH_PER_TRACK;
        if (in_pieces && (array->per == RECOBENCH_PER_UNATTACHED) == of_rows)
            copy_pieces(run, array, begin, end);
    }
}

static void copy_tracks(void *shared, uint64_t number, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    uint64_t begin = number * TRACKS_IN_PIECE, end = begin + TRACKS_IN_PIECE;
    copy_some(run, 0, begin, end < run->gather->tracks ? end : run->gather->tracks);
}

static void copy_row(void *shared, uint64_t number, uint32_t worker) {
    (void)worker;
    copy_some(shared, 1, number, number + 1);
}

/* Arrays that have no gaps. */
static void copy_whole(const recobench_gather *gather) {
    for (uint64_t i = 0; i < gather->array_count; i++) {
        const recobench_gather_array *array = &gather->arrays[i];
        if (array->per == RECOBENCH_PER_ROW || array->per == RECOBENCH_PER_TRACK)
            memcpy(gather->output + array->output_offset, gather->source + array->source_offset,
                   array->output_bytes);
    }
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant, (void)host;
    const recobench_gather *gather = input;
    return keep_scratch(state, (gather->tracks + gather->rows + 2) * sizeof(uint32_t));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_gather *gather = input;
    uint32_t *offsets = host->scratch;
    Run shared = {gather, offsets, offsets + gather->tracks + 1};
    host->stage(host, "places");
    sum(gather->source + counts_at(gather, gather->track_counts), 2, gather->tracks,
        shared.tracks);
    sum(gather->source + counts_at(gather, gather->row_counts), 4, gather->rows, shared.rows);
    host->stage(host, "copy");
    copy_whole(gather);
    for_each_piece(host, (gather->tracks + TRACKS_IN_PIECE - 1) / TRACKS_IN_PIECE, copy_tracks,
                   &shared);
    for_each_piece(host, gather->rows, copy_row, &shared);
    return RECOBENCH_OK;
}

static const recobench_variant PIECES = {
    .size = sizeof(recobench_variant),
    .task = "gather",
    .name = "example-pieces",
    .summary = "a memcpy a piece, by all threads, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .stable = 1,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("gather example", &PIECES)
