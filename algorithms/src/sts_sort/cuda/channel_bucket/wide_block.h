// Blocks that have a multiprocessor to themselves.
#pragma once
#include "portable.h"

namespace {

constexpr u32 THREADS = 1024;
// Digis that are sorted at once in shared memory: 128 KiB.
constexpr u32 SORTED_ITEMS = 16;
constexpr u32 CAPACITY = THREADS * SORTED_ITEMS;

}  // namespace
