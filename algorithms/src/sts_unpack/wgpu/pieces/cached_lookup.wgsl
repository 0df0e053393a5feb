// Lookup tables of a board, in workgroup memory (16.5 KiB).
#include "walk.wgsl"

var<workgroup> lookup: array<u32, LOOKUP_WORDS>;

fn looked_up(at: u32) -> u32 { return lookup[at]; }

// Includes a barrier.
fn keep_lookup(board: u32) {
    for (var i = thread; i < LOOKUP_WORDS; i += THREADS) {
        lookup[i] = boards[board * BOARD_WORDS + BOARD_HEAD + i];
    }
    workgroupBarrier();
}
