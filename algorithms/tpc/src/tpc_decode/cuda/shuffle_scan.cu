// Link and dense link pages as decoded before votes were introduced: the offset of a lane's sample
// is found by a prefix sum over the warp with shuffles. See pages/links.h.
//
// Static shared memory: the channels of a dense block, 1600 bytes a warp.
#include "pages/links.h"

KERNEL_INSTANCE(shuffle_link_digits, Decoding, (WARP_THREADS, RESIDENT_BLOCKS),
                decode_links<ShuffleScan, DigitTarget>)
KERNEL_INSTANCE(shuffle_link_charges, Decoding, (WARP_THREADS, RESIDENT_BLOCKS),
                decode_links<ShuffleScan, ChargeTarget>)
KERNEL_INSTANCE(shuffle_dense_link_digits, Decoding, (WARP_THREADS, RESIDENT_BLOCKS),
                decode_dense_links<ShuffleScan, DigitTarget>)
KERNEL_INSTANCE(shuffle_dense_link_charges, Decoding, (WARP_THREADS, RESIDENT_BLOCKS),
                decode_dense_links<ShuffleScan, ChargeTarget>)
