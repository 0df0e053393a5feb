// The backs that are near in time to a block's fronts: see pairs.cu.

// Lines of a side in order of time, by their numbers.
struct Range { start: u32, end: u32 }

// What a block knows of its fronts: the first back in the window of each, and the pairs of the
// fronts before.
var<workgroup> front_lines: array<Line, THREADS>;
var<workgroup> starts: array<u32, THREADS>;
var<workgroup> pairs_before: array<u32, THREADS>;
// Of all of them.
var<workgroup> window: array<u32, 2>;

// Whether a back comes before the window's start, or before its end.
fn is_before(is_end: bool, time: u32, most: f32, back: u32) -> bool {
    let own = delay(time, lines[back_begin + back].time);
    return select(own > most, -own <= most, is_end);
}

// The first back of a range that does not.
fn first_not_before(range: Range, is_end: bool, time: u32, most: f32) -> u32 {
    var low = range.start;
    var high = range.end;
    while low < high {
        let middle = (low + high) / 2u;
        if is_before(is_end, time, most, middle) { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

// The same by a warp, which looks at as many lines at once as it has lanes.
fn warp_first_not_before(backs: u32, is_end: bool, time: u32, most: f32) -> u32 {
    var range = Range(0u, backs);
    while range.start < range.end {
        let step = (range.end - range.start + LANES - 1u) / LANES;
        let own = range.start + (lane + 1u) * step - 1u;
        let earlies = count_of(votes(own < range.end && is_before(is_end, time, most, own)));
        let late = range.start + (earlies + 1u) * step - 1u;
        range = Range(min(range.start + earlies * step, range.end), min(late, range.end));
    }
    return range.start;
}

// The backs near enough to some front, whatever their errors are; `largest` is that of the fronts'
// errors. Two warps look for both ends, if there are as many. A barrier is included.
fn window_of_fronts(backs: u32, first_time: u32, last_time: u32, largest: f32) -> Range {
    let most = cut_between(largest, latest, latest);
    if warp == 0u {
        let start = warp_first_not_before(backs, false, first_time, most);
        if lane == 0u { window[0] = start; }
    }
    if warp == min(1u, WARPS - 1u) {
        let end = warp_first_not_before(backs, true, last_time, most);
        if lane == 0u { window[1] = end; }
    }
    workgroupBarrier();
    return Range(window[0], window[1]);
}

// Those near enough to one front.
fn window_of_front(near_some: Range, front: Cluster) -> Range {
    let most = cut_between(front.time_error, latest, latest);
    let start = first_not_before(near_some, false, front.time, most);
    let others = Range(start, max(start, near_some.end));
    return Range(start, first_not_before(others, true, front.time, most));
}

// Writes down the block's fronts, which begin at a line; returns how many pairs they have. A barrier
// is included.
fn find_windows(first: u32, fronts: u32, backs: u32, largest: f32) -> u32 {
    let last_time = lines[first + fronts - 1u].time;
    let near_some = window_of_fronts(backs, lines[first].time, last_time, largest);
    var pairs = 0u;
    if thread < fronts {
        let line = lines[first + thread];
        let own = window_of_front(near_some, clusters[front_begin + line.index]);
        front_lines[thread] = line;
        starts[thread] = own.start;
        pairs = own.end - own.start;
    }
    pairs_before[thread] = block_exclusive_sum(pairs);
    workgroupBarrier();
    return block_total;
}

// The front that a pair belongs to.
fn front_of(pair: u32) -> u32 {
    var low = 0u;
    var high = THREADS;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if pairs_before[middle] <= pair { low = middle; } else { high = middle; }
    }
    return low;
}

// The front's number in the block, and the back's in its module.
fn pair_of(number: u32) -> vec2u {
    let front = front_of(number);
    return vec2u(front, starts[front] + number - pairs_before[front]);
}
