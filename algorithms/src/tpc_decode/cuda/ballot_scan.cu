// Link and dense link pages as published: a warp decodes a page; the offset of each lane's sample
// follows from a vote of the lanes. See pages/links.h.
//
// Static shared memory: the channels of a dense block, 1600 bytes a warp.
#include "pages/links.h"

// Decodes the pages of a fragment to digits. A warp for each page; there may be more warps.
extern "C" __global__ void __launch_bounds__(WARP_THREADS, RESIDENT_BLOCKS)
    link_digits(const u8* pages, const PageRecord* records, const u32* geometry, const u16* pads, const Job* jobs,
                const u32* job_offsets, u32 fragment, u64* digits) {
    (void)geometry;
    decode_links<BallotScan>(pages, records, pads, jobs, job_offsets, fragment, DigitTarget{digits});
}
KERNEL_EXPORT(link_digits, DecodeDigits)

// Decodes to positions and charges.
extern "C" __global__ void __launch_bounds__(WARP_THREADS, RESIDENT_BLOCKS)
    link_charges(const u8* pages, const PageRecord* records, const u32* geometry, const u16* pads, const Job* jobs,
                 const u32* job_offsets, u32 fragment, const Fragment* fragments, const float* gains, u32* positions,
                 u16* maps) {
    (void)geometry;
    const ChargeTarget target = {fragments + fragment, gains, positions, maps};
    decode_links<BallotScan>(pages, records, pads, jobs, job_offsets, fragment, target);
}
KERNEL_EXPORT(link_charges, DecodeCharges)

extern "C" __global__ void __launch_bounds__(WARP_THREADS, RESIDENT_BLOCKS)
    dense_link_digits(const u8* pages, const PageRecord* records, const u32* geometry, const u16* pads,
                      const Job* jobs, const u32* job_offsets, u32 fragment, u64* digits) {
    (void)geometry;
    decode_dense_links<BallotScan>(pages, records, pads, jobs, job_offsets, fragment, DigitTarget{digits});
}
KERNEL_EXPORT(dense_link_digits, DecodeDigits)

extern "C" __global__ void __launch_bounds__(WARP_THREADS, RESIDENT_BLOCKS)
    dense_link_charges(const u8* pages, const PageRecord* records, const u32* geometry, const u16* pads,
                       const Job* jobs, const u32* job_offsets, u32 fragment, const Fragment* fragments,
                       const float* gains, u32* positions, u16* maps) {
    (void)geometry;
    const ChargeTarget target = {fragments + fragment, gains, positions, maps};
    decode_dense_links<BallotScan>(pages, records, pads, jobs, job_offsets, fragment, target);
}
KERNEL_EXPORT(dense_link_charges, DecodeCharges)
