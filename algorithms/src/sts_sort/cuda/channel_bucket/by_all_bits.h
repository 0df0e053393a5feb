// Digis with the same key come in the order of their other bits, so that the result is the same each
// time, whatever order blocks and threads took them in.
#pragma once

namespace {

constexpr bool KEEPS_ARRIVAL = false;

}  // namespace
