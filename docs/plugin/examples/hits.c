/* Hits of the STS in C: counted, then found again and written where they belong.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libhits.so hits.c -lm
 *   bench hits --plugin ./libhits.so
 *
 * A module is the work of a thread. Clusters of the back that may belong to one of the front are
 * found by binary search, as they are in order of time.
 */
#include "sts/hits.h"

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_sts *sts = input;
    return find_all_hits(host, sts, &sts->input, &sts->output);
}

static const recobench_variant SEARCH = {
    .size = sizeof(recobench_variant),
    .task = "hits",
    .name = "example-search",
    .summary = "by binary search, counted before they are found, a module a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .semantics = RECOBENCH_EXACT | RECOBENCH_PUBLISHED,
    .run = run,
};

EXPORT_PLUGIN("hits example", &SEARCH)
