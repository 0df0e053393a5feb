// Blocks of which a multiprocessor holds two.
#pragma once
#include "portable.h"

namespace {

constexpr u32 THREADS = 512;
constexpr u32 ITEMS = 12;
constexpr u32 TILE = THREADS * ITEMS;

}  // namespace
