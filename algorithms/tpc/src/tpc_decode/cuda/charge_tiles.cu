// Maps of charges, in complete tiles.
//
// A charge is two bytes, and memory is written in sectors of 32. Scattered one by one, charges
// write most sectors of a map partially, for which these have to be read first; and the map has to
// be cleared before. So decoders list charges parallel to their positions, and a block here has a
// few lines of tiles of a region, the rows that two endpoints read: it collects the charges of
// these lines in shared memory, and writes the tiles with their zeros.
//
// The samples of these lines are found beforehand: pages state their time bins, and their samples
// are in order of time. Pages may be in any order. A block that had to search would wait for memory
// a dozen times; this one waits four times: for the pages of the region, for those with samples in
// its lines, for the ranges of these samples, and for the samples.
//
// Static shared memory: the tiles of a region, row by row, line by line; flags of the pages with
// samples there, and the offsets of the tiles of rows.
#include "pages/page.h"
#include "pages/target.h"
#include "scan.h"

namespace tpc_decode {

// A decoded page, and the chunks of lines of the fragment in which it has samples.
struct __align__(8) PageLines {
    u32 slot;
    u16 first_chunk, chunks;
};

// Arguments of making the maps of a fragment.
struct TileMaking {
    const uint2* extents;
    const Job* jobs;
    const u32* job_offsets;
    const Fragment* fragments;
    // Ranges of the pages and of the jobs of each stream.
    const uint2* stream_pages;
    uint2* streams;
    // For each job, its lines with samples, and BOUNDS_OF_PAGE bounds of chunks.
    PageLines* page_lines;
    u16* bounds;
    // The streams of the region `i % 10` of the map `i / 10` are those from `regions[i]` to
    // `regions[i + 1]`.
    const u32* regions;
    // For each region and row of it, the tiles of the rows before, then of all.
    const u32* tiles_before;
    Geometry geometry;
    const u32* positions;
    const u16* charges;
    u16* maps;
    u32 fragment, count, lines;  // `count` streams
};

}  // namespace tpc_decode

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;
// Samples of a thread whose loads are in flight: most blocks have no more.
constexpr u32 SAMPLES_AT_ONCE = 4;
// Resident blocks of a multiprocessor: the maximum that their shared memory allows. If that is
// seven, an H100 needs no more registers than are available; other GPUs would spill, and get
// registers for five blocks.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
constexpr u32 RESIDENT_BLOCKS = 7;
#else
constexpr u32 RESIDENT_BLOCKS = 5;
#endif
// Lines of a block, which form a chunk.
constexpr u32 LINES = 2;
constexpr u32 CHUNK_TIMES = LINES * TILE_TIMES;
// Maximum number of chunks with samples of a page, plus one: it is of one orbit.
constexpr u32 BOUNDS_OF_PAGE = 64;
constexpr u32 MAX_TIME_BINS = (BC_PER_ORBIT + BC_PER_TIME_BIN - 1) / BC_PER_TIME_BIN;
static_assert(MAX_TIME_BINS / CHUNK_TIMES + 3 <= BOUNDS_OF_PAGE, "bounds of all chunks fit of a page");
// Maximum number of tiles and of rows of a region.
constexpr u32 MAX_TILES = 208;
constexpr u32 MAX_ROWS = 18;
constexpr u32 REGIONS = 10;
constexpr u32 TILE = TILE_PADS * TILE_TIMES;
constexpr u32 GRANULES_OF_TILE = TILE * sizeof(u16) / GRANULE;
constexpr u32 TILES_OF_PITCH = ROW_PITCH / TILE_PADS;

// The first of a row's tiles in a line of a map.
__device__ __forceinline__ u32 first_tile(u32 row) { return PAD_MARGIN / TILE_PADS + row * TILES_OF_PITCH; }

__device__ __forceinline__ u32 tiles_of(Geometry geometry, u32 row) {
    return (geometry.pads_in_row(row) + TILE_PADS - 1) / TILE_PADS;
}

// The rows of a region; each of its endpoints has one half.
struct Rows {
    u32 first, count;

