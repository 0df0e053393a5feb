// Blocks that have a multiprocessor to themselves.
#pragma once
#include "portable.h"

namespace {

constexpr u32 THREADS = 1024;
constexpr u32 ITEMS = 12;
constexpr u32 TILE = THREADS * ITEMS;

}  // namespace
