/* Common parts of the examples: the table of a plugin, scratch memory, work for threads. */
#ifndef EXAMPLES_PLUGIN_H
#define EXAMPLES_PLUGIN_H

#include "../recobench.h"

#include <stdatomic.h>

/* Exports a plugin with these variants: &ONE, &OTHER. */
#define EXPORT_PLUGIN(called, ...)                                                   \
    static const recobench_variant *const VARIANTS[] = {__VA_ARGS__};                \
    static const recobench_plugin_table TABLE = {                                    \
        .size = sizeof(recobench_plugin_table),                                      \
        .name = called,                                                              \
        .version = "1.0",                                                            \
        .variant_count = sizeof VARIANTS / sizeof *VARIANTS,                         \
        .variants = VARIANTS,                                                        \
    };                                                                               \
    uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }                    \
    const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }

/* Memory is asked for after the shape was seen: where all that a variant takes is scratch
 * memory, its state is how much. */
static inline int32_t keep_scratch(void **state, uint64_t bytes) {
    *state = (void *)(uintptr_t)bytes;
    return RECOBENCH_OK;
}

static inline int32_t scratch_kept(void *state, const recobench_host *host,
                                   recobench_memory *memory) {
    (void)host;
    memory->scratch_bytes = (uintptr_t)state;
    return RECOBENCH_OK;
}

/* Pieces of work, numbered from 0: each thread takes the next one that no thread has. */
typedef struct {
    void (*piece)(void *shared, uint64_t number, uint32_t worker);
    void *shared;
    uint64_t pieces;
    atomic_uint_fast64_t next;
} Pieces;

static void take_pieces(void *argument, uint32_t worker, uint32_t workers) {
    (void)workers;
    Pieces *pieces = argument;
    for (;;) {
        uint64_t number = atomic_fetch_add(&pieces->next, 1);
        if (number >= pieces->pieces) return;
        pieces->piece(pieces->shared, number, worker);
    }
}

static inline void for_each_piece(const recobench_host *host, uint64_t pieces,
                                  void (*piece)(void *shared, uint64_t number, uint32_t worker),
                                  void *shared) {
    Pieces all = {.piece = piece, .shared = shared, .pieces = pieces, .next = 0};
    host->parallel(host, take_pieces, &all);
}

#endif
