/* Digis of streams to module sides: each thread counts its share of the streams, and then moves
 * it to the offsets that follow from all counts. So the order of the streams is kept. */
#ifndef EXAMPLES_STS_PRESORT_H
#define EXAMPLES_STS_PRESORT_H

#include "digis.h"

#include <string.h>

/* In scratch memory: the module of each address, and a number for each thread and side. */
typedef struct {
    const recobench_sts *input;
    uint64_t sides; /* of all timeslices */
    uint32_t *module_of;
    uint64_t *offsets;
    uint64_t *digis; /* where they go */
} Presort;

static inline uint64_t sides_of(const recobench_sts *input) {
    return 2 * input->modules * input->timeslices;
}

static inline uint64_t presort_bytes(const recobench_sts *input, uint32_t workers) {
    return ADDRESSES * sizeof(uint32_t) + workers * sides_of(input) * sizeof(uint64_t);
}

static inline uint64_t side_of(const Presort *presort, uint64_t timeslice, uint64_t digi) {
    uint64_t modules = presort->input->modules;
    uint64_t module = presort->module_of[address_of(digi)];
    return (2 * timeslice + (channel_of(digi) >= CHANNELS)) * modules + module;
}

/* A thread's share of a stream. */
static inline void share(uint64_t count, uint32_t worker, uint32_t workers, uint64_t *begin,
                         uint64_t *end) {
    *begin = count * worker / workers;
    *end = count * (worker + 1) / workers;
}

static void count_sides(void *argument, uint32_t worker, uint32_t workers) {
    const Presort *presort = argument;
    const recobench_lists *streams = &presort->input->input;
    uint64_t *counts = presort->offsets + worker * presort->sides, begin, end;
    memset(counts, 0, presort->sides * sizeof *counts);
    for (uint64_t timeslice = 0; timeslice < streams->lists; timeslice++) {
        const uint64_t *stream = digis_of(streams, timeslice);
        share(streams->counts[timeslice], worker, workers, &begin, &end);
        for (uint64_t i = begin; i < end; i++) counts[side_of(presort, timeslice, stream[i])]++;
    }
}

static void move_digis(void *argument, uint32_t worker, uint32_t workers) {
    const Presort *presort = argument;
    const recobench_lists *streams = &presort->input->input;
    uint64_t *offsets = presort->offsets + worker * presort->sides, begin, end;
    for (uint64_t timeslice = 0; timeslice < streams->lists; timeslice++) {
        const uint64_t *stream = digis_of(streams, timeslice);
        share(streams->counts[timeslice], worker, workers, &begin, &end);
        for (uint64_t i = begin; i < end; i++) {
            /* On a side, channels count from 0. */
            uint64_t on_side = stream[i] & ~((uint64_t)CHANNELS << 37);
            presort->digis[offsets[side_of(presort, timeslice, stream[i])]++] = on_side;
        }
    }
}

/* Counts become offsets: side after side, and in a side thread after thread. */
static inline void scan_counts(const Presort *presort, uint32_t workers, uint64_t *side_offsets,
                               uint64_t *counts) {
    uint64_t offset = 0;
    for (uint64_t side = 0; side < presort->sides; side++) {
        side_offsets[side] = offset;
        for (uint32_t worker = 0; worker < workers; worker++) {
            uint64_t *of_worker = &presort->offsets[worker * presort->sides + side];
            uint64_t count = *of_worker;
            *of_worker = offset;
            offset += count;
        }
        counts[side] = offset - side_offsets[side];
    }
}

/* Moves all digis, and writes the offset and the number of digis of each side. */
static inline void presort(const recobench_host *host, const recobench_sts *input, void *scratch,
                           uint64_t *digis, uint64_t *side_offsets, uint64_t *counts) {
    uint32_t *module_of = scratch;
    Presort shared = {.input = input, .sides = sides_of(input), .module_of = module_of,
                      .offsets = (uint64_t *)(module_of + ADDRESSES), .digis = digis};
    for (uint64_t module = 0; module < input->modules; module++)
        module_of[input->setup->module[module].address >> 4 & (ADDRESSES - 1)] = (uint32_t)module;
    host->parallel(host, count_sides, &shared);
    scan_counts(&shared, host->workers, side_offsets, counts);
    host->parallel(host, move_digis, &shared);
}

#endif
