// The head of a link in a dense block: card, second-level mask, and mask bytes.
#pragma once
#include "page.h"

namespace {

// Puts the lowest bytes of a word at the set bits of a nibble, and zeros elsewhere.
__device__ __forceinline__ u32 spread_bytes(u32 bytes, u32 nibble) {
    // A bit for each set bit of the nibble; then, for each, the number of set bits before.
    const u32 pairs = (nibble | nibble << 6) & 0x303, there = (pairs | pairs << 3) & 0x1111;
    const u32 before = there * 0x1110;
    // Bytes from 4 on are those of the second word, which is 0.
    return __byte_perm(bytes, 0, before | (0x4444 & ~(there << 2)));
}

// The start of the head.
struct LinkHead {
    u32 fec;
    u32 level;   // a bit for each byte of the mask that is present
    u32 before;  // bytes before the mask

    __device__ __forceinline__ LinkHead(u32 first, u32 second) {
        const bool flat = (first & 0x20) != 0;
        fec = first & 0x1f;
        level = flat ? 0x3ff : (first >> 6) << 8 | second;
        before = flat ? 1 : 2;
    }

    __device__ __forceinline__ u32 mask_bytes() const { return (u32)__popc(level); }
    __device__ __forceinline__ u32 bytes() const { return before + mask_bytes(); }
};

// A complete head: it has twelve bytes at most.
struct WholeLinkHead : LinkHead {
    u32 words[3];  // the head without the bytes before the mask

    __device__ __forceinline__ explicit WholeLinkHead(const u32 (&from)[3])
        : LinkHead(from[0] & 0xff, from[0] >> 8 & 0xff),
          words{from[0] & (before == 1 ? ~0xffu : ~0xffffu), from[1], from[2]} {}

    __device__ __forceinline__ u32 channels() const {
        const int bits = 8 * (int)bytes();
        return bits_among(words[0], bits) + bits_among(words[1], bits - 32) + bits_among(words[2], bits - 64);
    }

  private:
    // Number of set bits among the `count` lowest ones; none if negative, all if more than a word
    // has.
    __device__ __forceinline__ static u32 bits_among(u32 word, int count) {
        // Moves the lowest bits to the highest ones; shifts by more than 32 are clamped to 32.
        return (u32)__popc(__funnelshift_rc(0, word, (u32)max(count, 0)));
    }
};

// Three words from any byte offset on. Reads four aligned words.
__device__ __forceinline__ void three_words(const u32* aligned, u32 position, u32 (&words)[3]) {
    // Shifts are modulo 32.
#pragma unroll
    for (u32 i = 0; i < 3; i++) words[i] = __funnelshift_r(aligned[i], aligned[i + 1], position * 8);
}

}  // namespace
