// Noisy pads of the TPC in CUDA: a thread a pad, through all time bins.
//
//   nvcc -O3 -arch=native -cudart static -shared -Xcompiler -fPIC -o libnoisy-pads.so noisy-pads.cu
//   bench noisy-pads --plugin ./libnoisy-pads.so --device cuda:0
//
// Charges lie in tiles of 8 pads and 4 time bins, 64 bytes: what the threads of 8 pads read is
// whole lines of memory, though each takes two bytes at a time.
#include "../recobench.h"

#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr unsigned TILE_PADS = 8, TILE_TIMES = 4, TILE = TILE_PADS * TILE_TIMES;
constexpr unsigned TILES_IN_LINE = 2889; // side by side: all rows of pads
constexpr unsigned TILES_OF_ROW = 19;    // from one row of pads to the next
constexpr unsigned MAX_PADS = TILES_OF_ROW * TILE_PADS;

// The pads of a sector in front of a row.
__device__ unsigned first_pad(const recobench_noisy_pads &input, unsigned row) {
    unsigned pads = 0;
    for (unsigned before = 0; before < row; before++) pads += input.pads_in_row[before];
    return pads;
}

__device__ bool is_noisy(const recobench_noisy_pads &input, const recobench_pad_activity &pad) {
    bool is_busy = pad.charges > input.most_charges || pad.longest_run > input.most_run;
    return is_busy && pad.largest <= input.saturation;
}

// A block a row of a sector, a thread a pad.
__global__ void find_row(recobench_noisy_pads input) {
    unsigned row = blockIdx.x, sector = blockIdx.y, pad = threadIdx.x;
    if (pad >= input.pads_in_row[row]) return;
    // A margin of one tile is in front of the first row.
    std::uint64_t tile = 1 + row * TILES_OF_ROW + pad / TILE_PADS;
    const std::uint16_t *charges =
        input.charges + sector * input.map_entries + tile * TILE + pad % TILE_PADS;
    recobench_pad_activity found{};
    std::uint16_t run = 0;
    std::uint64_t lines = input.map_entries / (TILES_IN_LINE * TILE);
    for (std::uint64_t line = 0; line < lines; line++, charges += TILES_IN_LINE * TILE) {
        for (unsigned time = 0; time < TILE_TIMES; time++) {
            std::uint16_t charge = charges[time * TILE_PADS];
            run = charge ? run + 1 : 0;
            found.charges += charge != 0;
            if (run > found.longest_run) found.longest_run = run;
            if (charge > found.largest) found.largest = charge;
        }
    }
    found.noisy = is_noisy(input, found);
    input.found[sector * input.pads + first_pad(input, row) + pad] = found;
}

std::int32_t run(void *, const recobench_host *host, const void *shown) {
    const auto &input = *static_cast<const recobench_noisy_pads *>(shown);
    if (input.sectors == 0) return RECOBENCH_OK;
    dim3 rows(unsigned(input.rows), unsigned(input.sectors));
    find_row<<<rows, MAX_PADS, 0, static_cast<cudaStream_t>(host->stream)>>>(input);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return RECOBENCH_OK;
    host->explain(host, cudaGetErrorString(error));
    return RECOBENCH_FAILED;
}

recobench_variant described() {
    recobench_variant variant{};
    variant.size = sizeof variant;
    variant.task = "noisy-pads";
    variant.name = "example-cuda";
    variant.summary = "a thread a pad, in CUDA";
    variant.backend = RECOBENCH_CUDA;
    variant.buffers = RECOBENCH_SEPARATE;
    variant.stable = 1;
    variant.run = run;
    return variant;
}

const recobench_variant THREAD_A_PAD = described();
const recobench_variant *const VARIANTS[] = {&THREAD_A_PAD};
const recobench_plugin_table TABLE = {sizeof TABLE, "example in CUDA", "1.0", 1, VARIANTS};

} // namespace

std::uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }
