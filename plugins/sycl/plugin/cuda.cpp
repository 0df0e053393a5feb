// Kernels on a GPU by the driver of CUDA, in the context that bench works in and on its stream: DPC++
// was the compiler and is not needed here. The driver is loaded when it is used.
#include "device.h"
#include <array>
#include <dlfcn.h>

namespace {

using Status = int;
using CudaDevice = int;
using DevicePointer = std::uint64_t;
using Handle = void *;

// Of cuda.h: codes of images that are not for a GPU or a driver, and attributes of functions.
constexpr std::array<Status, 4> NOT_FOR_THIS_GPU = {200, 209, 218, 222};
constexpr int MAX_DYNAMIC_SHARED_BYTES = 8;
// And of devices.
constexpr int MULTIPROCESSOR_COUNT = 16;

struct Driver {
    Status (*init)(unsigned);
    Status (*get_device)(CudaDevice *, int);
    Status (*retain_context)(Handle *, CudaDevice);
    Status (*release_context)(CudaDevice);
    Status (*set_context)(Handle);
    Status (*synchronize)();
    Status (*load_module)(Handle *, const void *);
    Status (*unload_module)(Handle);
    Status (*get_function)(Handle *, Handle, const char *);
    Status (*set_attribute)(Handle, int, int);
    Status (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **,
                     void **);
    Status (*allocate)(DevicePointer *, std::size_t);
    Status (*free)(DevicePointer);
    Status (*copy_to_device)(DevicePointer, const void *, std::size_t);
    Status (*copy_in_stream)(DevicePointer, const void *, std::size_t, Handle);
    Status (*copy_to_host)(void *, DevicePointer, std::size_t, Handle);
    Status (*synchronize_stream)(Handle);
    Status (*get_attribute)(int *, int, CudaDevice);
    Status (*resident_blocks)(int *, Handle, int, std::size_t);
    Status (*describe)(Status, const char **);
};

template <class F> void find(Handle library, const char *name, F &function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) throw Unavailable(std::string("the CUDA driver has no ") + name + ": install a newer one");
}

Driver load_driver() {
    Handle library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) throw Unavailable("there is no CUDA driver");
    Driver driver;
    find(library, "cuInit", driver.init);
    find(library, "cuDeviceGet", driver.get_device);
    find(library, "cuDevicePrimaryCtxRetain", driver.retain_context);
    find(library, "cuDevicePrimaryCtxRelease_v2", driver.release_context);
    find(library, "cuCtxSetCurrent", driver.set_context);
    find(library, "cuCtxSynchronize", driver.synchronize);
    find(library, "cuModuleLoadData", driver.load_module);
    find(library, "cuModuleUnload", driver.unload_module);
    find(library, "cuModuleGetFunction", driver.get_function);
    find(library, "cuFuncSetAttribute", driver.set_attribute);
    find(library, "cuLaunchKernel", driver.launch);
    find(library, "cuMemAlloc_v2", driver.allocate);
    find(library, "cuMemFree_v2", driver.free);
    find(library, "cuMemcpyHtoD_v2", driver.copy_to_device);
    find(library, "cuMemcpyHtoDAsync_v2", driver.copy_in_stream);
    find(library, "cuMemcpyDtoHAsync_v2", driver.copy_to_host);
    find(library, "cuStreamSynchronize", driver.synchronize_stream);
    find(library, "cuDeviceGetAttribute", driver.get_attribute);
    find(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", driver.resident_blocks);
    find(library, "cuGetErrorString", driver.describe);
    return driver;
}

const Driver &driver() {
    static const Driver loaded = load_driver();
    return loaded;
}

void check(Status status) {
    if (status == 0) return;
    const char *words = nullptr;
    driver().describe(status, &words);
    const std::string reason = words ? words : "CUDA error " + std::to_string(status);
    for (Status code : NOT_FOR_THIS_GPU) {
        if (status == code) {
            throw Unavailable("its kernels are for GPUs from Turing on; a driver that is too old for them has to be "
                              "updated: " +
                              reason);
        }
    }
    throw std::runtime_error(reason);
}

std::uint32_t multiprocessors_of(CudaDevice device) {
    int count = 0;
    check(driver().get_attribute(&count, MULTIPROCESSOR_COUNT, device));
    return std::uint32_t(count);
}

