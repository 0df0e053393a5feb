//! The struct of the task in `docs/plugin/recobench.h`.

use bytemuck::Zeroable;
use tasks::plugin::abi::{structs, values};

values! { u32: SORT_ADDRESS = 1; }

structs! {
    "recobench_sort" #[derive(Zeroable)] Sort {
        size: usize,
        digis: u64,
        segments: u64,
        offsets: *const u64,
        device_offsets: *const u64,
        input: *mut u64,
        output: *mut u64,
    }
}

// SAFETY: the pointers are to buffers that move between threads together with the struct.
unsafe impl Send for Sort {}
