/* Finding the clusters of super-pixels of LHCb's vertex locator in C: pixels as bits of columns, an
 * event a thread.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libvelocluster.so velo-cluster.c
 *   bench velo-cluster --plugin ./libvelocluster.so
 */
#include "velo/clusters.h"

static void find_event(void *shared, uint64_t event, uint32_t worker) {
    (void)worker;
    const recobench_velo_banks *input = shared;
    recobench_velo_hits hits = hits_from(input->hits, input->event_slots[event]);
    find_clusters(banks_of(input, event), &hits, input->pairs + event * PAIRS);
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_velo_banks *banks = input;
    for_each_piece(host, banks->events, find_event, (void *)banks);
    return RECOBENCH_OK;
}

static const recobench_variant COLUMNS = {
    .size = sizeof(recobench_variant),
    .task = "velo-cluster",
    .name = "example-columns",
    .summary = "pixels as bits of columns, an event a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .run = run,
};

EXPORT_PLUGIN("velo-cluster example", &COLUMNS)