class CudaKernel final : public Loaded {
  public:
    CudaKernel(CudaDevice device, Handle context, const Kernel &kernel)
        : device(device), context(context), shape(kernel.shape) {
        check(driver().load_module(&module, kernel.fatbin.begin));
        const std::string name = std::string("__sycl_kernel_") + kernel.name;
        check(driver().get_function(&function, module, name.c_str()));
        // More than 48 KiB must be requested.
        check(driver().set_attribute(function, MAX_DYNAMIC_SHARED_BYTES, int(shape.local_bytes)));
    }

    ~CudaKernel() override {
        if (driver().set_context(context) == 0) driver().unload_module(module);
    }

    void launch(const recobench_host &host, std::uint32_t groups, const Arguments &arguments) override {
        check(driver().set_context(context));
        std::vector<std::uint64_t> values;
        for (const Argument &argument : arguments) values.push_back(argument.bits);
        if (shape.local_bytes > 0) values.push_back(0); // its byte offset
        std::vector<void *> pointers;
        for (std::uint64_t &value : values) pointers.push_back(&value);
        check(driver().launch(function, groups, 1, 1, shape.threads, 1, 1, shape.local_bytes, host.stream,
                              pointers.data(), nullptr));
    }

    std::uint32_t resident_groups() override {
        check(driver().set_context(context));
        int of_multiprocessor = 0;
        check(driver().resident_blocks(&of_multiprocessor, function, int(shape.threads), shape.local_bytes));
        return multiprocessors_of(device) * std::uint32_t(of_multiprocessor);
    }

  private:
    CudaDevice device;
    Handle context;
    LaunchShape shape;
    Handle module = nullptr;
    Handle function = nullptr;
};

// The primary context of a GPU, which is the one that bench works in.
class Cuda final : public Device {
  public:
    explicit Cuda(int index) {
        check(driver().init(0));
        check(driver().get_device(&device, index));
        check(driver().retain_context(&context, device));
    }

    ~Cuda() override {
        if (driver().set_context(context) == 0) {
            for (DevicePointer pointer : allocated) driver().free(pointer);
        }
        driver().release_context(device);
    }

    std::unique_ptr<Loaded> load(const Kernel &kernel) override {
        check(driver().set_context(context));
        return std::make_unique<CudaKernel>(device, context, kernel);
    }

    const void *copy(const std::vector<std::uint32_t> &words) override {
        const std::size_t bytes = words.size() * sizeof(std::uint32_t);
        void *memory = allocate(bytes);
        check(driver().copy_to_device(reinterpret_cast<DevicePointer>(memory), words.data(), bytes));
        // The copy may still be in transfer, and bench's stream does not wait for another one.
        check(driver().synchronize());
        return memory;
    }

    void *allocate(std::uint64_t bytes) override {
        check(driver().set_context(context));
        DevicePointer pointer = 0;
        check(driver().allocate(&pointer, bytes));
        allocated.push_back(pointer);
        return reinterpret_cast<void *>(pointer);
    }

    // The driver has copied words that are not page-locked when it returns.
    void write(const recobench_host &host, const void *to, const std::vector<std::uint32_t> &words) override {
        check(driver().set_context(context));
        const std::size_t bytes = words.size() * sizeof(std::uint32_t);
        check(driver().copy_in_stream(reinterpret_cast<DevicePointer>(to), words.data(), bytes, host.stream));
    }

    std::vector<std::uint32_t> read(const recobench_host &host, const void *from, std::size_t count) override {
        check(driver().set_context(context));
        std::vector<std::uint32_t> words(count);
        const auto pointer = reinterpret_cast<DevicePointer>(from);
        check(driver().copy_to_host(words.data(), pointer, count * sizeof(std::uint32_t), host.stream));
        check(driver().synchronize_stream(host.stream));
        return words;
    }

    std::uint32_t multiprocessors() override { return multiprocessors_of(device); }

    void finish() override {}

  private:
    CudaDevice device = 0;
    Handle context = nullptr;
    std::vector<DevicePointer> allocated;
};

} // namespace

std::unique_ptr<Device> open_cuda(const recobench_host &host) { return std::make_unique<Cuda>(host.device); }
