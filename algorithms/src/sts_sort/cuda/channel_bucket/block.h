// Blocks of which a multiprocessor holds two.
#pragma once
#include "portable.h"

namespace {

constexpr u32 THREADS = 512;
// Digis that are sorted at once in shared memory: 64 KiB.
constexpr u32 SORTED_ITEMS = 16;
constexpr u32 CAPACITY = THREADS * SORTED_ITEMS;

}  // namespace
