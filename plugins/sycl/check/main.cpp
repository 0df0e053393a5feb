// Opens SYCL's run time as the plugin does, for build-sycl.sh: prints the device that kernels run on,
// or what is missing.
#include "../plugin/runtime.h"
#include <cstdio>
#include <dlfcn.h>

int main(int count, char **arguments) {
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : nullptr;
    if (!library) {
        std::fprintf(stderr, "%s\n", count == 2 ? dlerror() : "check LIBRARY");
        return 1;
    }
    const auto open = reinterpret_cast<decltype(&recobench_sycl_open)>(dlsym(library, "recobench_sycl_open"));
    SyclSession *session = nullptr;
    const char *device = nullptr;
    const char *problem = open ? open(1, &session, &device) : "the library is of another build";
    if (problem) {
        std::fprintf(stderr, "%s\n", problem);
        return 1;
    }
    std::puts(device);
    return 0;
}
