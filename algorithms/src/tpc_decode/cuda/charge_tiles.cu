// Maps of charges, whole tiles at a time.
//
// A charge is two bytes, and memory is written in sectors of 32. Put where they belong one by
// one, charges have most sectors of a map written in part, for which these have to be read first;
// and all of the map has to be cleared before. So decoders list charges beside their positions, and
// a block here has a few lines of tiles of a region, the rows that two endpoints read: it puts
// the charges of these lines together in shared memory, and writes the tiles with their zeros.
//
// Which samples these are is found by looking: pages say which time bins they have, and their
// samples are in order of time. Nothing has to be known of the order of pages.
//
// Static shared memory: the tiles of a region, row by row, line by line; which pages have samples
// there, and where the tiles of rows begin.
#include "pages/geometry.h"
#include "pages/target.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;
// Of a multiprocessor: as many as have room in shared memory. Where that is for seven, an H100
// needs no more registers than they have; others would spill, and get more for five.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
constexpr u32 RESIDENT_BLOCKS = 7;
#else
constexpr u32 RESIDENT_BLOCKS = 5;
#endif
// Lines of a block.
constexpr u32 LINES = 2;
// Tiles and rows of a region at most.
constexpr u32 MOST_TILES = 208;
constexpr u32 MOST_ROWS = 18;
constexpr u32 REGIONS = 10;
constexpr u32 TILE = TILE_PADS * TILE_TIMES;
constexpr u32 GRANULES_OF_TILE = TILE * sizeof(u16) / GRANULE;
constexpr u32 TILES_OF_PITCH = ROW_PITCH / TILE_PADS;

// The first of a row's tiles in a line of a map.
__device__ __forceinline__ u32 first_tile(u32 row) { return PAD_MARGIN / TILE_PADS + row * TILES_OF_PITCH; }

__device__ __forceinline__ u32 tiles_of(Geometry geometry, u32 row) {
    return (geometry.pads_in_row(row) + TILE_PADS - 1) / TILE_PADS;
}

// The rows of a region, which its endpoints share in halves.
struct Rows {
    u32 first, count;

    __device__ __forceinline__ Rows(Geometry geometry, u32 region)
        : first(geometry.first_row(2 * region)), count(geometry.rows(2 * region) + geometry.rows(2 * region + 1)) {}
};

// Samples of a page that are in these lines: first of what may be any, then as they were found.
struct PageSamples {
    u32 slot;
    u16 all;
    u16 bounds[2];
};

struct Shared {
    uint4 granules[LINES * MOST_TILES * GRANULES_OF_TILE];
    PageSamples pages[THREADS];
    u32 found;
    u32 first_of_row[MOST_ROWS + 1];  // tiles of the rows before

    __device__ __forceinline__ u16* entries() { return reinterpret_cast<u16*>(granules); }
    __device__ __forceinline__ u32 tiles(u32 rows) const { return first_of_row[rows]; }
};

// What decoders listed: a position and a charge for each sample.
struct Listed {
    const u32* positions;
    const u16* charges;

    // Samples outside the fragment have no time: their charges say on which side they are.
    __device__ __forceinline__ bool is_before(u32 sample, u32 time) const {
        const u32 position = positions[sample];
        return position == OUTSIDE ? charges[sample] != BEHIND : high_half(position) < time;
    }

    // The first sample of a page that is not before a time, found by all lanes of a warp: each
    // looks at the end of a piece.
    __device__ __forceinline__ u32 bound(u32 slot, u32 samples, u32 time) const {
        u32 begin = 0, end = samples;
        while (begin < end) {
            const u32 piece = (end - begin + LANES - 1) / LANES;
            const u32 last = begin + (threadIdx.x % LANES + 1) * piece - 1;
            const bool before = last < end && is_before(slot + last, time);
            begin += (u32)popc(__ballot_sync(FULL_MASK, before)) * piece;
            end = min(end, begin + piece - 1);
        }
        return begin;
    }
};

// The lines of a block, and the times in the map that they have.
struct Lines {
    u32 first, end;

    __device__ __forceinline__ Lines(u32 chunk, u32 lines)
        : first(1 + chunk * LINES), end(min(first + LINES, 1 + lines)) {}

