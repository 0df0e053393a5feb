// Merges two sorted runs in equal shares (Merge Path: Odeh, Green, Mwassi, Shmueli and Birk 2012).
#pragma once
#include "portable.h"

// Number of items of `a` among the first `diagonal` items of the merged runs. Equal items of `a`
// precede those of `b`. `less(x, y)` compares two items.
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

// Reads the next ITEMS merged items of two runs of an array, which start at `a` and `b`. After the
// ends of both runs nothing is read, and the items are unchanged.
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
