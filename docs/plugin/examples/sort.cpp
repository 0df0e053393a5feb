/* Sorting digis in C++: each segment by the standard library, as pairs of a key and a digi.
 *
 *   c++ -O3 -std=c++17 -shared -fPIC -o libsort-cpp.so sort.cpp
 *   bench sort --plugin ./libsort-cpp.so
 *
 * Each thread has memory for the largest segment in scratch memory. Nothing may be thrown across
 * the interface: std::stable_sort would allocate, so equal keys keep their order by their indices.
 */
#include "../recobench.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

namespace {

/* An entry to sort: the key above the index in the segment. */
struct Entry {
    std::uint64_t key, index, digi;

    bool operator<(const Entry &other) const {
        return key != other.key ? key < other.key : index < other.index;
    }
};

/* Channel, then time: 11 bits from the 37th on, and the lowest 31. */
std::uint64_t key_of(std::uint64_t digi) {
    return (digi >> 37 & 0x7ff) << 31 | (digi & 0x7fffffff);
}

struct Run {
    const recobench_sort &sort;
    Entry *entries;
    std::uint64_t largest;
    std::atomic<std::uint64_t> next{0};

    void sort_segment(std::uint64_t segment, Entry *scratch) const {
        const std::uint64_t begin = sort.offsets[segment], end = sort.offsets[segment + 1];
        for (std::uint64_t i = begin; i < end; i++)
            new (scratch + (i - begin)) Entry{key_of(sort.input[i]), i, sort.input[i]};
        std::sort(scratch, scratch + (end - begin));
        std::transform(scratch, scratch + (end - begin), sort.output + begin,
                       [](const Entry &entry) { return entry.digi; });
    }

    void work(std::uint32_t worker) {
        for (std::uint64_t segment; (segment = next++) < sort.segments;)
            sort_segment(segment, entries + worker * largest);
    }
};

std::uint64_t largest_segment(const recobench_sort &sort) {
    std::uint64_t largest = 0;
    for (std::uint64_t i = 0; i < sort.segments; i++)
        largest = std::max(largest, sort.offsets[i + 1] - sort.offsets[i]);
    return largest;
}

std::int32_t prepare(const recobench_variant *, const recobench_host *, const void *input,
                     void **state) {
    const auto &sort = *static_cast<const recobench_sort *>(input);
    auto *largest = new (std::nothrow) std::uint64_t{largest_segment(sort)};
    *state = largest;
    return largest ? RECOBENCH_OK : RECOBENCH_FAILED;
}

std::int32_t memory(void *state, const recobench_host *host, recobench_memory *memory) {
    memory->scratch_bytes = host->workers * *static_cast<std::uint64_t *>(state) * sizeof(Entry);
    return RECOBENCH_OK;
}

std::int32_t run(void *state, const recobench_host *host, const void *input) {
    Run run{*static_cast<const recobench_sort *>(input), static_cast<Entry *>(host->scratch),
            *static_cast<std::uint64_t *>(state)};
    host->parallel(
        host,
        [](void *argument, std::uint32_t worker, std::uint32_t) {
            static_cast<Run *>(argument)->work(worker);
        },
        &run);
    return RECOBENCH_OK;
}

void release(void *state) { delete static_cast<std::uint64_t *>(state); }

recobench_variant described() {
    recobench_variant variant{};
    variant.size = sizeof variant;
    variant.task = "sort";
    variant.name = "example-cpp";
    variant.summary = "a segment a thread, by std::sort with indices, in C++";
    variant.backend = RECOBENCH_CPU;
    variant.buffers = RECOBENCH_SEPARATE;
    variant.stable = 1;
    variant.prepare = prepare;
    variant.memory = memory;
    variant.run = run;
    variant.release = release;
    return variant;
}

const recobench_variant STD_SORT = described();
const recobench_variant *const VARIANTS[] = {&STD_SORT};
const recobench_plugin_table TABLE = {sizeof TABLE, "example in C++", "1.0", 1, VARIANTS};

} // namespace

std::uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }
