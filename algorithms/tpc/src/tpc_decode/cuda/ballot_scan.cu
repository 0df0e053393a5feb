// Link and dense link pages as published: a warp decodes a page; the offset of each lane's sample
// follows from a vote of the lanes. See pages/links.h.
//
// Static shared memory: the channels of a dense block, 1600 bytes a warp.
#include "pages/links.h"

KERNEL_INSTANCE(link_digits, Decoding, (WARP_THREADS, RESIDENT_BLOCKS), decode_links<BallotScan, DigitTarget>)
KERNEL_INSTANCE(link_charges, Decoding, (WARP_THREADS, RESIDENT_BLOCKS), decode_links<BallotScan, ChargeTarget>)
KERNEL_INSTANCE(dense_link_digits, Decoding, (WARP_THREADS, RESIDENT_BLOCKS),
                decode_dense_links<BallotScan, DigitTarget>)
KERNEL_INSTANCE(dense_link_charges, Decoding, (WARP_THREADS, RESIDENT_BLOCKS),
                decode_dense_links<BallotScan, ChargeTarget>)
