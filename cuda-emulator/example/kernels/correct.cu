// Kernels without a bug: the emulator must run them right and find nothing.
#include "portable.h"

// Drops keys that a block has twice, by a hash set in dynamic shared memory, and closes
// the gaps: ballot in a warp, shuffles over the warps.
extern "C" __global__ void __launch_bounds__(256)
    emulator_dedup(const u64* keys, u32 n, u32 slots, u64* out, u32* counts) {
    SMEM_DYN(u64, set);
    __shared__ u32 warp_sums[1024 / LANES];
    const u32 t = threadIdx.x, lane = t % LANES, warp = t / LANES;
    const u32 warps = (blockDim.x + LANES - 1) / LANES;
    for (u32 i = t; i < slots; i += blockDim.x) set[i] = 0;
    __syncthreads();
    const u32 at = blockIdx.x * blockDim.x + t;
    const u64 key = at < n ? keys[at] : 0;
    bool mine = false;
    if (key != 0) {
        for (u32 slot = (u32)(key * 0x9E3779B97F4A7C15ull >> 40) & (slots - 1);;
             slot = (slot + 1) & (slots - 1)) {
            const u64 found = atomicCAS(&set[slot], (u64)0, key);
            mine = found == 0;
            if (mine || found == key) break;
        }
    }
    const lanemask_t kept = __ballot_sync(FULL_MASK, mine);
    if (lane == 0) warp_sums[warp] = popc(kept);
    __syncthreads();
    if (warp == 0) {
        const u32 sum = lane < warps ? warp_sums[lane] : 0;
        u32 scan = sum;
        for (u32 d = 1; d < LANES; d <<= 1) {
            const u32 before = __shfl_up_sync(FULL_MASK, scan, d);
            if (lane >= d) scan += before;
        }
        if (lane < warps) warp_sums[lane] = scan - sum;
        if (lane == warps - 1) counts[blockIdx.x] = scan;
    }
    __syncthreads();
    if (mine) out[blockIdx.x * blockDim.x + warp_sums[warp] + popc(kept & lanemask_lt(lane))] = key;
}
KERNEL_EXPORT(emulator_dedup)

// Prefix sums in one pass: a block adds up the sums that the blocks before it have published.
extern "C" __global__ void __launch_bounds__(256)
    emulator_scan(const u32* in, u32* out, u32 n, u64* states, u32* ticket) {
    const u64 aggregate = 1ull << 32, prefix = 2ull << 32;
    __shared__ u32 block, before_block, warp_sums[1024 / LANES];
    const u32 t = threadIdx.x, lane = t % LANES, warp = t / LANES;
    if (t == 0) block = atomicAdd(ticket, 1u);
    __syncthreads();
    const u32 at = block * blockDim.x + t;
    const u32 value = at < n ? in[at] : 0;
    u32 scan = value;
    for (u32 d = 1; d < LANES; d <<= 1) {
        const u32 before = __shfl_up_sync(FULL_MASK, scan, d);
        if (lane >= d) scan += before;
    }
    if (lane == LANES - 1) warp_sums[warp] = scan;
    __syncthreads();
    if (t == 0) {
        u32 sum = 0;
        for (u32 w = 0; w < blockDim.x / LANES; ++w) {
            const u32 next = sum + warp_sums[w];
            warp_sums[w] = sum;
            sum = next;
        }
        store_release(&states[block], (block == 0 ? prefix : aggregate) | sum);
        u32 before = 0;
        for (u32 other = block; other > 0;) {
            const u64 state = load_acquire(&states[other - 1]);
            if (state < aggregate) {
                __nanosleep(20);
                continue;
            }
            before += (u32)state;
            if (state >= prefix) break;
            --other;
        }
        if (block != 0) store_release(&states[block], prefix | (before + sum));
        before_block = before;
    }
    __syncthreads();
    if (at < n) out[at] = before_block + warp_sums[warp] + scan;
}
KERNEL_EXPORT(emulator_scan)

// Lanes hand a value to their neighbour through static shared memory.
extern "C" __global__ void emulator_exchange(const u32* in, u32* out) {
    __shared__ u32 shared[1024];
    const u32 t = threadIdx.x, neighbour = t / LANES * LANES + (t + 1) % LANES;
    shared[t] = in[blockIdx.x * blockDim.x + t];
    __syncwarp();
    const u32 value = shared[neighbour];
    __syncwarp();
    shared[t] = value * 2;
    out[blockIdx.x * blockDim.x + t] = shared[t] / 2;
}
KERNEL_EXPORT(emulator_exchange)

// The stable rank of each 8-bit digit in its warp, by match_any and a leader's count.
extern "C" __global__ void emulator_rank(const u8* digits, u32* ranks, u32 rounds) {
    SMEM_DYN(u32, counts);
    const u32 t = threadIdx.x, lane = t % LANES, radix = 256;
    u32* const mine = counts + t / LANES * radix;
    for (u32 i = lane; i < radix; i += LANES) mine[i] = 0;
    __syncwarp();
    const u32 base = (blockIdx.x * blockDim.x + t / LANES * LANES) * rounds;
    for (u32 round = 0; round < rounds; ++round) {
        const u32 at = base + round * LANES + lane;
        const u32 digit = digits[at];
        const lanemask_t peers = __match_any_sync(FULL_MASK, digit);
        const int leader = ffs(peers) - 1;
        u32 first = 0;
        if ((int)lane == leader) first = atomicAdd(&mine[digit], (u32)popc(peers));
        first = __shfl_sync(FULL_MASK, first, leader);
        ranks[at] = first + popc(peers & lanemask_lt(lane));
    }
}
KERNEL_EXPORT(emulator_rank)
