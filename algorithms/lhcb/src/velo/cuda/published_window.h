// Pixels around a super-pixel, and the cluster that grows from one, in masks of bits.
// nvcc: -fmad=false
#pragma once
#include "published.h"

namespace velo::published {

constexpr u64 ALL_COLUMNS = 0x0001000100010001ull;

// Rows of a column of a field of 4 x 16 pixels.
__device__ __forceinline__ u32 rows_of(u64 field, u32 column) { return (u32)(field >> (16 * column)) & 0xffffu; }

// Rows themselves, and those next to them.
__device__ __forceinline__ u32 near(u32 rows) { return rows | rows << 1 | rows >> 1; }

__device__ __forceinline__ i32 column_of(u32 word) { return (i32)(word >> 14 & 0x1ff); }
__device__ __forceinline__ i32 row_of(u32 word) { return (i32)(word >> 8 & 63); }

// Pixels that can be reached from `cluster` in steps to set pixels. Steps to the north-east and
// south-west are off by a row at the ends, as in the experiment.
__device__ __forceinline__ u64 grow(u64 cluster, u64 pixels) {
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

// Six rows of a super-pixel's columns and of the next one, from the row below to the row above.
struct Neighbours {
    u32 columns[3];

    __device__ __forceinline__ explicit Neighbours(u32 word) : columns{(word & 15) << 1, (word >> 4 & 15) << 1, 0} {}

    // Adds the pixels of another word. Its own address counts for itself alone.
    __device__ __forceinline__ void add(i32 to_east, i32 to_north, u32 word) {
        if (to_east < 0 || to_east > 1 || to_north < -1 || to_north > 1 || (to_east == 0 && to_north == 0)) return;
        const u32 shift = (u32)(4 * to_north + 4);
        // Of twelve rows those from the third on are kept.
        const u32 first = (word & 15) << shift >> 3 & 63, second = (word >> 4 & 15) << shift >> 3 & 63;
        if (to_east == 0) {
            columns[0] |= first;
            columns[1] |= second;
        } else {
            columns[2] |= first;
        }
    }

    // Bits of the pixels that have no neighbour to the north or east.
    __device__ __forceinline__ u32 candidates() const {
        const u32 first = columns[0] & ~(columns[0] >> 1) & ~near(columns[1]);
        const u32 second = columns[1] & ~(columns[1] >> 1) & ~near(columns[2]);
        return (first >> 1 & 15) | (second >> 1 & 15) << 4;
    }
};

// Pixels of a cluster with the sums of their columns and rows in the window; no pixels if there is no
// cluster.
struct Sums {
    u32 pixels, columns, rows;

    __device__ __forceinline__ void add(u64 field, u32 first_column) {
        while (field != 0) {
            const u32 bit = (u32)__ffsll((long long)field) - 1;
            pixels++;
            columns += first_column + bit / 16;
            rows += bit % 16;
            field &= field - 1;
        }
    }
};

// Unflagged pixels around a super-pixel: four columns to the west, its own and the two before, and the rows of
// the next one.
struct Window {
    u64 west = 0, main = 0;
    u32 east = 0;

    __device__ __forceinline__ void add(i32 to_east, i32 to_north, u32 word) {
        const i32 column = to_east + 3, row = to_north + 2;
        if (column < 0 || column > 4 || row < 0 || row > 3) return;
        const u64 both = ((u64)(word & 15) | (u64)(word >> 4 & 15) << 16) << (4 * row);
        if (column < 2) {
            west |= both << (32 * column);
        } else if (column < 4) {
            main |= both << (32 * (column - 2));
        } else {
            east |= (u32)both & 0xffffu;
        }
    }

    // The cluster of a candidate, which is a bit of the super-pixel's pattern.
    __device__ __forceinline__ Sums cluster_of(u32 bit) const {
        constexpr u64 FIRST_AND_LAST_ROW = 0x8001 * ALL_COLUMNS;
        constexpr u64 LAST_ROW_OR_FIRST_COLUMN = 0x800080008000ffffull;
        const u64 own = 1ull << (16 * (2 + bit / 4) + 8 + bit % 4);
        const u64 cluster = grow(own, main);
        const bool touches_east = (near(rows_of(cluster, 3)) & east) != 0;
        const bool has_later = cluster > (own | (own - 1));
        if (touches_east || has_later || (cluster & FIRST_AND_LAST_ROW) != 0) return {0, 0, 0};
        const u64 start = (u64)(near(rows_of(cluster, 0)) & rows_of(west, 3)) << 48;
        const u64 extension = start == 0 ? 0 : grow(start, west);
        if ((extension & LAST_ROW_OR_FIRST_COLUMN) != 0) return {0, 0, 0};
        Sums sums = {0, 0, 0};
        sums.add(extension, 0);
        sums.add(cluster, 4);
        return sums;
    }
};

}  // namespace velo::published
