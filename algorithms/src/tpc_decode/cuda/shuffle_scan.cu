// Link and dense link pages as decoded before votes were introduced: the offset of a lane's sample
// is found by a prefix sum over the warp with shuffles. See pages/links.h.
//
// Static shared memory: the channels of a dense block, 1600 bytes a warp.
#include "pages/links.h"

// Decodes the pages of a fragment to digits. A warp for each page; there may be more warps.
extern "C" __global__ void __launch_bounds__(WARP_THREADS, RESIDENT_BLOCKS)
    shuffle_link_digits(const u8* pages, const PageRecord* records, const u32* geometry, const u16* pads,
                        const Job* jobs, const u32* job_offsets, u32 fragment, u64* digits) {
    (void)geometry;
    decode_links<ShuffleScan>(pages, records, pads, jobs, job_offsets, fragment, DigitTarget{digits});
}
KERNEL_EXPORT(shuffle_link_digits, DecodeDigits)

// Decodes to positions and charges.
extern "C" __global__ void __launch_bounds__(WARP_THREADS, RESIDENT_BLOCKS)
    shuffle_link_charges(const u8* pages, const PageRecord* records, const u32* geometry, const u16* pads,
                         const Job* jobs, const u32* job_offsets, u32 fragment, const Fragment* fragments,
                         const float* gains, u32* positions, u16* maps) {
    (void)geometry;
    const ChargeTarget target = {fragments + fragment, gains, positions, maps};
    decode_links<ShuffleScan>(pages, records, pads, jobs, job_offsets, fragment, target);
}
KERNEL_EXPORT(shuffle_link_charges, DecodeCharges)

extern "C" __global__ void __launch_bounds__(WARP_THREADS, RESIDENT_BLOCKS)
    shuffle_dense_link_digits(const u8* pages, const PageRecord* records, const u32* geometry, const u16* pads,
                              const Job* jobs, const u32* job_offsets, u32 fragment, u64* digits) {
    (void)geometry;
    decode_dense_links<ShuffleScan>(pages, records, pads, jobs, job_offsets, fragment, DigitTarget{digits});
}
KERNEL_EXPORT(shuffle_dense_link_digits, DecodeDigits)

extern "C" __global__ void __launch_bounds__(WARP_THREADS, RESIDENT_BLOCKS)
    shuffle_dense_link_charges(const u8* pages, const PageRecord* records, const u32* geometry, const u16* pads,
                               const Job* jobs, const u32* job_offsets, u32 fragment, const Fragment* fragments,
                               const float* gains, u32* positions, u16* maps) {
    (void)geometry;
    const ChargeTarget target = {fragments + fragment, gains, positions, maps};
    decode_dense_links<ShuffleScan>(pages, records, pads, jobs, job_offsets, fragment, target);
}
KERNEL_EXPORT(shuffle_dense_link_charges, DecodeCharges)