    __device__ __forceinline__ u32 first_time() const { return first * TILE_TIMES; }
    __device__ __forceinline__ u32 end_of_times() const { return end * TILE_TIMES; }
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

// A thread a job: notes those whose pages announce time bins of the lines.
__device__ __forceinline__ void find_pages(Shared& shared, const uint2* extents, Job job, u32 first_time_bin,
                                           Lines lines) {
    const uint2 extent = extents[job.page];
    const u32 begin = extent.x, end = begin + high_half(extent.y);
    const u32 first = first_time_bin + lines.first_time() - TIME_MARGIN;
    const u32 behind = first_time_bin + lines.end_of_times() - TIME_MARGIN;
    if (begin >= behind || end <= first) return;
    const u32 place = atomicAdd(&shared.found, 1u);
    shared.pages[place].slot = job.slot;
    shared.pages[place].all = (u16)low_half(extent.y);
}

// A warp a bound: finds where the samples of the lines begin and end in each page.
__device__ __forceinline__ void find_samples(Shared& shared, const Listed& listed, Lines lines) {
    for (u32 i = threadIdx.x / LANES; i < 2 * shared.found; i += WARPS) {
        PageSamples& page = shared.pages[i / 2];
        const u32 time = i % 2 == 0 ? lines.first_time() : lines.end_of_times();
        const u32 bound = listed.bound(page.slot, page.all, time);
        if (threadIdx.x % LANES == 0) page.bounds[i % 2] = (u16)bound;
    }
}

// Puts the samples that were found into their tiles.
__device__ __forceinline__ void put(Shared& shared, const Listed& listed, Rows rows, Lines lines) {
    u16* entries = shared.entries();
    const u32 tiles = shared.tiles(rows.count);
    for (u32 i = 0; i < shared.found; i++) {
        const PageSamples& page = shared.pages[i];
        const u32 slot = page.slot, end = page.bounds[1];
        for (u32 sample = page.bounds[0] + threadIdx.x; sample < end; sample += THREADS) {
            const u32 position = listed.positions[slot + sample];
            const u32 time = high_half(position) - lines.first_time();
            const u32 column = low_half(position) - PAD_MARGIN, row = column / ROW_PITCH;
            const u32 pad = column - row * ROW_PITCH;
            const u32 tile = time / TILE_TIMES * tiles + shared.first_of_row[row - rows.first] + pad / TILE_PADS;
            entries[tile * TILE + time % TILE_TIMES * TILE_PADS + pad % TILE_PADS] = listed.charges[slot + sample];
        }
    }
}

// A warp a row and line: writes its tiles.
__device__ __forceinline__ void leave(const Shared& shared, Rows rows, Lines lines, u16* map) {
    const u32 tiles = shared.tiles(rows.count);
    for (u32 i = threadIdx.x / LANES; i < rows.count * (lines.end - lines.first); i += WARPS) {
        const u32 row = i % rows.count, line = i / rows.count;
        const u32 begin = shared.first_of_row[row], granules = (shared.first_of_row[row + 1] - begin) * GRANULES_OF_TILE;
        const uint4* from = shared.granules + (line * tiles + begin) * GRANULES_OF_TILE;
        const u32 tile = (lines.first + line) * TILES_IN_ROW + first_tile(rows.first + row);
        uint4* to = reinterpret_cast<uint4*>(map) + tile * GRANULES_OF_TILE;
        for (u32 granule = threadIdx.x % LANES; granule < granules; granule += LANES)
            __stcs(&to[granule], from[granule]);
    }
}

// Gets ready: no tile has a charge, no page was found. Barrier needed after.
__device__ __forceinline__ void begin(Shared& shared, Geometry geometry, Rows rows) {
    for (u32 i = threadIdx.x; i < LINES * MOST_TILES * GRANULES_OF_TILE; i += THREADS)
        shared.granules[i] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x > rows.count) return;
    u32 before = 0;
    for (u32 row = 0; row < threadIdx.x; row++) before += tiles_of(geometry, rows.first + row);
    shared.first_of_row[threadIdx.x] = before;
}

// The first job of a fragment that is of a page or one behind it.
__device__ __forceinline__ u32 first_job(const Job* jobs, u32 begin, u32 end, u32 page) {
    while (begin < end) {
        const u32 middle = begin + (end - begin) / 2;
        if (jobs[middle].page < page)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

}  // namespace

// The jobs of each of `count` streams among those of a fragment, first and behind the last; the
// pages of streams are in `pages` in the same way. A thread a stream.
extern "C" __global__ void __launch_bounds__(THREADS)
    stream_jobs(const Job* jobs, const u32* begins, u32 fragment, const uint2* pages, u32 count, uint2* streams) {
    const u32 stream = blockIdx.x * THREADS + threadIdx.x;
    if (stream >= count) return;
    const uint2 own = pages[stream];
    const u32 begin = begins[fragment], end = begins[fragment + 1];
    streams[stream] = make_uint2(first_job(jobs, begin, end, own.x), first_job(jobs, begin, end, own.y));
}
KERNEL_EXPORT(stream_jobs)

// Makes all tiles that hold pads in all lines of the maps. The streams of the region `i % 10` of
// the map `i / 10` are those from `regions[i]` to `regions[i + 1]`. For each region of each map as
// many blocks as its `lines` take, one after the other.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    charge_tiles(const uint2* extents, const Job* jobs, const u32* regions, const uint2* streams, const u32* geometry,
                 const Fragment* fragments, u32 fragment, u32 lines, const u32* positions, const u16* charges,
                 u16* maps) {
    __shared__ Shared shared;
    const u32 chunks = (lines + LINES - 1) / LINES;
    const u32 number = blockIdx.x / chunks, map = number / REGIONS;
    const Lines own(blockIdx.x % chunks, lines);
    const Rows rows({geometry}, number % REGIONS);
    const Fragment in = fragments[fragment];
    const RegionJobs of_region = {streams + regions[number], regions[number + 1] - regions[number]};
    const Listed listed = {positions, charges};
    const u32 total = of_region.total();
    begin(shared, {geometry}, rows);
    // As many jobs at a time as there are threads: mostly that is all of them.
    for (u32 first = 0; first < total; first += THREADS) {
        __syncthreads();
        if (threadIdx.x == 0) shared.found = 0;
        __syncthreads();
        if (first + threadIdx.x < total)
            find_pages(shared, extents, jobs[of_region.job(first + threadIdx.x)], in.first_time_bin, own);
        __syncthreads();
        find_samples(shared, listed, own);
        __syncthreads();
        put(shared, listed, rows, own);
    }
    __syncthreads();
    leave(shared, rows, own, maps + (u64)map * in.entries);
}
KERNEL_EXPORT(charge_tiles)

// Makes all tiles zeros that hold no pads, or are in no line. A block a line of tiles of a map,
// `all_lines` a map.
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
