// Links between digis: see formulas/connecting.h, and formulas/chain.h for connectors. It needs
// `digis`, `begins`, `channels`, `connectors` and the rules of a window.
#include "digi.wgsl"
#include "side.wgsl"

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
fn connect_with(begin: u32, place: u32, first: u32, end: u32) -> u32 {
    let time = digi_time(digis[begin + place]);
    let found = earliest(begin, first, end, time);
    if found >= end || !is_not_after(time, digi_time(digis[begin + found])) { return first; }
    atomicOr(&connectors[begin + place], found);
    atomicOr(&connectors[begin + found], FOLLOWS);
    return found + 1u;
}

// True if a digi and the next one may both be near a third one.
fn is_crowded(begin: u32, place: u32) -> bool {
    let here = digi_time(digis[begin + place]);
    return digi_time(digis[begin + place + 1u]) - here <= arguments.crowd_ns;
}

// Connects all digis of a run if this is its first: digis of a channel so near to each other that
// they may choose the same successor. They choose one after the other, so the result is
// deterministic.
fn connect_run(side: Side, first: u32, own: Places, next: Places) {
    var place = first;
    var free = next.begin;
    var goes_on = place == own.begin || !is_crowded(side.begin, place - 1u);
    while goes_on {
        free = connect_with(side.begin, place, free, next.end);
        goes_on = place + 1u < own.end && is_crowded(side.begin, place);
        place++;
    }
}

fn connect(side: Side, place: u32) {
    let channel = digi_channel(digis[side.begin + place]);
    let next = places_of(side, channel + 1u);
    if IS_EXCLUSIVE {
        connect_run(side, place, places_of(side, channel), next);
    } else {
        connect_with(side.begin, place, next.begin, next.end);
    }
}
