/* An example (-DEXAMPLE) that goes wrong in some way (-DHOW) once it has done its work. What it
 * leaves is found by -DINPUT, its struct, and -DLISTS or -DARRAY, a field of that. */
#define recobench_plugin_abi example_abi
#define recobench_plugin example_plugin
#include EXAMPLE
#undef recobench_plugin_abi
#undef recobench_plugin

#include <string.h>

enum { crash, wrong, before, beyond, far_beyond, count, begin, gap, verdict, spoil };

/* Bytes beside an array: those beyond the last 64 are on a page that must not be accessed. */
static void write_beside(void *array, uint64_t bytes) {
    uint8_t *first = array;
    if (HOW == before && bytes % 4096 != 0) first[-1] = 0;
    if (HOW == beyond && bytes % 64 != 0) first[bytes] = 0;
    if (HOW == far_beyond) memset(first + bytes, 0, 64);
}

static void go_wrong(const INPUT *input) {
    volatile int *volatile nobodys = NULL;
    if (HOW == crash) *nobodys = 1;
#ifdef LISTS
    recobench_lists lists = input->LISTS;
    if (lists.lists == 0) return;
    if (HOW == wrong && lists.counts[0] > 0) ((uint8_t *)lists.items)[lists.begins[0] * ITEM] ^= 1;
    write_beside(lists.items, lists.capacity * ITEM);
    if (HOW == count) lists.counts[0] = lists.capacity + 1;
    if (HOW == begin) lists.begins[0] = (uint64_t)-1;
    if (HOW == gap) lists.begins[lists.lists - 1]++, lists.counts[lists.lists - 1]--;
#endif
#ifdef ARRAY
    if (ELEMENTS == 0) return;
    if (HOW == wrong) ((uint8_t *)input->ARRAY)[0] ^= 1;
    write_beside(input->ARRAY, ELEMENTS * ITEM);
    if (HOW == verdict) ((uint8_t *)input->ARRAY)[ITEM - 2] = 7;
#endif
#ifdef SPOILT
    if (HOW == spoil) *(uint8_t *)(uintptr_t)SPOILT ^= 1;
#endif
}

static int32_t spoilt_run(void *state, const recobench_host *host, const void *input) {
    int32_t answer = (*example_plugin()->variants)->run(state, host, input);
    go_wrong(input);
    return answer;
}

RECOBENCH_EXPORT uint32_t recobench_plugin_abi(void) { return example_abi(); }

RECOBENCH_EXPORT const recobench_plugin_table *recobench_plugin(void) {
    static recobench_variant variant;
    static const recobench_variant *const variants[] = {&variant};
    static recobench_plugin_table table;
    variant = **example_plugin()->variants;
    variant.name = "spoilt";
    variant.run = spoilt_run;
    table = *example_plugin();
    table.variant_count = 1;
    table.variants = variants;
    return &table;
}
