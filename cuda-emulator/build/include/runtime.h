// Interface of kernels and runtime. The runtime is in Rust (cuda-emulator/src/intrinsics.rs):
// layouts and numbers must agree with it.
#pragma once
#include <stdint.h>

struct uint3 {
    unsigned x, y, z;
};

struct EmulatorBlock {
    uint3 index, block_dim, grid_dim;
    void* dynamic_shared;
};

struct EmulatorThread {
    uint3 index;
    // Budget of atomics and polls until others run.
    int32_t slice;
    const EmulatorBlock* block;
};

enum EmulatorBarrier : uint32_t { BARRIER_PLAIN, BARRIER_COUNT, BARRIER_AND, BARRIER_OR };

enum EmulatorCollective : uint32_t {
    COLLECTIVE_SYNC,
    COLLECTIVE_BALLOT,
    COLLECTIVE_SHUFFLE,
    COLLECTIVE_SHUFFLE_UP,
    COLLECTIVE_SHUFFLE_DOWN,
    COLLECTIVE_SHUFFLE_XOR,
    COLLECTIVE_MATCH_ANY,
    COLLECTIVE_ADD,
    COLLECTIVE_MIN,
    COLLECTIVE_MAX,
    COLLECTIVE_MIN_SIGNED,
    COLLECTIVE_MAX_SIGNED,
    COLLECTIVE_AND,
    COLLECTIVE_OR,
    COLLECTIVE_XOR,
};

// Bits of emulator_access's `how`.
enum EmulatorAccess : uint32_t {
    ACCESS_WRITE = 1,
    ACCESS_READ = 2,
    ACCESS_ATOMIC = 4,
    ACCESS_ACQUIRE = 8,
    ACCESS_RELEASE = 16,
    ACCESS_UNALIGNED = 32,
    ACCESS_VOLATILE = 64,
};

extern "C" {
// The CUDA thread that this OS thread runs now.
extern __thread EmulatorThread* emulator_thread;

int emulator_barrier(uint32_t kind, int value, const char* file, uint32_t line);
uint64_t emulator_collective(uint32_t kind, uint64_t mask, uint64_t value, uint32_t parameter,
                             uint32_t width, const char* file, uint32_t line);
uint64_t emulator_active_mask();
void emulator_fence();
// A poll without a change: others run.
void emulator_spin();
// The budget of atomics and polls is spent: others run.
void emulator_slice_over();
[[noreturn]] void emulator_trap(const char* condition, const char* file, uint32_t line);
void emulator_access(const void* address, uintptr_t bytes, uint32_t how, const void* pc);
}
