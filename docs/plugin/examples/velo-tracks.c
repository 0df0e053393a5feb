/* Finding tracks in LHCb's vertex locator in C: the search by triplet, an event a thread.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libvelotracks.so velo-tracks.c
 *   bench velo-tracks --plugin ./libvelotracks.so
 */
#include "velo/tracks.h"

typedef struct {
    const recobench_velo *velo;
    uint8_t *memory; /* of each worker */
    TrackLists lists;
} Work;

static void find_event(void *shared, uint64_t event, uint32_t worker) {
    Work *work = shared;
    const recobench_velo *velo = work->velo;
    Search search = {
        .pairs = velo->pairs + event * PAIRS,
        .hits = hits_from(velo->hits, velo->event_slots[event]),
        .module_z = velo->module_z,
        .phi_tolerance = velo->phi_tolerance,
        .max_scatter = velo->max_scatter,
    };
    uint64_t bytes = search_bytes(velo->max_slots);
    find_tracks(&search, work->memory + worker * bytes, velo->max_slots);
    write_tracks(&work->lists, &search, event);
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant;
    const recobench_velo *velo = input;
    return keep_scratch(state, host->workers * search_bytes(velo->max_slots));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_velo *velo = input;
    Work work = {velo, host->scratch, {.tracks = &velo->tracks, .hits = &velo->track_hits}};
    for_each_piece(host, velo->events, find_event, &work);
    return answer_of(&work.lists, host);
}

static const recobench_variant WINDOWS = {
    .size = sizeof(recobench_variant),
    .task = "velo-tracks",
    .name = "example-windows",
    .summary = "windows by binary search, an event a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("velo-tracks example", &WINDOWS)
