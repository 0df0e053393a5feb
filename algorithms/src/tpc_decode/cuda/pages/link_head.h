// The head of a link in a dense block: card, second-level mask, and mask bytes.
#pragma once
#include "page.h"

namespace {

// Puts the lowest bytes of a word where the bits of a nibble say, and zeros elsewhere.
__device__ __forceinline__ u32 spread_bytes(u32 bytes, u32 nibble) {
    // A bit in a nibble each; then, for each, the number of those before.
    const u32 pairs = (nibble | nibble << 6) & 0x303, there = (pairs | pairs << 3) & 0x1111;
    const u32 before = there * 0x1110;
    // Bytes from 4 on are those of the second word, which is 0.
    return __byte_perm(bytes, 0, before | 0x4444 & ~(there << 2));
}

// The first bytes of the head.
struct LinkHead {
    u32 fec;
    u32 level;   // a bit for each byte of the mask that is there
    u32 before;  // bytes before the mask

    __device__ __forceinline__ LinkHead(u32 first, u32 second) {
        const bool flat = first & 0x20;
        fec = first & 0x1f;
        level = flat ? 0x3ff : (first >> 6) << 8 | second;
        before = flat ? 1 : 2;
    }

    __device__ __forceinline__ u32 mask_bytes() const { return (u32)__popc(level); }
    __device__ __forceinline__ u32 bytes() const { return before + mask_bytes(); }
};

// All of a head: it has twelve bytes at most.
struct WholeLinkHead : LinkHead {
    u32 mask[3];  // the head without what is before the mask

    __device__ __forceinline__ explicit WholeLinkHead(const u32 (&words)[3])
        : LinkHead(words[0] & 0xff, words[0] >> 8 & 0xff) {
        const int end = 8 * (int)bytes();
        mask[0] = words[0] & low_bits(end) & ~(before == 1 ? 0xffu : 0xffffu);
        mask[1] = words[1] & low_bits(end - 32);
        mask[2] = words[2] & low_bits(end - 64);
    }

    __device__ __forceinline__ u32 channels() const {
        return (u32)(__popc(mask[0]) + __popc(mask[1]) + __popc(mask[2]));
    }
};

// Three words from any byte on. Reads four aligned words.
__device__ __forceinline__ void three_words(const u32* aligned, u32 position, u32 (&words)[3]) {
    const u32 shift = position % sizeof(u32) * 8;
#pragma unroll
    for (u32 i = 0; i < 3; i++) words[i] = __funnelshift_r(aligned[i], aligned[i + 1], shift);
}

}  // namespace
