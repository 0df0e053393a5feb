// Kernels on the CPU by SYCL's run time, on the OpenCL device of the wheels or of the system.
#include "runtime.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

namespace experimental = sycl::ext::oneapi::experimental;

struct SyclKernel {
    SyclSession *session;
    sycl::kernel kernel;
};

struct SyclSession {
    sycl::queue queue;
    std::string description;
    std::map<std::string, std::unique_ptr<SyclKernel>> kernels;
    // Of each image, which may have several kernels.
    std::map<const unsigned char *, sycl::kernel_bundle<sycl::bundle_state::executable>> bundles;
};

namespace {

// The folder of the wheels' libraries: OpenCL's driver is next to SYCL's run time.
std::filesystem::path library_folder() {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void *>(&sycl::platform::get_platforms), &info)) return {};
    return std::filesystem::path(info.dli_fname).parent_path();
}

// Libraries that OpenCL needs and has no path to, each after those that it needs itself.
constexpr const char *LIBRARIES_OF_OPENCL[] = {"libintlc.so.5", "libimf.so", "libirng.so", "libsvml.so", "libtbb.so.12"};

// The file of the wheel names its driver by the path of the machine that built it. A compiler that is
// installed has its driver elsewhere, where OpenCL finds it.
void select_opencl() {
    // A library that is missing here is reported by the one that needs it.
    for (const char *name : LIBRARIES_OF_OPENCL) dlopen((library_folder() / name).c_str(), RTLD_LAZY);
    const std::filesystem::path driver = library_folder() / "libintelocl.so";
    if (!std::getenv("OCL_ICD_FILENAMES") && std::filesystem::exists(driver)) {
        setenv("OCL_ICD_FILENAMES", driver.c_str(), 1);
    }
    if (!std::getenv("ONEAPI_DEVICE_SELECTOR")) setenv("ONEAPI_DEVICE_SELECTOR", "opencl:cpu", 1);
}

sycl::device find_cpu() {
    for (const sycl::device &device : sycl::device::get_devices(sycl::info::device_type::cpu)) {
        if (device.get_backend() == sycl::backend::opencl) return device;
    }
    throw std::runtime_error("SYCL has no OpenCL device on this CPU: " + (library_folder() / "libintelocl.so").string() +
                             " is missing or can't be loaded, or OCL_ICD_FILENAMES or ONEAPI_DEVICE_SELECTOR is set");
}

// The whole device, or a part with fewer threads.
sycl::device with_threads(const sycl::device &device, std::uint32_t threads) {
    const auto all = device.get_info<sycl::info::device::max_compute_units>();
    if (threads == all) return device;
    if (threads > all) {
        throw std::runtime_error("the OpenCL device has " + std::to_string(all) + " threads, not " +
                                 std::to_string(threads) + ": use fewer (--threads)");
    }
    const std::vector<std::size_t> counts = {threads};
    return device.create_sub_devices<sycl::info::partition_property::partition_by_counts>(counts).at(0);
}

// Runs `work`; returns why it failed.
template <class Work> const char *attempt(Work work) {
    static thread_local std::string reason;
    try {
        work();
        return nullptr;
    } catch (const std::exception &error) {
        reason = error.what();
        return reason.c_str();
    }
}

// Of each number of threads. Never destroyed: OpenCL may be gone when the process ends.
std::map<std::uint32_t, std::unique_ptr<SyclSession>> &sessions() {
    static auto *all = new std::map<std::uint32_t, std::unique_ptr<SyclSession>>;
    return *all;
}

std::unique_ptr<SyclSession> make_session(std::uint32_t threads) {
    select_opencl();
    const sycl::device device = with_threads(find_cpu(), threads);
    const sycl::property_list in_order = {sycl::property::queue::in_order()};
    const std::string description = device.get_info<sycl::info::device::name>() + ", OpenCL " +
                                    device.get_info<sycl::info::device::driver_version>() +
                                    ", threads of its own, not pinned";
    return std::unique_ptr<SyclSession>(new SyclSession{sycl::queue(device, in_order), description, {}, {}});
}

const sycl::kernel_bundle<sycl::bundle_state::executable> &bundle_of(SyclSession *session, const unsigned char *image,
                                                                     std::uint64_t bytes) {
    const auto existing = session->bundles.find(image);
    if (existing != session->bundles.end()) return existing->second;
    std::vector<std::byte> spirv(bytes);
    std::memcpy(spirv.data(), image, bytes);
    // Neither may be const.
    auto source = experimental::create_kernel_bundle_from_source(
        session->queue.get_context(), experimental::source_language::spirv, spirv);
    return session->bundles.emplace(image, experimental::build(source)).first->second;
}

std::unique_ptr<SyclKernel> make_kernel(SyclSession *session, const unsigned char *image, std::uint64_t bytes, const char *name) {
    auto bundle = bundle_of(session, image, bytes);
    const std::string symbol = std::string("__sycl_kernel_") + name;
    return std::unique_ptr<SyclKernel>(new SyclKernel{session, bundle.ext_oneapi_get_kernel(symbol)});
}

} // namespace

const char *recobench_sycl_open(std::uint32_t threads, SyclSession **session, const char **device) {
    return attempt([&] {
        auto &existing = sessions()[threads];
        if (!existing) existing = make_session(threads);
        *session = existing.get();
        *device = (*session)->description.c_str();
    });
}

const char *recobench_sycl_load(SyclSession *session, const unsigned char *image, std::uint64_t bytes, const char *name,
                                SyclKernel **kernel) {
    return attempt([&] {
        auto &existing = session->kernels[name];
        if (!existing) existing = make_kernel(session, image, bytes, name);
        *kernel = existing.get();
    });
}

const char *recobench_sycl_launch(SyclKernel *kernel, std::uint32_t groups, std::uint32_t threads,
                                  std::uint32_t local_bytes, const SyclArgument *arguments, std::uint32_t count) {
    return attempt([&] {
        kernel->session->queue.submit([&](sycl::handler &handler) {
            for (std::uint32_t i = 0; i < count; i++) {
                if (arguments[i].is_pointer) {
                    handler.set_arg(int(i), reinterpret_cast<void *>(arguments[i].bits));
                } else {
                    handler.set_arg(int(i), std::uint32_t(arguments[i].bits));
                }
            }
            if (local_bytes > 0) {
                handler.set_arg(int(count), sycl::local_accessor<unsigned char, 1>(local_bytes, handler));
            }
            handler.parallel_for(sycl::nd_range<1>(std::size_t(groups) * threads, threads), kernel->kernel);
        });
    });
}

const char *recobench_sycl_wait(SyclSession *session) {
    return attempt([&] { session->queue.wait_and_throw(); });
}
