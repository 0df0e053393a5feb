// Offsets of channels: see formulas/connecting.h.
#include "digi.wgsl"
#include "side.wgsl"

// Writes the offsets of the channels after that of the previous digi up to that of this one; the
// last digi also writes those of all remaining channels.
fn find_channels(side: Side, place: u32) {
    let channel = digi_channel(digis[side.begin + place]);
    var first = 0u;
    if place > 0u { first = digi_channel(digis[side.begin + place - 1u]) + 1u; }
    for (var c = first; c <= channel; c++) { channels[side.channels + c] = place; }
    if place + 1u < side.count { return; }
    for (var c = channel + 1u; c < CHANNEL_OFFSETS; c++) { channels[side.channels + c] = side.count; }
}
