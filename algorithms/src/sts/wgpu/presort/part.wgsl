// A warp's part of the stream: see presort.cu. All warps of a subgroup go through the same number
// of rounds.

const WARPS = THREADS / LANES;

fn warp_part() -> u32 { return block * WARPS + warp; }

// Index of this lane's digi of a round.
fn index_in_round(round: u32) -> u32 {
    return warp_part() * arguments.part_length + round * LANES + lane;
}

// A part has whole ones.
fn rounds() -> u32 { return arguments.part_length / LANES; }
