// Finding noisy pads: `cache-line` and `bit-runs`.
#include "variant.h"

DECLARE_IMAGES(noisy_pads_cache_line)
DECLARE_IMAGES(noisy_pads_bit_runs)

namespace {

constexpr Kernel CACHE_LINE = {"noisy_pads_cache_line", CACHE_LINE_SHAPE, IMAGES(noisy_pads_cache_line)};
constexpr Kernel BIT_RUNS = {"noisy_pads_bit_runs", BIT_RUNS_SHAPE, IMAGES(noisy_pads_bit_runs)};

// Pads and charges of a tile, tiles side by side, and from the first one of a row of pads to that of
// the next: see the header.
constexpr std::uint32_t TILE_PADS = 8;
constexpr std::uint64_t TILE = 32;
constexpr std::uint64_t TILES_IN_ROW = 2889;
constexpr std::uint32_t TILES_OF_PADS = 19;
// Pads of a sector, with which kernels count.
constexpr std::uint64_t PADS_IN_SECTOR = 14560;

// Pads whose charges are in the same tiles, eight or fewer at the end of a row, as kernels read them:
// the index of the tile with the number of pads above it, and the index of the first pad.
std::vector<std::uint32_t> groups_of(const std::uint32_t *pads_in_row, std::uint64_t rows) {
    std::vector<std::uint32_t> words;
    std::uint32_t first = 0;
    for (std::uint32_t row = 0; row < rows; row++) {
        // Column 152 row + 8 is the first one.
        std::uint32_t tile = TILES_OF_PADS * row + 1;
        for (std::uint32_t pad = 0; pad < pads_in_row[row]; pad += TILE_PADS) {
            const std::uint32_t in_tile = std::min(TILE_PADS, pads_in_row[row] - pad);
            words.push_back(in_tile << 16 | tile++);
            words.push_back(first + pad);
        }
        first += pads_in_row[row];
    }
    return words;
}

// Work-groups that have `groups_each` groups of pads.
struct ByGroups {
    using Input = recobench_noisy_pads;
    static constexpr const char *TASK = "noisy-pads";
    static constexpr std::uint32_t BUFFERS = RECOBENCH_SEPARATE;

    std::unique_ptr<Device> device;
    std::unique_ptr<Loaded> kernel;
    const void *groups;
    std::uint32_t group_count, tile_rows, grid;
    std::uint64_t scratch_bytes = 0;
    std::uint64_t own_bytes;

    ByGroups(const recobench_host &host, const recobench_noisy_pads &maps, const Kernel &code,
             std::uint32_t groups_each) {
        if (maps.pads != PADS_IN_SECTOR) throw Unavailable("its kernels are for sectors of 14560 pads");
        const auto words = groups_of(maps.host_pads_in_row, maps.rows);
        group_count = std::uint32_t(words.size() / 2);
        const std::uint64_t all_rows = maps.map_entries / (TILES_IN_ROW * TILE);
        const std::uint64_t all_blocks = maps.sectors * parts(group_count, groups_each);
        if (all_rows > INT32_MAX || all_blocks > INT32_MAX) {
            throw Unavailable("it counts work-groups and rows of tiles with 31 bits; use fewer sectors");
        }
        tile_rows = std::uint32_t(all_rows);
        grid = std::uint32_t(all_blocks);
        own_bytes = words.size() * sizeof words[0];
        device = open_device(host);
        kernel = device->load(code);
        groups = device->copy(words);
    }

    void run(const recobench_host &host, const recobench_noisy_pads &maps) {
        if (grid == 0) return;
        kernel->launch(host, grid,
                       {maps.charges, groups, maps.found, group_count, tile_rows, maps.most_charges, maps.most_run,
                        maps.saturation});
    }
};

struct CacheLine : ByGroups {
    CacheLine(const recobench_host &host, const recobench_noisy_pads &maps) : ByGroups(host, maps, CACHE_LINE, 1) {}
};

// Four lanes of a sub-group for each group.
struct BitRuns : ByGroups {
    BitRuns(const recobench_host &host, const recobench_noisy_pads &maps) : ByGroups(host, maps, BIT_RUNS, 8) {}
};

} // namespace

void add_noisy_pads(Variants &variants) {
    add<CacheLine>(variants, {"sycl-cache-line",
                              "SYCL: a work-group for the eight pads of a cache line, through local memory",
                              "cache-line", nullptr});
    add<BitRuns>(variants, {"sycl-bit-runs",
                            "SYCL: charges read once, 16 bytes a lane, as bits; runs of 32 time bins at once",
                            "bit-runs", "SYCL has no larger of halves of a word"});
}
