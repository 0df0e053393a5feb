/* Decoding the retina clusters of LHCb's vertex locator in C: words to hits, then an insertion sort
 * of keys, an event a thread.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libvelodecode.so velo-decode.c
 *   bench velo-decode --plugin ./libvelodecode.so
 */
#include "velo/decode.h"

typedef struct {
    const recobench_velo_banks *input;
    uint8_t *memory; /* of each worker */
} Work;

static void decode(void *shared, uint64_t event, uint32_t worker) {
    const Work *work = shared;
    const recobench_velo_banks *input = work->input;
    uint8_t *memory = work->memory + worker * unsorted_bytes(input->max_slots);
    Unsorted unsorted = unsorted_in(memory, input->max_slots);
    recobench_velo_hits hits = hits_from(input->hits, input->event_slots[event]);
    recobench_velo_pair *pairs = input->pairs + event * PAIRS;
    decode_event(banks_of(input, event), &unsorted.hits, pairs);
    sort_event(&unsorted, &hits, pairs);
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant;
    const recobench_velo_banks *banks = input;
    return keep_scratch(state, host->workers * unsorted_bytes(banks->max_slots));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_velo_banks *banks = input;
    Work work = {banks, host->scratch};
    for_each_piece(host, banks->events, decode, &work);
    return RECOBENCH_OK;
}

static const recobench_variant WORDS = {
    .size = sizeof(recobench_variant),
    .task = "velo-decode",
    .name = "example-words",
    .summary = "words to hits, then insertion sort of keys, an event a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .stable = 1,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("velo-decode example", &WORDS)
