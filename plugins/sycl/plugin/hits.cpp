// Finding hits of the STS: `online`.
#include "variant.h"
#include <cstring>

DECLARE_IMAGES(hits_online)
DECLARE_IMAGES(hits_lists)
DECLARE_IMAGES(hits_sensors)

namespace {

constexpr Kernel ONLINE = {"hits_online", HITS_ONLINE_SHAPE, IMAGES(hits_online)};
constexpr Kernel CLEAR = {"hits_clear", HITS_LISTS_SHAPE, IMAGES(hits_lists)};
constexpr Kernel LISTS = {"hits_lists", HITS_LISTS_SHAPE, IMAGES(hits_lists)};
constexpr Kernel ENTRIES = {"hits_entries", HITS_LISTS_SHAPE, IMAGES(hits_lists)};
constexpr Kernel SENSORS = {"hits_sensors", HITS_SENSORS_SHAPE, IMAGES(hits_sensors)};

constexpr std::uint64_t ENTRY_BYTES = 8;
constexpr std::uint64_t FOUND_BYTES = 8;
constexpr std::uint64_t SENSOR_BYTES = 92;

using Words = std::vector<std::uint32_t>;

std::uint32_t groups_for(std::uint64_t items, const LaunchShape &shape) {
    return std::uint32_t(parts(items, shape.threads));
}

// Largest difference in time of the clusters of a hit, as kernels read it.
struct TimeCut {
    std::uint32_t kind = 0; // none
    std::uint32_t bits = 0;

    explicit TimeCut(const recobench_sts_setup &setup) {
        if (setup.cluster_cut > 0) {
            *this = TimeCut(1, setup.cluster_cut);
        } else if (setup.cluster_cut_deviations > 0) {
            *this = TimeCut(2, setup.cluster_cut_deviations);
        }
    }

  private:
    TimeCut(std::uint32_t kind, double value) : kind(kind) {
        const auto single = static_cast<float>(value);
        std::memcpy(&bits, &single, sizeof bits);
    }
};

// Offsets of parts with these numbers of elements, and the end of the last one.
Words offsets_of(const Words &counts) {
    Words offsets = {0};
    for (std::uint32_t count : counts) offsets.push_back(offsets.back() + count);
    return offsets;
}

// Lists of sides, the fronts of all timeslices first.
struct Sides {
    Words begins, counts;

    explicit Sides(const recobench_sts &sts) {
        for (std::uint64_t first : {std::uint64_t(0), sts.modules}) {
            for (std::uint64_t timeslice = 0; timeslice < sts.timeslices; timeslice++) {
                for (std::uint64_t module = 0; module < sts.modules; module++) {
                    const std::uint64_t list = timeslice * 2 * sts.modules + first + module;
                    begins.push_back(std::uint32_t(sts.input.host_begins[list]));
                    counts.push_back(std::uint32_t(sts.input.host_counts[list]));
                }
            }
        }
    }
};

// Capacities of buckets before hits are counted: in proportion to clusters of the front.
Words capacities_of(const Sides &sides, std::uint64_t modules, std::uint64_t capacity) {
    std::uint64_t fronts = 0;
    for (std::uint64_t module = 0; module < modules; module++) fronts += sides.counts[module];
    Words capacities;
    for (std::uint64_t module = 0; module < modules; module++) {
        const std::uint64_t own = sides.counts[module];
        capacities.push_back(std::uint32_t(std::min(own * 3 / 2, own * capacity / std::max<std::uint64_t>(1, fronts))));
    }
    return capacities;
}

struct Online {
    using Input = recobench_sts;
    static constexpr const char *TASK = "hits";
    static constexpr std::uint32_t BUFFERS = RECOBENCH_SEPARATE;

    std::unique_ptr<Device> device;
    std::unique_ptr<Loaded> online, clear, lists, entries, sensors;
    std::uint32_t modules; // of all timeslices
    std::uint32_t fronts = 0;
    TimeCut cut;
    Words first_capacities;
    std::uint64_t scratch_bytes;
    std::uint64_t own_bytes = 0;
    const void *side_begins, *side_offsets, *entry_array, *found, *sensor_array;

