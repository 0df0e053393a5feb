/* The variants of NVIDIA's libraries of algorithms/cub, compiled for the host. */
#include "../../../../../../cub/cuda_memcpy_batch.cu"
#include "../../../../../../cub/memcpy_batched.cu"

static const recobench_variant *const VARIANTS[] = {&MEMCPY_BATCHED, &CUDA_MEMCPY_BATCH};

static const recobench_plugin_table TABLE = {sizeof(recobench_plugin_table), "libraries", "1", 2, VARIANTS};

uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }
