// Compiles a kernel in SYCL by DPC++'s run-time compiler, libsycl-jit.so of the wheel intel-sycl-rt:
//
//   compile libspirv LIBRARY FOLDER
//       writes SYCL's library for NVIDIA, which is in LIBRARY, to FOLDER/lib/clang/...
//   compile ptx|spirv LIBRARY FOLDER SOURCE OUTPUT OPTION...
//   compile complete SOURCE PTX
//       adds to the file PTX, which another DPC++ has made of SOURCE, what is added to PTX above
//
// `compileSYCL` is not documented: its types are those of version 2026.2.0, which the script pins.
// The library keeps SYCL's library for NVIDIA within itself, but looks for it in files below
// /lib/clang. This program sends those look-ups to FOLDER: its own `open` and `stat` come before the
// C library's.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <link.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace {

std::string folder;
constexpr std::string_view BELOW = "/lib/clang/";
constexpr std::string_view EMBEDDED = "/lib/clang/23/lib/nvptx64-nvidia-cuda/libspirv.l64.signed_char.bc";

// A path below /lib/clang, in FOLDER.
std::string redirected(const char *path) {
    const bool is_below = path && std::string_view(path).substr(0, BELOW.size()) == BELOW;
    return (is_below ? folder : "") + (path ? path : "");
}

template <class F> F next(const char *name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }

void *open_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    return library;
}

// Readable memory of a library.
using Segments = std::vector<std::string_view>;

int add_segments(dl_phdr_info *info, std::size_t, void *result) {
    if (!std::strstr(info->dlpi_name, "libsycl-jit")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || !(header.p_flags & PF_R)) continue;
        const auto *begin = reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
        static_cast<Segments *>(result)->emplace_back(begin, header.p_memsz);
    }
    return 0;
}

// An entry of the library's table of files.
struct Embedded {
    const char *path;
    std::size_t path_size;
    const char *content;
    std::size_t size;
};

// The path of the embedded file, as its entry points to it.
const char *find_path(const Segments &segments) {
    for (std::string_view segment : segments) {
        const std::size_t at = segment.find(EMBEDDED);
        if (at == segment.npos) continue;
        const char *begin = segment.data() + at;
        while (begin > segment.data() && begin[-1]) --begin;
        return begin;
    }
    throw std::runtime_error("the library has no " + std::string(EMBEDDED) + ": another version?");
}

Embedded find_entry(const Segments &segments, const char *path) {
    for (std::string_view segment : segments) {
        for (std::size_t at = 0; at + sizeof(Embedded) <= segment.size(); at += sizeof(void *)) {
            Embedded entry;
            std::memcpy(&entry, segment.data() + at, sizeof entry);
            if (entry.path == path) return entry;
        }
    }
    throw std::runtime_error("the library's table of files is not as expected: another version?");
}

void write_libspirv() {
    Segments segments;
    dl_iterate_phdr(add_segments, &segments);
    const Embedded entry = find_entry(segments, find_path(segments));
    const std::filesystem::path output = folder + std::string(EMBEDDED);
    std::filesystem::create_directories(output.parent_path());
    std::ofstream(output, std::ios::binary).write(entry.content, std::streamsize(entry.size));
}

enum class Format : std::uint32_t { Spirv = 2, Ptx = 3 };

template <class T> struct View {
    const T *begin;
    std::size_t size;
};

struct SourceFile {
    const char *path, *content;
};

struct Image {
    Format format;
    std::uint64_t address_bits;
    const char *begin;
    std::size_t size;
};

// The library's result. It is never destroyed: the process ends.
struct Result {
    int error;
    const Image *images;
    std::size_t image_count;
    const char *build_options, *device_ir;
    std::size_t device_ir_size;
    const char *log;
    char spare[256];

    Result() {}
    Result(const Result &) = delete;
    ~Result() {}
};

using CompileSycl = Result (*)(SourceFile, View<SourceFile>, View<const char *>, View<char>, bool, Format);

std::string read(const char *path) {
    std::ifstream input(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(input)), {});
    if (text.empty()) throw std::runtime_error(std::string(path) + " is empty or can't be read");
    return text;
}

// Work-items of a work-group, and work-groups that share a multiprocessor.
struct LaunchBounds {
    unsigned threads, groups;
};

