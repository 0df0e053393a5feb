// Sorts digits into bins by row and time, as words of four bytes, and corrects their charges by
// gains. A page has digits of few rows, in the order of time, but those of a row are scattered over
// it: a block has a page, counts its digits by bin in shared memory, and reserves their bins in one
// step.
//
// Static shared memory: a word for each bin that digits of a page can be in, 4.2 KB.
#include "../../tpc_cluster_finder/cuda/fused/bins.h"
#include "../../tpc_decode/cuda/pages/page.h"
#include "../../tpc_decode/cuda/pages/target.h"

namespace tpc_chain {

// Arguments of sorting the digits of decoded pages into bins.
struct DigitBinning {
    const Job* jobs;
    const u32* job_offsets;
    const uint2* extents;
    const PageRecord* records;
    const u32* geometry;
    const u64* digits;
    // By the id of the sector in the detector.
    const u32* first_words;
    // Gains of all sectors, by column.
    const float* gains;
    u32* words;
    u32* binned;
    u32 time_bins;
    // Charge of one ADC value.
    float scale;
};

}  // namespace tpc_chain

namespace {

using tpc_chain::DigitBinning;

constexpr u32 THREADS = 256;
// Digits of a thread whose loads are in flight.
constexpr u32 ITEMS = 4;
// Rows of a region, and maximum number of bins of a row with digits of a page of one orbit.
constexpr u32 PAGE_ROWS = 18;
constexpr u32 PAGE_BINS = (BC_PER_ORBIT / BC_PER_TIME_BIN + 1) / BIN_TIMES + 2;
constexpr u32 COUNTS = PAGE_ROWS * PAGE_BINS;

PORTABLE_INLINE u32 time_of(u64 digit) { return (u32)(digit >> 32) & ((1u << 26) - 1); }
PORTABLE_INLINE u32 row_and_pad_of(u64 digit) { return (u32)(digit >> 16) & 0xffff; }

// The digits of a page, and the bins that these can be in.
struct Page {
    const u64* digits;
    u32 count, sector;
    u32 first_row, first_bin;
    u32* words;  // of the first row and bin
    u32 row_words;

    __device__ __forceinline__ explicit Page(const DigitBinning& all) {
        const Job job = all.jobs[blockIdx.x];
        const uint2 extent = all.extents[job.page];
        const PageRecord record = record_at(all.records, job.page);
        digits = all.digits + job.slot;
        count = low_half(extent.y);
        sector = record.sector;
        first_row = Geometry{all.geometry}.first_row(record.endpoint / 2 * 2);
        first_bin = extent.x / BIN_TIMES;
        row_words = words_of_row(all.time_bins);
        words = all.words + all.first_words[sector] + first_row * row_words + 1 + first_bin;
    }

    // The index of a digit's bin among those of the page.
    __device__ __forceinline__ u32 bin_of(u64 digit) const {
        return ((row_and_pad_of(digit) >> 8) - first_row) * PAGE_BINS + time_of(digit) / BIN_TIMES - first_bin;
    }

    __device__ __forceinline__ u32& word(u32 bin) const { return words[bin / PAGE_BINS * row_words + bin % PAGE_BINS]; }
};

// Calls `work` with each digit of a page. A thread has several loads in flight.
template <class Work> PORTABLE_INLINE void for_each_digit(const Page& page, Work work) {
    for (u32 first = threadIdx.x; first < page.count; first += ITEMS * THREADS) {
        u64 digits[ITEMS];
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            const u32 number = first + i * THREADS;
            if (number < page.count) digits[i] = page.digits[number];
        }
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            if (first + i * THREADS < page.count) work(digits[i]);
        }
    }
}

// Counts the digits of a page by bin. Barrier needed after.
PORTABLE_INLINE void count_page(const Page& page, u32* counts) {
    for (u32 i = threadIdx.x; i < COUNTS; i += THREADS) counts[i] = 0;
    __syncthreads();
    for_each_digit(page, [&](u64 digit) { atomicAdd(&counts[page.bin_of(digit)], 1u); });
}

// Counts the digits of each bin. A block for each page; there may be more blocks.
PORTABLE_INLINE void count(const DigitBinning& all) {
    __shared__ u32 counts[COUNTS];
    if (blockIdx.x >= all.job_offsets[1]) return;
    const Page page(all);
    count_page(page, counts);
    __syncthreads();
    for (u32 i = threadIdx.x; i < COUNTS; i += THREADS) {
        if (counts[i] > 0) atomicAdd(&page.word(i), counts[i]);
    }
}

// Stores digits in their bins.
PORTABLE_INLINE void bin(const DigitBinning& all) {
    __shared__ u32 offsets[COUNTS];
    if (blockIdx.x >= all.job_offsets[1]) return;
    const Page page(all);
    const ChargeMaker maker = {all.gains + page.sector * COLUMNS, 0, 0, all.scale};
    count_page(page, offsets);
    __syncthreads();
    // A page's digits of a bin are contiguous.
    for (u32 i = threadIdx.x; i < COUNTS; i += THREADS) {
        if (offsets[i] > 0) offsets[i] = atomicAdd(&page.word(i), offsets[i]);
    }
    __syncthreads();
    for_each_digit(page, [&](u64 digit) {
        const u32 row_and_pad = row_and_pad_of(digit);
        const u32 charge = maker.charge(maker.cell(row_and_pad), (u32)digit & 0xffff);
        const u32 to = atomicAdd(&offsets[page.bin_of(digit)], 1u);
        all.binned[to] = binned_word({time_of(digit), row_and_pad & 0xff, row_and_pad >> 8, charge});
    });
}

}  // namespace

KERNEL_INSTANCE(count_digits, DigitBinning, (THREADS), count)
KERNEL_INSTANCE(bin_digits, DigitBinning, (THREADS), bin)
