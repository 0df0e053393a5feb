// Loads, stores, fences and atomics.
#pragma once

constexpr int32_t EMULATOR_ATOMIC_COST = 1;
// A repeated poll yields sooner.
constexpr int32_t EMULATOR_POLL_COST = 16;

EMULATOR_INLINE void emulator_spend(int32_t cost) {
    EmulatorThread* const thread = emulator_thread;
    thread->slice -= cost;
    if (__builtin_expect(thread->slice <= 0, 0)) emulator_slice_over();
}

template <class T> EMULATOR_INLINE T __ldg(const T* from) { return *from; }
template <class T> EMULATOR_INLINE T __ldcg(const T* from) { return *from; }
template <class T> EMULATOR_INLINE T __ldcs(const T* from) { return *from; }
template <class T> EMULATOR_INLINE void __stcg(T* to, T value) { *to = value; }
template <class T> EMULATOR_INLINE void __stcs(T* to, T value) { *to = value; }

template <class T> EMULATOR_INLINE T emulator_load(const T* from, int order) {
    emulator_spend(EMULATOR_POLL_COST);
    return __atomic_load_n(from, order);
}
template <class T> EMULATOR_INLINE void emulator_store(T* to, T value, int order) {
    emulator_spend(EMULATOR_ATOMIC_COST);
    __atomic_store_n(to, value, order);
}

// The runtime records the order; the hardware needs a fence, too, because blocks run on several OS
// threads.
EMULATOR_INLINE void __threadfence() {
#if defined(EMULATOR_CHECKED)
    emulator_fence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
EMULATOR_INLINE void __threadfence_block() { __threadfence(); }
EMULATOR_INLINE void __threadfence_system() { __threadfence(); }
EMULATOR_INLINE void __nanosleep(unsigned) { emulator_spin(); }

#define EMULATOR_ATOMIC(name, operation)                                         \
    template <class T> EMULATOR_INLINE T name(T* at, std::common_type_t<T> value) { \
        emulator_spend(EMULATOR_ATOMIC_COST);                                    \
        return operation(at, value, __ATOMIC_RELAXED);                           \
    }
EMULATOR_ATOMIC(atomicAdd, __atomic_fetch_add)
EMULATOR_ATOMIC(atomicSub, __atomic_fetch_sub)
EMULATOR_ATOMIC(atomicAnd, __atomic_fetch_and)
EMULATOR_ATOMIC(atomicOr, __atomic_fetch_or)
EMULATOR_ATOMIC(atomicXor, __atomic_fetch_xor)
EMULATOR_ATOMIC(atomicExch, __atomic_exchange_n)

template <class T>
EMULATOR_INLINE T atomicCAS(T* at, std::common_type_t<T> expected, std::common_type_t<T> value) {
    emulator_spend(EMULATOR_ATOMIC_COST);
    T found = expected;
    __atomic_compare_exchange_n(at, &found, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return found;
}

#define EMULATOR_EXTREME(name, better)                                           \
    template <class T> EMULATOR_INLINE T name(T* at, std::common_type_t<T> value) { \
        emulator_spend(EMULATOR_ATOMIC_COST);                                    \
        T found = __atomic_load_n(at, __ATOMIC_RELAXED);                         \
        while (value better found &&                                             \
               !__atomic_compare_exchange_n(at, &found, value, false, __ATOMIC_RELAXED, \
                                            __ATOMIC_RELAXED)) {                 \
        }                                                                        \
        return found;                                                            \
    }
EMULATOR_EXTREME(atomicMin, <)
EMULATOR_EXTREME(atomicMax, >)
