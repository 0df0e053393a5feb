// Merging two sorted runs in equal shares (Merge Path: Odeh, Green, Mwassi,
// Shmueli and Birk 2012).
#pragma once
#include "portable.h"

// How many of the first `diagonal` items of the merged runs come from `a`.
// Equal items come from `a` first. `less(x, y)` compares two items.
template <class Item, class Less>
__device__ __forceinline__ u32 merge_path(const Item* a, u32 a_count, const Item* b, u32 b_count, u32 diagonal,
                                          Less less) {
    u32 low = diagonal > b_count ? diagonal - b_count : 0;
    u32 high = min(diagonal, a_count);
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (less(b[diagonal - 1 - middle], a[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// The next ITEMS items of two runs of an array, which begin at `a` and `b`.
// Where both are at their ends nothing is read, and the items are left as they
// are.
template <u32 ITEMS, class Item, class Less>
__device__ __forceinline__ void merge_serially(const Item* items, u32 a, u32 a_end, u32 b, u32 b_end,
                                               Item (&merged)[ITEMS], Less less) {
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const bool from_a = a < a_end && (b >= b_end || !less(items[b], items[a]));
        if (from_a) {
            merged[i] = items[a++];
        } else if (b < b_end) {
            merged[i] = items[b++];
        }
    }
}
