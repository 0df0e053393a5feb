/* Clusters of the STS in C: neighbouring channels are gone through side by side.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libcluster.so cluster.c -lm
 *   bench cluster --plugin ./libcluster.so
 *
 * A side is the work of a thread. Its clusters go to where its digis are in the input: there are
 * no more of them, and what is free behind them may stay so.
 */
#include "sts/clusters.h"

/* Scratch memory: the follower of each digi, and the digis by channel if they come by time. */
typedef struct {
    const recobench_sts *input;
    uint64_t *sorted, *other;
    uint32_t *followers;
    uint8_t *is_first;
} Run;

static int is_by_time(const recobench_sts *input) { return input->order == RECOBENCH_BY_TIME; }

static uint64_t scratch_bytes(const recobench_sts *input) {
    uint64_t to_sort = is_by_time(input) ? 2 * sizeof(uint64_t) : 0;
    return input->input.capacity * (to_sort + BYTES_FOR_DIGI);
}

static Run run_of(const recobench_host *host, const recobench_sts *input) {
    uint64_t digis = input->input.capacity;
    Run run = {.input = input, .sorted = host->scratch};
    run.other = run.sorted + digis;
    run.followers = (uint32_t *)(is_by_time(input) ? run.other + digis : run.sorted);
    run.is_first = (uint8_t *)(run.followers + digis);
    return run;
}

static void find_in_side(void *shared, uint64_t side, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    const recobench_lists *lists = &run->input->input, *clusters = &run->input->output;
    uint64_t begin = lists->begins[side], count = lists->counts[side];
    const uint64_t *digis = digis_of(lists, side);
    if (is_by_time(run->input)) {
        sort_by_channel(digis, run->sorted + begin, run->other + begin, count);
        digis = run->sorted + begin;
    }
    recobench_cluster *found = (recobench_cluster *)clusters->items + begin;
    clusters->begins[side] = begin;
    clusters->counts[side] = find_clusters(run->input, is_back(run->input, side), digis, count,
                                           run->followers + begin, run->is_first + begin, found);
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant, (void)host;
    return keep_scratch(state, scratch_bytes(input));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    Run shared = run_of(host, input);
    for_each_piece(host, shared.input->input.lists, find_in_side, &shared);
    return RECOBENCH_OK;
}

#define CLUSTER(variant, called, does, in_order)            \
    static const recobench_variant variant = {              \
        .size = sizeof(recobench_variant),                  \
        .task = "cluster",                                  \
        .name = called,                                     \
        .summary = does,                                    \
        .backend = RECOBENCH_CPU,                           \
        .buffers = RECOBENCH_SEPARATE,                      \
        .semantics = RECOBENCH_EXACT | RECOBENCH_PUBLISHED, \
        .order = in_order,                                  \
        .prepare = prepare,                                 \
        .memory = scratch_kept,                             \
        .run = run,                                         \
    };

CLUSTER(NEIGHBOURS, "example-neighbours",
        "neighbouring channels side by side, a side a thread, in C", RECOBENCH_USUAL_ORDER)
CLUSTER(BY_TIME, "example-by-time", "the same of digis by time, which are sorted first, in C",
        RECOBENCH_BY_TIME)

EXPORT_PLUGIN("cluster example", &NEIGHBOURS, &BY_TIME)
