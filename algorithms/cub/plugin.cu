// The plugin's table.
#include <cub/version.cuh>

#include "gather.cuh"
#include "sort.cuh"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

static const recobench_variant *const VARIANTS[] = {
    &SEGMENTED_KEYS,  &SEGMENTED_PAIRS, &SEGMENTED_KEYS_PUBLISHED, &SEGMENTED_PAIRS_PUBLISHED,
    &SEGMENTED_RADIX, &RADIX_COMPOSITE, &MEMCPY_BATCHED,           &CUDA_MEMCPY_BATCH,
};

static const recobench_plugin_table TABLE = {
    sizeof(recobench_plugin_table),
    "NVIDIA CUB",
    TEXT(CUB_VERSION), // 300001 is 3.0.1
    sizeof VARIANTS / sizeof *VARIANTS,
    VARIANTS,
};

uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }
