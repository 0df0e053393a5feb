// The pads of channels, of all links of an endpoint.
#pragma once
#include "../pages/geometry.h"
#include "../pages/target.h"
#include "staged.h"

namespace {

constexpr u32 CHANNELS_OF_ENDPOINT = MAX_FECS_IN_HALF * CHANNELS_IN_LINK;
constexpr u32 ENDPOINTS_OF_SECTOR = 20;

// What is needed of each channel is made by the launcher, in the order of channels: the
// samples of a link then read neighbours. Digits need the same of all sectors, charges
// have gains of their own in each.
__device__ __forceinline__ const u16* cells_of(const u16* cells, const PageRecord& page) {
    return cells + page.endpoint * CHANNELS_OF_ENDPOINT;
}
__device__ __forceinline__ const ChargeCell* cells_of(const ChargeCell* cells, const PageRecord& page) {
    return cells + (page.sector * ENDPOINTS_OF_SECTOR + page.endpoint) * CHANNELS_OF_ENDPOINT;
}

template <class Output>
struct LinkPads {
    const typename Output::Cell* cells;

    __device__ __forceinline__ LinkPads(const typename Output::Cell* all, const PageRecord& page, Geometry)
        : cells(cells_of(all, page)) {}

    __device__ __forceinline__ typename Output::Cell cell(const Output&, const Strand&, u32 channel) const {
        return cells[channel];
    }
};

}  // namespace