    __device__ __forceinline__ Rows(Geometry geometry, u32 region)
        : first(geometry.first_row(2 * region)), count(geometry.rows(2 * region) + geometry.rows(2 * region + 1)) {}
};

// Samples of a page in the lines of a block: the index of the first among all samples, and the
// cumulative number in this and the previously found pages.
struct PageSamples {
    u32 first, end;
};

struct Shared {
    uint4 granules[LINES * MAX_TILES * GRANULES_OF_TILE];
    PageSamples pages[THREADS];
    u32 found;               // pages in the upper bits, samples in the lower ones
    u32 first_of_row[MAX_ROWS + 1];  // number of tiles of the rows before

    __device__ __forceinline__ u16* entries() { return reinterpret_cast<u16*>(granules); }
    __device__ __forceinline__ u32 tiles(u32 rows) const { return first_of_row[rows]; }
};

// A page has fewer than 2^16 samples, and there are no more pages than threads.
constexpr u32 FOUND_SHIFT = 24;
static_assert(THREADS <= 1u << (32 - FOUND_SHIFT) && THREADS << 16 <= 1u << FOUND_SHIFT, "both counts fit");

// Lists of decoders: a position and a charge for each sample.
struct Listed {
    const u32* positions;
    const u16* charges;

    // Samples outside the fragment have no time: their charges encode whether they are before or
    // after it.
    __device__ __forceinline__ bool is_before(u32 sample, u32 time) const {
        const u32 position = positions[sample];
        return position == OUTSIDE ? charges[sample] != BEHIND : high_half(position) < time;
    }

    // The first sample of a page that is not before a time (lower bound).
    __device__ __forceinline__ u32 bound(u32 slot, u32 samples, u32 time) const {
        return lower_bound(0, samples, [&](u32 sample) { return is_before(slot + sample, time); });
    }
};

// The chunks with samples of a page.
struct Chunks {
    u32 first, count;

    // Chunks of a page with these time bins of the time frame, clipped to the fragment.
    __device__ __forceinline__ Chunks(u32 begin, u32 end, const Fragment& fragment) {
        const u32 behind = fragment.first_time_bin + fragment.time_bins;
        const u32 from = max(begin, fragment.first_time_bin) - fragment.first_time_bin;
        const u32 to = min(end, behind) - fragment.first_time_bin;
        first = from / CHUNK_TIMES;
        count = to > from ? (to - 1) / CHUNK_TIMES + 1 - first : 0;
    }
};

// The lines of a block, and their times in the map.
struct Lines {
    u32 first, end;

    __device__ __forceinline__ Lines(u32 chunk, u32 lines)
        : first(1 + chunk * LINES), end(min(first + LINES, 1 + lines)) {}

    __device__ __forceinline__ u32 first_time() const { return first * TILE_TIMES; }
};

// The jobs of a region's streams, one after the other.
struct RegionJobs {
    const uint2* streams;
    u32 count;  // of streams

    __device__ __forceinline__ u32 total() const {
        u32 jobs = 0;
        for (u32 i = 0; i < count; i++) jobs += streams[i].y - streams[i].x;
        return jobs;
    }

    __device__ __forceinline__ u32 job(u32 number) const {
        const uint2* stream = streams;
        for (; number >= stream->y - stream->x; stream++) number -= stream->y - stream->x;
        return stream->x + number;
    }
};

// Records the samples of a page in a chunk.
__device__ __forceinline__ void note(Shared& shared, PageLines page, const u16* bounds, u32 chunk) {
    const u32 number = chunk - page.first_chunk;
    if (number >= page.chunks) return;
    const u32 begin = bounds[number], count = bounds[number + 1] - begin;
    if (count == 0) return;
    const u32 before = atomicAdd(&shared.found, 1u << FOUND_SHIFT | count);
    const u32 samples = before & ((1u << FOUND_SHIFT) - 1);
    // The index of a sample among all found ones, plus this, is its index in the list.
    shared.pages[before >> FOUND_SHIFT] = {page.slot + begin - samples, samples + count};
}

