// Digis with the same key come in the order in which they arrived.
#pragma once

namespace {

constexpr bool KEEPS_ARRIVAL = true;

}  // namespace
