// Operations on the lanes of a warp that is a full subgroup.

fn votes(vote: bool) -> Mask { return of_words(subgroupBallot(vote)); }
fn shuffled(value: u32, lane: u32) -> u32 { return subgroupShuffle(value, lane); }
fn sum_up_to_lane(value: u32) -> u32 { return subgroupInclusiveAdd(value); }
fn sum_of_warp(value: u32) -> u32 { return subgroupAdd(value); }
fn min_of_warp(value: u32) -> u32 { return subgroupMin(value); }
fn max_of_warp(value: u32) -> u32 { return subgroupMax(value); }

// Barrier for workgroup memory that lanes of a warp share.
fn warp_barrier() { subgroupBarrier(); }