// The index in the list of a found sample.
__device__ __forceinline__ u32 listed_at(const Shared& shared, u32 sample) {
    u32 page = 0;
    while (sample >= shared.pages[page].end) page++;
    return shared.pages[page].first + sample;
}

// Index of a position's entry in shared memory.
__device__ __forceinline__ u32 entry_of(const Shared& shared, u32 position, Rows rows, Lines lines) {
    const u32 time = high_half(position) - lines.first_time();
    const u32 column = low_half(position) - PAD_MARGIN, row = column / ROW_PITCH;
    const u32 pad = column - row * ROW_PITCH, tiles = shared.tiles(rows.count);
    const u32 tile = time / TILE_TIMES * tiles + shared.first_of_row[row - rows.first] + pad / TILE_PADS;
    return tile * TILE + time % TILE_TIMES * TILE_PADS + pad % TILE_PADS;
}

// Stores the found samples in their tiles.
__device__ __forceinline__ void put(Shared& shared, const Listed& listed, Rows rows, Lines lines) {
    u16* entries = shared.entries();
    const u32 count = shared.found & ((1u << FOUND_SHIFT) - 1);
    for (u32 first = threadIdx.x; first < count; first += SAMPLES_AT_ONCE * THREADS) {
        u32 positions[SAMPLES_AT_ONCE];
        u16 charges[SAMPLES_AT_ONCE];
#pragma unroll
        for (u32 i = 0; i < SAMPLES_AT_ONCE; i++) {
            if (first + i * THREADS >= count) break;
            const u32 sample = listed_at(shared, first + i * THREADS);
            positions[i] = listed.positions[sample];
            charges[i] = listed.charges[sample];
        }
#pragma unroll
        for (u32 i = 0; i < SAMPLES_AT_ONCE; i++) {
            if (first + i * THREADS < count) entries[entry_of(shared, positions[i], rows, lines)] = charges[i];
        }
    }
}

// Writes the tiles of a row in each line, with a warp for each row.
__device__ __forceinline__ void leave(const Shared& shared, Rows rows, Lines lines, u16* map) {
    const u32 granules_of_line = shared.tiles(rows.count) * GRANULES_OF_TILE;
    uint4* line = reinterpret_cast<uint4*>(map) +
                  (lines.first * TILES_IN_ROW + first_tile(rows.first)) * GRANULES_OF_TILE;
    const uint4* from = shared.granules;
    for (u32 i = lines.first; i < lines.end; i++) {
        for (u32 row = threadIdx.x / LANES; row < rows.count; row += WARPS) {
            const u32 begin = shared.first_of_row[row] * GRANULES_OF_TILE;
            const u32 end = shared.first_of_row[row + 1] * GRANULES_OF_TILE;
            uint4* to = line + row * (TILES_OF_PITCH * GRANULES_OF_TILE) - begin;
            for (u32 granule = begin + threadIdx.x % LANES; granule < end; granule += LANES)
                __stcs(&to[granule], from[granule]);
        }
        from += granules_of_line;
        line += TILES_IN_ROW * GRANULES_OF_TILE;
    }
}

// Initializes shared memory: empty tiles, no pages. Barrier needed after.
__device__ __forceinline__ void begin(Shared& shared, const u32* tiles_before) {
    for (u32 i = threadIdx.x; i < LINES * MAX_TILES * GRANULES_OF_TILE; i += THREADS)
        shared.granules[i] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x <= MAX_ROWS) shared.first_of_row[threadIdx.x] = tiles_before[threadIdx.x];
}

// The first job of a fragment whose page is `page` or a later one.
__device__ __forceinline__ u32 first_job(const Job* jobs, u32 begin, u32 end, u32 page) {
    return lower_bound(begin, end, [&](u32 job) { return jobs[job].page < page; });
}

// The range of jobs of each stream among those of a fragment. A thread for each stream.
__device__ __forceinline__ void find_jobs(const TileMaking& all) {
    const u32 stream = blockIdx.x * THREADS + threadIdx.x;
    if (stream >= all.count) return;
    const uint2 own = all.stream_pages[stream];
    const u32 begin = all.job_offsets[all.fragment], end = all.job_offsets[all.fragment + 1];
    all.streams[stream] = make_uint2(first_job(all.jobs, begin, end, own.x), first_job(all.jobs, begin, end, own.y));
}

