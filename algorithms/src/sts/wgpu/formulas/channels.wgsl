// Offsets of channels: see formulas/clusters.h.
#include "digi.wgsl"
#include "side.wgsl"

// Writes the offsets of the channels after that of the previous digi up to that of this one; the
// last digi also writes those of all remaining channels.
fn find_channels(side: Side, index: u32) {
    let channel = digi_channel(digis[side.begin + index]);
    var first = 0u;
    if index > 0u { first = digi_channel(digis[side.begin + index - 1u]) + 1u; }
    for (var c = first; c <= channel; c++) { channels[side.channels + c] = index; }
    if index + 1u < side.count { return; }
    for (var c = channel + 1u; c < CHANNEL_OFFSETS; c++) { channels[side.channels + c] = side.count; }
}
