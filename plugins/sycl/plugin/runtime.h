// SYCL's run time, as a library that the plugin loads when a variant runs on the host: all that needs
// the wheels is behind these functions. Each returns NULL, or why it failed.
#pragma once
#include <cstdint>

struct SyclSession;
struct SyclKernel;

struct SyclArgument {
    std::uint64_t bits;
    std::uint32_t is_pointer;
};

extern "C" {

// A queue on `threads` threads of the CPU, and its description. Sessions and kernels stay until the
// process ends: OpenCL compiles for seconds.
const char *recobench_sycl_open(std::uint32_t threads, SyclSession **session, const char **device);

// A kernel from SPIR-V.
const char *recobench_sycl_load(SyclSession *session, const unsigned char *image, std::uint64_t bytes, const char *name,
                                SyclKernel **kernel);

// Starts `groups` work-groups, after all kernels of the session before.
const char *recobench_sycl_launch(SyclKernel *kernel, std::uint32_t groups, std::uint32_t threads,
                                  std::uint32_t local_bytes, const SyclArgument *arguments, std::uint32_t count);
const char *recobench_sycl_wait(SyclSession *session);
}