// Finds the first sample and the end of each chunk in the pages of a fragment. A thread for each
// bound.
__device__ __forceinline__ void find_bounds(const TileMaking& all) {
    const u32 i = blockIdx.x * THREADS + threadIdx.x, bound = i % BOUNDS_OF_PAGE;
    const u32 number = i / BOUNDS_OF_PAGE, index = all.job_offsets[all.fragment] + number;
    if (index >= all.job_offsets[all.fragment + 1]) return;
    const Job job = all.jobs[index];
    const uint2 extent = all.extents[job.page];
    const u32 begin = extent.x, end = begin + high_half(extent.y), samples = low_half(extent.y);
    const Chunks chunks(begin, end, all.fragments[all.fragment]);
    if (bound == 0) all.page_lines[index] = {job.slot, (u16)chunks.first, (u16)chunks.count};
    if (bound > chunks.count) return;
    const u32 time = (chunks.first + bound) * CHUNK_TIMES + TIME_MARGIN;
    const Listed listed = {all.positions, all.charges};
    all.bounds[(u64)index * BOUNDS_OF_PAGE + bound] = (u16)listed.bound(job.slot, samples, time);
}

// Makes all tiles that contain pads in all lines of the maps. For each region of each
// map there are consecutive blocks for all of its lines.
__device__ __forceinline__ void make_tiles(const TileMaking& all) {
    __shared__ Shared shared;
    const u32 chunks = (all.lines + LINES - 1) / LINES;
    const u32 number = blockIdx.x / chunks, chunk = blockIdx.x % chunks, map = number / REGIONS;
    const Lines own(chunk, all.lines);
    const Rows rows(all.geometry, number % REGIONS);
    const RegionJobs of_region = {all.streams + all.regions[number], all.regions[number + 1] - all.regions[number]};
    const u32 total = of_region.total();
    begin(shared, all.tiles_before + number % REGIONS * (MAX_ROWS + 1));
    // Processes THREADS jobs at a time: usually that is all of them.
    for (u32 first = 0; first < total; first += THREADS) {
        __syncthreads();
        if (threadIdx.x == 0) shared.found = 0;
        __syncthreads();
        if (first + threadIdx.x < total) {
            const u32 job = of_region.job(first + threadIdx.x);
            note(shared, all.page_lines[job], all.bounds + (u64)job * BOUNDS_OF_PAGE, chunk);
        }
        __syncthreads();
        put(shared, {all.positions, all.charges}, rows, own);
    }
    __syncthreads();
    leave(shared, rows, own, all.maps + (u64)map * all.fragments[all.fragment].entries);
}

}  // namespace

KERNEL_INSTANCE(stream_jobs, TileMaking, (THREADS), find_jobs)
KERNEL_INSTANCE(find_lines, TileMaking, (THREADS), find_bounds)
KERNEL_INSTANCE(charge_tiles, TileMaking, (THREADS, RESIDENT_BLOCKS), make_tiles)

// Clears all tiles that contain no pads, or are in no line. A block for each line of tiles of a
// map, `all_lines` a map.
extern "C" __global__ void __launch_bounds__(THREADS)
    clear_margins(const u32* geometry, u32 lines, u32 all_lines, u16* maps) {
    const u32 line = blockIdx.x % all_lines;
    uint4* granules = reinterpret_cast<uint4*>(maps) + (u64)blockIdx.x * TILES_IN_ROW * GRANULES_OF_TILE;
    for (u32 i = threadIdx.x; i < TILES_IN_ROW * GRANULES_OF_TILE; i += THREADS) {
        const u32 tile = i / GRANULES_OF_TILE, behind = tile - first_tile(0), row = behind / TILES_OF_PITCH;
        const bool has_pads =
            tile >= first_tile(0) && behind % TILES_OF_PITCH < tiles_of({geometry}, row) && line >= 1 && line <= lines;
        if (!has_pads) granules[i] = make_uint4(0, 0, 0, 0);
    }
}
KERNEL_EXPORT(clear_margins)