    Online(const recobench_host &host, const recobench_sts &sts) : cut(*sts.setup) {
        const std::uint64_t all = sts.timeslices * sts.modules;
        if (sts.input.capacity > INT32_MAX || sts.output.capacity > INT32_MAX || all > INT32_MAX) {
            throw Unavailable("it counts clusters, hits and modules with 31 bits; use fewer");
        }
        modules = std::uint32_t(all);
        const Sides sides(sts);
        first_capacities = capacities_of(sides, modules, sts.output.capacity);
        const Words offsets = offsets_of(sides.counts);
        fronts = offsets[modules];
        scratch_bytes = (2 * all + 1) * sizeof(std::uint32_t);
        device = open_device(host);
        online = device->load(ONLINE);
        clear = device->load(CLEAR);
        lists = device->load(LISTS);
        entries = device->load(ENTRIES);
        sensors = device->load(SENSORS);
        side_begins = copy(sides.begins);
        side_offsets = copy(offsets);
        entry_array = allocate(offsets.back(), ENTRY_BYTES);
        found = allocate(2 * all, FOUND_BYTES);
        sensor_array = allocate(all, SENSOR_BYTES);
    }

    void run(const recobench_host &host, const recobench_sts &sts) {
        if (modules == 0) return;
        prepare(host, sts);
        const Words found_hits = fill(host, sts, first_capacities);
        const auto fits = [&](std::uint32_t module) { return found_hits[module] <= first_capacities[module]; };
        bool all_fit = true;
        std::uint64_t hits = 0;
        for (std::uint32_t module = 0; module < modules; module++) {
            all_fit = all_fit && fits(module);
            hits += found_hits[module];
        }
        if (hits > sts.output.capacity) throw std::runtime_error("there are more hits than the output has capacity for");
        // As native: all work-items run again.
        if (!all_fit) fill(host, sts, found_hits);
        const char *memory = static_cast<const char *>(host.scratch);
        lists->launch(host, groups_for(modules, HITS_LISTS_SHAPE),
                      {memory + count_bytes(), memory, modules, sts.output.begins, sts.output.counts});
    }

  private:
    // Makes what native kernels have of the stages before.
    void prepare(const recobench_host &host, const recobench_sts &sts) {
        entries->launch(host, 2 * modules, {sts.input.items, side_begins, side_offsets, entry_array, found});
        sensors->launch(host, groups_for(modules, HITS_SENSORS_SHAPE),
                        {sts.setup->module, sensor_array, std::uint32_t(sts.modules), modules});
    }

    // Scratch memory has counts of hits, then offsets of buckets.
    std::uint64_t count_bytes() const { return modules * sizeof(std::uint32_t); }

    const void *copy(const Words &words) {
        own_bytes += words.size() * sizeof words[0];
        return words.empty() ? nullptr : device->copy(words);
    }

    const void *allocate(std::uint64_t count, std::uint64_t bytes) {
        own_bytes += count * bytes;
        return count == 0 ? nullptr : device->allocate(count * bytes);
    }

    // Fills buckets of these capacities; returns the number of hits of each module.
    Words fill(const recobench_host &host, const recobench_sts &sts, const Words &capacities) {
        const char *counts = static_cast<const char *>(host.scratch);
        const char *offsets = counts + count_bytes();
        device->write(host, offsets, offsets_of(capacities));
        clear->launch(host, groups_for(modules, HITS_LISTS_SHAPE), {counts, modules});
        if (fronts > 0) {
            online->launch(host, groups_for(fronts, HITS_ONLINE_SHAPE),
                           {sts.input.items, entry_array, side_offsets, side_begins, found, sensor_array, offsets,
                            counts, sts.output.items, modules, cut.kind, cut.bits});
        }
        return device->read(host, counts, modules);
    }
};

} // namespace

void add_hits(Variants &variants) {
    add<Online>(variants, {"sycl-online", "SYCL: a work-item a cluster of the front, which walks to its module",
                           "online", "clusters lie in order of time; entries, time errors of sides and sensors are made first"});
    for (auto variant = variants.end() - 2; variant != variants.end(); variant++) {
        variant->stable = 0;
        variant->waits = 1; // for counts of hits
    }
}
