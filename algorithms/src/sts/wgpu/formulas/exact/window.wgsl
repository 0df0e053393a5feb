// Largest time difference of a digi and its successor, by the exact rules: see formulas/rules.h.
// Times have 31 bits, so differences fit into a signed word.

const IS_EXCLUSIVE = true;

fn is_not_before(time: u32, follower: u32) -> bool {
    return i32(time - follower) <= bitcast<i32>(arguments.whole_ns);
}

fn is_not_after(time: u32, follower: u32) -> bool {
    return i32(follower - time) <= bitcast<i32>(arguments.whole_ns);
}
