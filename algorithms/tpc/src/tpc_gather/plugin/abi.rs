//! The structs of the task in `docs/plugin/recobench.h`.

use bytemuck::Zeroable;
use tasks::plugin::abi::{structs, values};

values! {
    u32: PER_ROW = 0, PER_TRACK = 1, PER_ATTACHED = 2, PER_DIFFERENCE = 3, PER_UNATTACHED = 4;
}

structs! {
    "recobench_gather_array" #[derive(Clone, Debug, PartialEq)] GatherArray {
        source_offset: u64,
        output_offset: u64,
        output_bytes: u64,
        entry_bytes: u32,
        per: u32,
    }

    "recobench_gather" #[derive(Zeroable)] Gather {
        size: usize,
        tracks: u64,
        rows: u64,
        source_bytes: u64,
        output_bytes: u64,
        array_count: u64,
        arrays: *const GatherArray,
        track_counts: u64,
        row_counts: u64,
        track_starts: *const u32,
        row_starts: *const u32,
        device_track_starts: *const u32,
        device_row_starts: *const u32,
        source: *const u8,
        output: *mut u8,
        host_output: *mut u8,
    }
}

// SAFETY: the pointers are to buffers that move between threads together with the struct.
unsafe impl Send for Gather {}
