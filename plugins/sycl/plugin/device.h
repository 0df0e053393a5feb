// A kernel on a device: a GPU, by the driver of CUDA, or the host, by SYCL's run time.
#pragma once
#include "../../../docs/plugin/recobench.h"
#include "../kernels/launch.h"
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// Why a variant can't run on this machine, or not on this input.
struct Unavailable : std::runtime_error {
    using runtime_error::runtime_error;
};

// Parts of `each` elements that hold all of `count`: work-groups, tiles, words.
inline std::uint64_t parts(std::uint64_t count, std::uint64_t each) { return (count + each - 1) / each; }

// Code of a kernel in the library, between two symbols.
struct Image {
    const unsigned char *begin, *end;
};

// A kernel, compiled.
struct Kernel {
    const char *name;
    LaunchShape shape;
    Image fatbin; // machine code of GPUs, and PTX
    Image spirv;
};

// An argument of a kernel: a pointer or a 32-bit number.
struct Argument {
    std::uint64_t bits;
    bool is_pointer;

    Argument(const void *pointer) : bits(reinterpret_cast<std::uintptr_t>(pointer)), is_pointer(true) {}
    Argument(std::uint32_t number) : bits(number), is_pointer(false) {}
};
using Arguments = std::vector<Argument>;

// A kernel, loaded on a device.
class Loaded {
  public:
    virtual ~Loaded() = default;

    // Starts `groups` work-groups.
    virtual void launch(const recobench_host &host, std::uint32_t groups, const Arguments &arguments) = 0;

    // Work-groups that the device runs at a time.
    virtual std::uint32_t resident_groups() = 0;
};

// A device that variants run on.
class Device {
  public:
    virtual ~Device() = default;

    virtual std::unique_ptr<Loaded> load(const Kernel &kernel) = 0;

    // A copy of words in the device's memory, as long as the device is there.
    virtual const void *copy(const std::vector<std::uint32_t> &words) = 0;

    // Memory of the device, as long as the device is there.
    virtual void *allocate(std::uint64_t bytes) = 0;

    // Writes words to the device's memory, before the kernels that follow.
    virtual void write(const recobench_host &host, const void *to, const std::vector<std::uint32_t> &words) = 0;

    // Words of the device's memory, once all kernels are done.
    virtual std::vector<std::uint32_t> read(const recobench_host &host, const void *from, std::size_t count) = 0;

    // Multiprocessors of a GPU; 1 on the host.
    virtual std::uint32_t multiprocessors() = 0;

    // Waits for all kernels where bench does not.
    virtual void finish() = 0;
};

// The GPU or the host, as bench selected.
std::unique_ptr<Device> open_cuda(const recobench_host &host);
std::unique_ptr<Device> open_host(const recobench_host &host);
inline std::unique_ptr<Device> open_device(const recobench_host &host) {
    return host.device < 0 ? open_host(host) : open_cuda(host);
}

#define DECLARE_IMAGES(name)                                                                      \
    extern "C" const unsigned char name##_fatbin[], name##_fatbin_end[], name##_spirv[], name##_spirv_end[];
#define IMAGES(name) {name##_fatbin, name##_fatbin_end}, {name##_spirv, name##_spirv_end}
