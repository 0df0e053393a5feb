// Successors of digis by exponential search: see links.cu. It needs `digis`,
// `connectors`, `follows`, and the rules' `Sought`. Indices count from the begin of a side.
#include "digi.wgsl"

const FIRST_LEAP = 4u;
const BYTES_OF_WORD = 4u;

// A side, or what links need of it.
struct Followers { begin: u32, count: u32 }

// First index from `first` on that reaches `sought`; the number of digis if none does. Exponential
// search: the number of steps depends on the distance, not on the length of the range.
fn leap_to(side: Followers, first: u32, sought: Sought) -> u32 {
    var low = first;
    var leap = FIRST_LEAP;
    var high = first + leap;
    while high < side.count && !is_reached(sought, digis[side.begin + high]) {
        low = high + 1u;
        leap *= 2u;
        high += leap;
    }
    high = min(high, side.count);
    while low < high {
        let middle = (low + high) / 2u;
        if is_reached(sought, digis[side.begin + middle]) { high = middle; } else { low = middle + 1u; }
    }
    return low;
}

// True if the digi at the next index is of the same channel, and so near that both may choose the
// same successor.
fn is_crowded(side: Followers, index: u32) -> bool {
    let digi = digis[side.begin + index];
    let next = digis[side.begin + index + 1u];
    return digi_channel(digi) == digi_channel(next)
        && digi_time(next) - digi_time(digi) <= arguments.crowd_ns;
}

// Flags that a digi has a predecessor: a byte of a word shared with other digis.
fn mark(index: u32) {
    atomicOr(&follows[index / BYTES_OF_WORD], 1u << (8u * (index % BYTES_OF_WORD)));
}

// Links a digi with the earliest near one of the next channel, searched from index `first` on;
// returns the first index that remains for later digis of its channel.
fn link_one(side: Followers, index: u32, first: u32) -> u32 {
    let digi = digis[side.begin + index];
    let sought = sought_by(digi);
    let near = leap_to(side, first, sought);
    let is_near = near < side.count && digi_channel(digis[side.begin + near]) == sought.channel
        && is_not_after(digi_time(digi), digi_time(digis[side.begin + near]));
    connectors[side.begin + index] = select(NO_SUCCESSOR, near, is_near);
    if !is_near { return near; }
    mark(side.begin + near);
    return near + 1u;
}

// Links all digis of a run, if this is its first.
fn link_run(side: Followers, first: u32) {
    if first > 0u && is_crowded(side, first - 1u) { return; }
    var index = first;
    var free = link_one(side, index, index + 1u);
    while index + 1u < side.count && is_crowded(side, index) {
        index++;
        free = link_one(side, index, max(free, index + 1u));
    }
}

// Links a digi; if digis choose one after the other, all of a run.
fn link(side: Followers, index: u32) {
    if IS_EXCLUSIVE { link_run(side, index); } else { link_one(side, index, index + 1u); }
}
