/* LHCb's vertex locator in C, from raw banks to tracks, by the parts of velo-cluster.c,
 * velo-decode.c, velo-sort.c and velo-tracks.c: an event a thread.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libvelo.so velo.c
 *   bench velo --plugin ./libvelo.so
 */
#include "velo/clusters.h"
#include "velo/decode.h"
#include "velo/tracks.h"

typedef struct {
    const recobench_velo_banks *input;
    uint8_t *memory; /* of each worker: for hits, then for tracks */
    TrackLists lists;
} Work;

static uint64_t bytes_of_worker(const recobench_velo_banks *input) {
    return unsorted_bytes(input->max_slots) + search_bytes(input->max_slots);
}

static void reconstruct(void *shared, uint64_t event, uint32_t worker) {
    Work *work = shared;
    const recobench_velo_banks *input = work->input;
    uint64_t max_slots = input->max_slots;
    uint8_t *memory = work->memory + worker * bytes_of_worker(input);
    Unsorted unsorted = unsorted_in(memory, max_slots);
    recobench_velo_pair *pairs = input->pairs + event * PAIRS;
    Banks banks = banks_of(input, event);
    if (banks.event.kind == RECOBENCH_SUPER_PIXELS) find_clusters(banks, &unsorted.hits, pairs);
    else decode_event(banks, &unsorted.hits, pairs);
    Search search = {
        .pairs = pairs,
        .hits = hits_from(input->hits, input->event_slots[event]),
        .module_z = input->module_z,
        .phi_tolerance = input->phi_tolerance,
        .max_scatter = input->max_scatter,
    };
    sort_event(&unsorted, &search.hits, pairs);
    find_tracks(&search, memory + unsorted_bytes(max_slots), max_slots);
    write_tracks(&work->lists, &search, event);
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant;
    return keep_scratch(state, host->workers * bytes_of_worker(input));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_velo_banks *banks = input;
    Work work = {banks, host->scratch, {.tracks = &banks->tracks, .hits = &banks->track_hits}};
    for_each_piece(host, banks->events, reconstruct, &work);
    return answer_of(&work.lists, host);
}

static const recobench_variant CHAIN = {
    .size = sizeof(recobench_variant),
    .task = "velo",
    .name = "example-chain",
    .summary = "all stages, an event a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("velo example", &CHAIN)
