/* The variants of an example (-DEXAMPLE), for the host and for CUDA: the latter run on the emulator,
 * whose device memory is the host's. For the host only (-DHOST_ONLY) if the task has no GPU
 * plugins. */
#define recobench_plugin_abi example_abi
#define recobench_plugin example_plugin
#include EXAMPLE
#undef recobench_plugin_abi
#undef recobench_plugin

#include <stdio.h>

#ifdef HOST_ONLY
enum { BACKENDS = 1 };
#else
enum { BACKENDS = 2 };
#endif
enum { MAX_VARIANTS = 8, MAX_CHARACTERS = 64 };

static recobench_variant variants[MAX_VARIANTS];
static char names[MAX_VARIANTS][MAX_CHARACTERS];
static const recobench_variant *list[MAX_VARIANTS];
static recobench_plugin_table table;

RECOBENCH_EXPORT uint32_t recobench_plugin_abi(void) { return example_abi(); }

RECOBENCH_EXPORT const recobench_plugin_table *recobench_plugin(void) {
    static const char *const BACKEND[] = {"cpu", "cuda"};
    table = *example_plugin();
    for (uint64_t i = 0; i < BACKENDS * table.variant_count; i++) {
        variants[i] = *table.variants[i / BACKENDS];
        snprintf(names[i], sizeof names[i], "%s-%s", BACKEND[i % BACKENDS], variants[i].name);
        variants[i].name = names[i];
        variants[i].backend = i % BACKENDS ? RECOBENCH_CUDA : RECOBENCH_CPU;
        list[i] = &variants[i];
    }
    table.variant_count *= BACKENDS;
    table.variants = list;
    return &table;
}