// Adds the bounds to each kernel, but those that the compiler has written.
void add_bounds(std::string &ptx, LaunchBounds bounds) {
    constexpr std::string_view ENTRY = ".entry ";
    for (std::size_t at = ptx.find(ENTRY); at != ptx.npos; at = ptx.find(ENTRY, at + 1)) {
        const std::size_t body = ptx.find('{', at);
        const std::string_view head = std::string_view(ptx).substr(at, body - at);
        const auto has = [&](const char *directive) { return head.find(directive) != head.npos; };
        std::string added = "\n";
        if (!has(".maxntid") && !has(".reqntid")) added += ".maxntid " + std::to_string(bounds.threads) + ", 1, 1\n";
        if (!has(".minnctapersm")) added += ".minnctapersm " + std::to_string(bounds.groups) + "\n";
        ptx.insert(body, added);
    }
}

// Adds what DPC++ leaves out of PTX. Launch bounds, as the native kernel has them, are in the first
// line of a source: "// launch bounds: 512, 2". Local memory holds vectors of 16 bytes.
std::string complete_ptx(std::string ptx, const std::string &source) {
    LaunchBounds bounds;
    if (std::sscanf(source.c_str(), "// launch bounds: %u, %u", &bounds.threads, &bounds.groups) == 2) {
        add_bounds(ptx, bounds);
    }
    constexpr std::string_view LOCAL = ".extern .shared .align ";
    for (std::size_t at = ptx.find(LOCAL); at != ptx.npos; at = ptx.find(LOCAL, at + 1)) {
        const std::size_t number = at + LOCAL.size();
        ptx.replace(number, ptx.find(' ', number) - number, "16");
    }
    return ptx;
}

// Notes about each function are of no use, warnings are.
void print_log(const char *log) {
    for (std::string_view rest = log ? log : ""; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        if (!line.empty() && line.substr(0, 5) != "NOTE:") std::cerr << line << '\n';
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
}

void compile(void *library, Format format, const char *path, const char *output, View<const char *> options) {
    const auto compile_sycl = reinterpret_cast<CompileSycl>(dlsym(library, "compileSYCL"));
    if (!compile_sycl) throw std::runtime_error("the library has no compileSYCL: another version?");
    const std::string source = read(path);
    const Result result = compile_sycl({path, source.c_str()}, {}, options, {}, false, format);
    print_log(result.log);
    if (!result.error && result.image_count > 1) {
        throw std::runtime_error(std::string(path) + " has kernels with work-groups of different sizes, or some that " +
                                 "need doubles and some that don't: such are in files of their own");
    }
    if (result.error || result.image_count != 1 || result.images->format != format) {
        throw std::runtime_error(std::string(path) + " does not compile");
    }
    const std::string code(result.images->begin, result.images->size);
    std::ofstream(output, std::ios::binary) << (format == Format::Ptx ? complete_ptx(code, source) : code);
}

} // namespace

extern "C" int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const int mode = va_arg(rest, int);
    va_end(rest);
    static const auto original = next<int (*)(const char *, int, ...)>("open");
    return original(redirected(path).c_str(), flags, mode);
}

extern "C" int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const int mode = va_arg(rest, int);
    va_end(rest);
    static const auto original = next<int (*)(const char *, int, ...)>("open64");
    return original(redirected(path).c_str(), flags, mode);
}

extern "C" int stat(const char *path, struct stat *result) noexcept {
    static const auto original = next<int (*)(const char *, struct stat *)>("stat");
    return original(redirected(path).c_str(), result);
}

int main(int count, char **arguments) try {
    const std::string task = count > 1 ? arguments[1] : "";
    if (task == "complete" && count == 4) {
        const std::string ptx = complete_ptx(read(arguments[3]), read(arguments[2]));
        std::ofstream(arguments[3], std::ios::binary) << ptx;
        return 0;
    }
    const bool is_libspirv = task == "libspirv" && count == 4;
    if (!is_libspirv && ((task != "ptx" && task != "spirv") || count < 6)) {
        std::cerr << "compile libspirv LIBRARY FOLDER, compile ptx|spirv LIBRARY FOLDER SOURCE OUTPUT OPTION..., or "
                     "compile complete SOURCE PTX\n";
        return 2;
    }
    void *library = open_library(arguments[2]);
    folder = arguments[3];
    if (is_libspirv) {
        write_libspirv();
        return 0;
    }
    const View<const char *> options = {arguments + 6, std::size_t(count - 6)};
    compile(library, task == "ptx" ? Format::Ptx : Format::Spirv, arguments[4], arguments[5], options);
    return 0;
} catch (const std::exception &error) {
    std::cerr << "compile: " << error.what() << '\n';
    return 1;
}
