/* Hits of the STS in one array, in C: in the order of the input, or each module in order of time;
 * those of the online reconstruction, and the larger ones of the offline one.
 *
 *   cc -O3 -shared -fPIC -o libcollect.so collect.c
 *   bench collect --plugin ./libcollect.so
 */
#include "plugin.h"

#include <string.h>

static void copy_module(void *shared, uint64_t module, uint32_t worker) {
    (void)worker;
    const recobench_sts *sts = shared;
    uint64_t bytes = sts->semantics == RECOBENCH_OFFLINE ? sizeof(recobench_offline_hit)
                                                         : sizeof(recobench_hit);
    memcpy((uint8_t *)sts->output.items + sts->output.begins[module] * bytes,
           (const uint8_t *)sts->input.items + sts->input.begins[module] * bytes,
           sts->input.counts[module] * bytes);
}

/* Insertion sort: hits are nearly in order of time already. */
static void copy_by_time(void *shared, uint64_t module, uint32_t worker) {
    copy_module(shared, module, worker);
    const recobench_sts *sts = shared;
    recobench_hit *hits = (recobench_hit *)sts->output.items + sts->output.begins[module];
    for (uint64_t i = 1; i < sts->output.counts[module]; i++) {
        recobench_hit hit = hits[i];
        uint64_t index = i;
        for (; index > 0 && hits[index - 1].time > hit.time; index--)
            hits[index] = hits[index - 1];
        hits[index] = hit;
    }
}

static void find_offsets(const recobench_sts *sts) {
    uint64_t begin = 0;
    for (uint64_t module = 0; module < sts->input.lists; module++) {
        sts->output.begins[module] = begin;
        sts->output.counts[module] = sts->input.counts[module];
        begin += sts->input.counts[module];
    }
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    recobench_sts sts = *(const recobench_sts *)input;
    find_offsets(&sts);
    for_each_piece(host, sts.input.lists,
                   sts.order == RECOBENCH_BY_TIME ? copy_by_time : copy_module, &sts);
    return RECOBENCH_OK;
}

#define COLLECT(variant, called, does, right, by) \
    static const recobench_variant variant = {    \
        .size = sizeof(recobench_variant),        \
        .task = "collect",                        \
        .name = called,                           \
        .summary = does,                          \
        .backend = RECOBENCH_CPU,                 \
        .buffers = RECOBENCH_SEPARATE,            \
        .semantics = right,                       \
        .order = by,                              \
        .run = run,                               \
    };

#define ONLINE (RECOBENCH_EXACT | RECOBENCH_PUBLISHED)

COLLECT(COPY, "example-copy", "a copy a module, in C", ONLINE, RECOBENCH_USUAL_ORDER)
COLLECT(BY_TIME, "example-by-time", "the same, then insertion sort, in C", ONLINE,
        RECOBENCH_BY_TIME)
COLLECT(OBJECTS, "example-objects", "a copy a module, of objects of 96 bytes, in C",
        RECOBENCH_OFFLINE, RECOBENCH_USUAL_ORDER)

EXPORT_PLUGIN("collect example", &COPY, &BY_TIME, &OBJECTS)
