// Barriers and warp collectives: points where threads meet.
#pragma once

// Location of the call in the kernel: a default argument is evaluated at the call.
#define EMULATOR_SITE const char *file = __builtin_FILE(), uint32_t line = __builtin_LINE()

using emulator_mask = std::conditional_t<EMULATOR_LANES == 64, unsigned long long, unsigned>;
constexpr emulator_mask EMULATOR_ALL = ~emulator_mask(0);

EMULATOR_INLINE void __syncthreads(EMULATOR_SITE) {
    emulator_barrier(BARRIER_PLAIN, 0, file, line);
}
EMULATOR_INLINE int __syncthreads_count(int predicate, EMULATOR_SITE) {
    return emulator_barrier(BARRIER_COUNT, predicate != 0, file, line);
}
EMULATOR_INLINE int __syncthreads_and(int predicate, EMULATOR_SITE) {
    return emulator_barrier(BARRIER_AND, predicate != 0, file, line);
}
EMULATOR_INLINE int __syncthreads_or(int predicate, EMULATOR_SITE) {
    return emulator_barrier(BARRIER_OR, predicate != 0, file, line);
}

EMULATOR_INLINE void __syncwarp(emulator_mask mask = EMULATOR_ALL, EMULATOR_SITE) {
    emulator_collective(COLLECTIVE_SYNC, mask, 0, 0, EMULATOR_LANES, file, line);
}
EMULATOR_INLINE emulator_mask __activemask() {
    return static_cast<emulator_mask>(emulator_active_mask());
}
EMULATOR_INLINE emulator_mask __ballot_sync(emulator_mask mask, int predicate, EMULATOR_SITE) {
    return static_cast<emulator_mask>(emulator_collective(
        COLLECTIVE_BALLOT, mask, predicate != 0, 0, EMULATOR_LANES, file, line));
}
EMULATOR_INLINE int __any_sync(emulator_mask mask, int predicate, EMULATOR_SITE) {
    return __ballot_sync(mask, predicate, file, line) != 0;
}
EMULATOR_INLINE int __all_sync(emulator_mask mask, int predicate, EMULATOR_SITE) {
    return __ballot_sync(mask, !predicate, file, line) == 0;
}

template <class T> EMULATOR_INLINE uint64_t emulator_bits(T value) {
    static_assert(sizeof(T) <= 8, "a lane hands over at most eight bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T> EMULATOR_INLINE T emulator_value(uint64_t bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

#define EMULATOR_SHUFFLE(name, kind, Lane)                                                      \
    template <class T>                                                                          \
    EMULATOR_INLINE T name(emulator_mask mask, T value, Lane lane, int width = EMULATOR_LANES,  \
                           EMULATOR_SITE) {                                                     \
        return emulator_value<T>(                                                               \
            emulator_collective(kind, mask, emulator_bits(value), static_cast<uint32_t>(lane),  \
                                static_cast<uint32_t>(width), file, line));                     \
    }
EMULATOR_SHUFFLE(__shfl_sync, COLLECTIVE_SHUFFLE, int)
EMULATOR_SHUFFLE(__shfl_up_sync, COLLECTIVE_SHUFFLE_UP, unsigned)
EMULATOR_SHUFFLE(__shfl_down_sync, COLLECTIVE_SHUFFLE_DOWN, unsigned)
EMULATOR_SHUFFLE(__shfl_xor_sync, COLLECTIVE_SHUFFLE_XOR, int)

template <class T>
EMULATOR_INLINE emulator_mask __match_any_sync(emulator_mask mask, T value, EMULATOR_SITE) {
    return static_cast<emulator_mask>(emulator_collective(
        COLLECTIVE_MATCH_ANY, mask, emulator_bits(value), 0, EMULATOR_LANES, file, line));
}

#define EMULATOR_REDUCE(name, T, kind)                                                       \
    EMULATOR_INLINE T name(emulator_mask mask, T value, EMULATOR_SITE) {                     \
        return static_cast<T>(emulator_collective(kind, mask, static_cast<uint64_t>(value), \
                                                  0, EMULATOR_LANES, file, line));           \
    }
EMULATOR_REDUCE(__reduce_add_sync, unsigned, COLLECTIVE_ADD)
EMULATOR_REDUCE(__reduce_add_sync, int, COLLECTIVE_ADD)
EMULATOR_REDUCE(__reduce_min_sync, unsigned, COLLECTIVE_MIN)
EMULATOR_REDUCE(__reduce_min_sync, int, COLLECTIVE_MIN_SIGNED)
EMULATOR_REDUCE(__reduce_max_sync, unsigned, COLLECTIVE_MAX)
EMULATOR_REDUCE(__reduce_max_sync, int, COLLECTIVE_MAX_SIGNED)
EMULATOR_REDUCE(__reduce_and_sync, unsigned, COLLECTIVE_AND)
EMULATOR_REDUCE(__reduce_or_sync, unsigned, COLLECTIVE_OR)
EMULATOR_REDUCE(__reduce_xor_sync, unsigned, COLLECTIVE_XOR)

#define __trap() emulator_trap(nullptr, __FILE__, __LINE__)
#undef assert
#define assert(condition) \
    ((condition) ? static_cast<void>(0) : emulator_trap(#condition, __FILE__, __LINE__))
