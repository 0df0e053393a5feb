// Kernels on the host: loads SYCL's run time, which the plugin itself does not need.
#include "device.h"
#include "runtime.h"
#include <cstring>
#include <dlfcn.h>
#include <filesystem>

namespace {

constexpr const char *RUNTIME = "librecobench_sycl_host.so";

struct Runtime {
    decltype(&recobench_sycl_open) open;
    decltype(&recobench_sycl_load) load;
    decltype(&recobench_sycl_launch) launch;
    decltype(&recobench_sycl_wait) wait;
};

template <class F> void find(void *library, const char *name, F &function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) throw Unavailable(std::string(RUNTIME) + " is of another build: run scripts/build-sycl.sh");
}

// It is next to the plugin, and has the folder of the wheels.
Runtime load_runtime() {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void *>(&load_runtime), &info)) throw Unavailable("the plugin's folder is unknown");
    const auto path = std::filesystem::absolute(info.dli_fname).parent_path() / RUNTIME;
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        throw Unavailable(std::string("SYCL's run time can't be loaded (") + dlerror() +
                          "): run scripts/build-sycl.sh on this machine");
    }
    Runtime runtime;
    find(library, "recobench_sycl_open", runtime.open);
    find(library, "recobench_sycl_load", runtime.load);
    find(library, "recobench_sycl_launch", runtime.launch);
    find(library, "recobench_sycl_wait", runtime.wait);
    return runtime;
}

const Runtime &runtime() {
    static const Runtime loaded = load_runtime();
    return loaded;
}

void check(const char *problem) {
    if (problem) throw std::runtime_error(problem);
}

class HostKernel final : public Loaded {
  public:
    HostKernel(SyclSession *session, const Kernel &kernel) : shape(kernel.shape) {
        const auto bytes = std::uint64_t(kernel.spirv.end - kernel.spirv.begin);
        check(runtime().load(session, kernel.spirv.begin, bytes, kernel.name, &loaded));
    }

    void launch(const recobench_host &, std::uint32_t groups, const Arguments &arguments) override {
        std::vector<SyclArgument> values;
        for (const Argument &argument : arguments) values.push_back({argument.bits, argument.is_pointer});
        check(runtime().launch(loaded, groups, shape.threads, shape.local_bytes, values.data(),
                               std::uint32_t(values.size())));
    }

    // Any number will do.
    std::uint32_t resident_groups() override { return 16; }

  private:
    LaunchShape shape;
    SyclKernel *loaded = nullptr;
};

class Host final : public Device {
  public:
    explicit Host(std::uint32_t threads) {
        const char *description = nullptr;
        const char *problem = runtime().open(threads, &session, &description);
        if (problem) throw Unavailable(problem);
    }

    std::unique_ptr<Loaded> load(const Kernel &kernel) override {
        return std::make_unique<HostKernel>(session, kernel);
    }

    const void *copy(const std::vector<std::uint32_t> &words) override {
        return memory.emplace_back(std::make_unique<std::vector<std::uint32_t>>(words))->data();
    }

    void *allocate(std::uint64_t bytes) override {
        const std::size_t words = parts(bytes, sizeof(std::uint32_t));
        return memory.emplace_back(std::make_unique<std::vector<std::uint32_t>>(words))->data();
    }

    void write(const recobench_host &, const void *to, const std::vector<std::uint32_t> &words) override {
        finish();
        std::memcpy(const_cast<void *>(to), words.data(), words.size() * sizeof words[0]);
    }

    std::vector<std::uint32_t> read(const recobench_host &, const void *from, std::size_t count) override {
        finish();
        const auto *words = static_cast<const std::uint32_t *>(from);
        return {words, words + count};
    }

    std::uint32_t multiprocessors() override { return 1; }

    void finish() override { check(runtime().wait(session)); }

  private:
    SyclSession *session = nullptr;
    std::vector<std::unique_ptr<std::vector<std::uint32_t>>> memory;
};

} // namespace

std::unique_ptr<Device> open_host(const recobench_host &host) { return std::make_unique<Host>(host.workers); }
