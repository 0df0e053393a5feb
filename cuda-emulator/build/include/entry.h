// Calls of kernels by the runtime. The build script defines an entry for each kernel.
#pragma once
#include <utility>

#include "emulator.h"

struct EmulatorEntry {
    void (*call)(const void* const* arguments);
    const uint16_t* sizes;
    uint32_t arguments;
    // Size of the variable of KERNEL_SHARED.
    uint32_t shared_bytes;
};

template <class... A> struct EmulatorSizes {
    static_assert(((sizeof(A) <= 4096) && ...), "CUDA takes at most 4 KiB of arguments");
    // One more, as no array is empty.
    static constexpr uint16_t of[sizeof...(A) + 1] = {sizeof(A)..., 0};
};

template <auto kernel, class... A> struct EmulatorCall {
    // Reads the host's memory here, not the kernel's.
    __attribute__((no_sanitize("thread"))) static void call(const void* const* arguments) {
        with(arguments, std::index_sequence_for<A...>{});
    }
    template <size_t... I>
    EMULATOR_INLINE __attribute__((no_sanitize("thread"))) void
    with([[maybe_unused]] const void* const* arguments, std::index_sequence<I...>) {
        kernel(*static_cast<const std::remove_cv_t<A>*>(arguments[I])...);
    }
};

template <auto kernel, class... A>
constexpr EmulatorEntry emulator_entry(void (*)(A...), uint32_t shared_bytes) {
    return {&EmulatorCall<kernel, A...>::call, EmulatorSizes<A...>::of, sizeof...(A), shared_bytes};
}
