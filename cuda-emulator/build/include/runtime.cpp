// The parts of the runtime that need C++: a thread-local variable that kernels share, and the
// functions that -fsanitize=thread makes compilers call at each access to memory. They are defined
// here: no sanitizer's library is linked.
#include "runtime.h"

#include <stddef.h>

extern "C" {

__thread EmulatorThread* emulator_thread = nullptr;

void* emulator_thread_slot() { return &emulator_thread; }

#define PC __builtin_return_address(0)

// Volatile accesses, like atomic ones, don't race and order nothing.
#define VOLATILE (ACCESS_ATOMIC | ACCESS_VOLATILE)

#define ACCESSES(bytes)                                                                    \
    void __tsan_read##bytes(void* at) { emulator_access(at, bytes, ACCESS_READ, PC); }     \
    void __tsan_write##bytes(void* at) { emulator_access(at, bytes, ACCESS_WRITE, PC); }   \
    void __tsan_unaligned_read##bytes(void* at) {                                          \
        emulator_access(at, bytes, ACCESS_READ | ACCESS_UNALIGNED, PC);                    \
    }                                                                                      \
    void __tsan_unaligned_write##bytes(void* at) {                                         \
        emulator_access(at, bytes, ACCESS_WRITE | ACCESS_UNALIGNED, PC);                   \
    }                                                                                      \
    void __tsan_volatile_read##bytes(void* at) {                                           \
        emulator_access(at, bytes, ACCESS_READ | VOLATILE, PC);                            \
    }                                                                                      \
    void __tsan_volatile_write##bytes(void* at) {                                          \
        emulator_access(at, bytes, ACCESS_WRITE | VOLATILE, PC);                           \
    }                                                                                      \
    void __tsan_unaligned_volatile_read##bytes(void* at) {                                 \
        emulator_access(at, bytes, ACCESS_READ | VOLATILE | ACCESS_UNALIGNED, PC);         \
    }                                                                                      \
    void __tsan_unaligned_volatile_write##bytes(void* at) {                                \
        emulator_access(at, bytes, ACCESS_WRITE | VOLATILE | ACCESS_UNALIGNED, PC);        \
    }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void* at, size_t bytes) {
    emulator_access(at, bytes, ACCESS_READ | ACCESS_UNALIGNED, PC);
}
void __tsan_write_range(void* at, size_t bytes) {
    emulator_access(at, bytes, ACCESS_WRITE | ACCESS_UNALIGNED, PC);
}
void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
    emulator_access(from, bytes, ACCESS_READ | ACCESS_UNALIGNED, PC);
    emulator_access(to, bytes, ACCESS_WRITE | ACCESS_UNALIGNED, PC);
    return __builtin_memcpy(to, from, bytes);
}
void* __tsan_memset(void* at, int value, size_t bytes) {
    emulator_access(at, bytes, ACCESS_WRITE | ACCESS_UNALIGNED, PC);
    return __builtin_memset(at, value, bytes);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_atomic_thread_fence(int) { emulator_fence(); }
void __tsan_atomic_signal_fence(int) {}

static uint32_t ordered(uint32_t how, int order) {
    const bool acquires = order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
    const bool releases = order == __ATOMIC_RELEASE || order >= __ATOMIC_ACQ_REL;
    if (acquires && (how & ACCESS_READ)) how |= ACCESS_ACQUIRE;
    if (releases && (how & ACCESS_WRITE)) how |= ACCESS_RELEASE;
    return how | ACCESS_ATOMIC;
}

#define CHANGE(bits, T, operation)                                                         \
    T __tsan_atomic##bits##_fetch_##operation(volatile T* at, T value, int order) {        \
        emulator_access(const_cast<T*>(at), sizeof(T),                                     \
                        ordered(ACCESS_READ | ACCESS_WRITE, order), PC);                   \
        return __atomic_fetch_##operation(at, value, __ATOMIC_SEQ_CST);                    \
    }

// A failed exchange has only read. No other thread runs between the check and the exchange: checked
// kernels have one OS thread, and yield before atomics.
#define EXCHANGE(bits, T, strength)                                                        \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile T* at, T* expected,     \
                                                          T value, int order, int) {       \
        emulator_access(const_cast<T*>(at), sizeof(T), ordered(ACCESS_READ, order), PC);   \
        const T found = *at;                                                               \
        if (found != *expected) {                                                          \
            *expected = found;                                                             \
            return 0;                                                                      \
        }                                                                                  \
        emulator_access(const_cast<T*>(at), sizeof(T),                                     \
                        ordered(ACCESS_READ | ACCESS_WRITE, order), PC);                   \
        *at = value;                                                                       \
        return 1;                                                                          \
    }

#define ATOMICS(bits, T)                                                                   \
    T __tsan_atomic##bits##_load(const volatile T* at, int order) {                        \
        emulator_access(const_cast<T*>(at), sizeof(T), ordered(ACCESS_READ, order), PC);   \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                      \
    }                                                                                      \
    void __tsan_atomic##bits##_store(volatile T* at, T value, int order) {                 \
        emulator_access(const_cast<T*>(at), sizeof(T), ordered(ACCESS_WRITE, order), PC);  \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                     \
    }                                                                                      \
    T __tsan_atomic##bits##_exchange(volatile T* at, T value, int order) {                 \
        emulator_access(const_cast<T*>(at), sizeof(T),                                     \
                        ordered(ACCESS_READ | ACCESS_WRITE, order), PC);                   \
        return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                           \
    }                                                                                      \
    CHANGE(bits, T, add)                                                                   \
    CHANGE(bits, T, sub)                                                                   \
    CHANGE(bits, T, and)                                                                   \
    CHANGE(bits, T, or)                                                                    \
    CHANGE(bits, T, xor)                                                                   \
    EXCHANGE(bits, T, strong)                                                              \
    EXCHANGE(bits, T, weak)
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
}
