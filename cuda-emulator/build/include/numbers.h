// CUDA's functions of numbers.
#pragma once

EMULATOR_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
EMULATOR_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
EMULATOR_INLINE int __ffs(int x) { return __builtin_ffs(x); }
EMULATOR_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
EMULATOR_INLINE int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
EMULATOR_INLINE int __clzll(long long x) {
    return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
EMULATOR_INLINE unsigned long long __brevll(unsigned long long x) {
    unsigned long long reversed = 0;
    for (int bit = 0; bit < 64; ++bit, x >>= 1) reversed = reversed << 1 | (x & 1);
    return reversed;
}
EMULATOR_INLINE unsigned __brev(unsigned x) { return static_cast<unsigned>(__brevll(x) >> 32); }
EMULATOR_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
    return static_cast<unsigned>(both << (shift & 31) >> 32);
}
EMULATOR_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
    return static_cast<unsigned>(both >> (shift & 31));
}
// Funnel shift to the right; shifts by more than 32 are shifts by 32.
EMULATOR_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
// Bytes of two words, by the lowest three bits of each nibble; the highest one would repeat
// the byte's sign.
EMULATOR_INLINE unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
    const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
    unsigned bytes = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned nibble = selector >> (4 * i) & 15;
        const unsigned byte = static_cast<unsigned>(both >> (nibble % 8 * 8)) & 0xff;
        const bool repeats_sign = nibble >= 8;
        bytes |= (repeats_sign ? (byte >> 7) * 0xffu : byte) << (8 * i);
    }
    return bytes;
}
EMULATOR_INLINE unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
EMULATOR_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
template <class A, class B> EMULATOR_INLINE std::common_type_t<A, B> min(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B> EMULATOR_INLINE std::common_type_t<A, B> max(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

// Rounded to nearest, each by itself: kernels are compiled without contraction.
EMULATOR_INLINE float __fadd_rn(float a, float b) { return a + b; }
EMULATOR_INLINE float __fsub_rn(float a, float b) { return a - b; }
EMULATOR_INLINE float __fmul_rn(float a, float b) { return a * b; }
EMULATOR_INLINE float __fdiv_rn(float a, float b) { return a / b; }
EMULATOR_INLINE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
EMULATOR_INLINE float sqrtf(float x) { return __builtin_sqrtf(x); }
EMULATOR_INLINE float floorf(float x) { return __builtin_floorf(x); }
EMULATOR_INLINE float fabsf(float x) { return __builtin_fabsf(x); }
EMULATOR_INLINE float fminf(float a, float b) { return __builtin_fminf(a, b); }
EMULATOR_INLINE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
EMULATOR_INLINE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
EMULATOR_INLINE float __frcp_rn(float x) { return 1.0f / x; }
EMULATOR_INLINE float __uint_as_float(unsigned bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
EMULATOR_INLINE unsigned __float_as_uint(float number) {
    unsigned bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
