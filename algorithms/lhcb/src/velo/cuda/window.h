// Pixels around a super-pixel, and the cluster that grows from one, in masks of bits: fields of 4 x 16 pixels.
#pragma once
#include "portable.h"
// nvcc: -fmad=false

namespace velo {

// Clusters of a flagged super-pixel: their number, columns, rows and fractions.
struct Pattern {
    u32 count;
    u32 column[2], row[2];
    float column_fraction[2], row_fraction[2];
};

constexpr u64 ALL_COLUMNS = 0x0001000100010001ull;

// Pixels that can be reached from `cluster` in steps to set pixels. Steps to the north-east and
// south-west are off by a row at the ends, as in the experiment.
__device__ __noinline__ u64 grow(u64 cluster, u64 pixels) {
    constexpr u64 NOT_LAST = 0x7fff * ALL_COLUMNS, NOT_FIRST = 0xfffe * ALL_COLUMNS;
    constexpr u64 NORTH_EAST = 0xfffc * ALL_COLUMNS, SOUTH_WEST = 0x3fff * ALL_COLUMNS;
    while (true) {
        const u64 up = cluster & NOT_LAST, down = cluster & NOT_FIRST;
        const u64 steps = up << 1 | up >> 15 | down >> 1 | down << 15 | cluster << 16 | cluster >> 16 |
            (cluster & NORTH_EAST) << 17 | (cluster & SOUTH_WEST) >> 17;
        const u64 grown = cluster | (steps & pixels);
        if (grown == cluster) return cluster;
        cluster = grown;
    }
}

__device__ __forceinline__ u32 rows_of(u64 field, u32 column) { return (u32)(field >> (16 * column)) & 0xffffu; }
__device__ __forceinline__ u32 near(u32 rows) { return rows | rows << 1 | rows >> 1; }

// Rows of a super-pixel's own columns and of the next one, from one below to one above, in order to find
// pixels without neighbours to the north and east.
struct Neighbours {
    u32 columns[3];

    __device__ __forceinline__ explicit Neighbours(u32 pattern) : columns{(pattern & 15) << 1, (pattern >> 4) << 1, 0} {}

    // Adds the pixels of the super-pixel that is `column` to the east and `row` - 1 to the north.
    __device__ __forceinline__ void add(u32 column, u32 row, u32 pattern) {
        // Its own address counts for itself alone.
        if (row > 2 || (column == 0 && row == 1)) return;
        const u32 shift = 4 * row;
        // Of twelve rows those from the third on are kept.
        const u32 low = (pattern & 15) << shift >> 3 & 63, high = (pattern >> 4) << shift >> 3 & 63;
        if (column == 0) {
            columns[0] |= low;
            columns[1] |= high;
        } else {
            columns[2] |= low;
        }
    }

    // Bits of the pixels that have no neighbour to the north or east.
    __device__ __forceinline__ u32 candidates() const {
        const u32 first = columns[0] & ~(columns[0] >> 1) & ~near(columns[1]);
        const u32 second = columns[1] & ~(columns[1] >> 1) & ~near(columns[2]);
        return (first >> 1 & 15) | (second >> 1 & 15) << 4;
    }
};

// Pixels around a super-pixel: four columns to the west, its own and the two before, and the rows of the
// next one.
struct Window {
    u64 west, main;
    u32 east;

    // Adds the pixels of the super-pixel of this column and row of the window.
    __device__ __forceinline__ void add(u32 column, u32 row, u32 pattern) {
        const u64 both = ((u64)(pattern & 15) | (u64)(pattern >> 4) << 16) << (4 * row);
        if (column < 2) {
            west |= both << (32 * column);
        } else if (column < 4) {
            main |= both << (32 * (column - 2));
        } else if (column == 4) {
            east |= (u32)both & 0xffffu;
        }
    }
};

// Pixels of a cluster, in the main part of the window and to the west; none if there is no cluster.
struct ClusterFields {
    u64 main, west;
};

// The cluster of a candidate, which is a bit of the super-pixel's pattern.
__device__ __forceinline__ ClusterFields cluster_of(const Window& window, u32 bit) {
    constexpr u64 FIRST_AND_LAST_ROW = 0x8001 * ALL_COLUMNS;
    constexpr u64 LAST_ROW_OR_FIRST_COLUMN = 0x800080008000ffffull;
    const u64 own = 1ull << (16 * (2 + bit / 4) + 8 + bit % 4);
    const u64 cluster = grow(own, window.main);
    const bool touches_east = (near(rows_of(cluster, 3)) & window.east) != 0;
    const bool has_later = cluster > (own | (own - 1));
    if (touches_east || has_later || (cluster & FIRST_AND_LAST_ROW) != 0) return {0, 0};
    const u64 start = (u64)(near(rows_of(cluster, 0)) & rows_of(window.west, 3)) << 48;
    const u64 extension = start == 0 ? 0 : grow(start, window.west);
    if ((extension & LAST_ROW_OR_FIRST_COLUMN) != 0) return {0, 0};
    return {cluster, extension};
}

}  // namespace velo
