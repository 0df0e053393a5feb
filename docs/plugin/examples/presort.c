/* Digis of the STS by module side, in C: counted, then moved, by all threads.
 *
 *   cc -O3 -shared -fPIC -o libpresort.so presort.c
 *   bench presort --plugin ./libpresort.so
 */
#include "sts/presort.h"

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant;
    return keep_scratch(state, presort_bytes(input, host->workers));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_sts *sts = input;
    const recobench_lists *sides = &sts->output;
    presort(host, sts, host->scratch, sides->items, sides->begins, sides->counts);
    return RECOBENCH_OK;
}

static const recobench_variant COUNT_AND_MOVE = {
    .size = sizeof(recobench_variant),
    .task = "presort",
    .name = "example-count",
    .summary = "count and move by a table of all addresses, by all threads, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .stable = 1,
    .semantics = RECOBENCH_EXACT | RECOBENCH_PUBLISHED,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("presort example", &COUNT_AND_MOVE)
