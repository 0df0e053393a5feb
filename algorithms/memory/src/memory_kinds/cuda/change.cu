// Changes all words once, 16 bytes per thread at a time, in any kind of memory: see
// memory_kinds/mod.rs. The last words, if they do not fill a vector, are changed by the first
// threads.
#include "portable.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WORDS_OF_VECTOR = 4;

__device__ __forceinline__ u32 changed(u32 word) { return word * 1664525u + 1013904223u; }

}  // namespace

// Any number of blocks; each thread processes vectors in a grid-stride loop.
extern "C" __global__ void __launch_bounds__(THREADS) change_words(u32* words, u32 vectors, u32 rest) {
    uint4* all = reinterpret_cast<uint4*>(words);
    const u32 own = blockIdx.x * THREADS + threadIdx.x;
    for (u32 i = own; i < vectors; i += gridDim.x * THREADS) {
        const uint4 four = all[i];
        all[i] = make_uint4(changed(four.x), changed(four.y), changed(four.z), changed(four.w));
    }
    u32* last = words + (u64)vectors * WORDS_OF_VECTOR;
    if (own < rest) last[own] = changed(last[own]);
}
KERNEL_EXPORT(change_words)
