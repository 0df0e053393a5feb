// A side, with where its channels begin in `channels`: see formulas/clusters.h.

// Indices of digis count from the begin of the side.
struct Side { begin: u32, count: u32, channels: u32 }

fn side_of(side: u32) -> Side {
    return Side(segment_offsets[side], segment_offsets[side + 1u] - segment_offsets[side], side * CHANNEL_OFFSETS);
}

// Range of indices of a channel's digis.
struct IndexRange { begin: u32, end: u32 }

fn indices_of(side: Side, channel: u32) -> IndexRange {
    if channel >= CHANNELS_OF_SIDE { return IndexRange(0u, 0u); }
    let at = side.channels + channel;
    return IndexRange(channels[at], channels[at + 1u]);
}

#part channels
// Offsets of channels: see formulas/clusters.h.
#include "digi.wgsl"

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

#part links
// Links between digis: see formulas/clusters.h. It needs
// `digis`, `segment_offsets`, `channels`, `connectors` and the rules of a window.
#include "digi.wgsl"

// First index of a range that is not too early to follow a digi at `time`; `end` if all are.
fn earliest(begin: u32, first: u32, end: u32, time: u32) -> u32 {
    var low = first;
    var high = end;
    while low < high {
        let middle = (low + high) / 2u;
        if is_not_before(time, digi_time(digis[begin + middle])) { high = middle; } else { low = middle + 1u; }
    }
    return low;
}

// Connects a digi with the earliest near one of a range; returns the first index that remains for
// others.
fn connect_with(begin: u32, index: u32, first: u32, end: u32) -> u32 {
    let time = digi_time(digis[begin + index]);
    let found = earliest(begin, first, end, time);
    if found >= end || !is_not_after(time, digi_time(digis[begin + found])) { return first; }
    atomicOr(&connectors[begin + index], found);
    atomicOr(&connectors[begin + found], FOLLOWS);
    return found + 1u;
}

// True if a digi and the next one may both be near a third one.
fn is_crowded(begin: u32, index: u32) -> bool {
    let here = digi_time(digis[begin + index]);
    return digi_time(digis[begin + index + 1u]) - here <= arguments.crowd_ns;
}

// Connects all digis of a run if this is its first: digis of a channel so near to each other that
// they may choose the same successor. They choose one after the other, so the result is
// deterministic.
fn connect_run(side: Side, first: u32, current: IndexRange, next: IndexRange) {
    var index = first;
    var free = next.begin;
    var continues = index == current.begin || !is_crowded(side.begin, index - 1u);
    while continues {
        free = connect_with(side.begin, index, free, next.end);
        continues = index + 1u < current.end && is_crowded(side.begin, index);
        index++;
    }
}

fn connect(side: Side, index: u32) {
    let channel = digi_channel(digis[side.begin + index]);
    let next = indices_of(side, channel + 1u);
    if IS_EXCLUSIVE {
        connect_run(side, index, indices_of(side, channel), next);
    } else {
        connect_with(side.begin, index, next.begin, next.end);
    }
}
