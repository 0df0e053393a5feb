//! The structs of the task in `docs/plugin/recobench.h`.

use bytemuck::{Pod, Zeroable};
use generators_sts::raw::{MicrosliceCounts, Rules};
use portable_gpu::same_as;

use crate::sts_unpack::exact::Link;
use crate::sts_unpack::survey::Job;
use tasks::plugin::abi::{structs, values};

values! { u32: CURRENT_RULES = 0, RULES_OF_2023 = 1, NO_BOARD = 0xffff_ffff; }

structs! {
    "recobench_microslice" #[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)] Microslice {
        first_byte: u64,
        index: u64,
        first_epoch: u64,
        first_message: u64,
        bytes: u32,
        board: u32,
    }

    "recobench_elink" #[derive(Clone, Copy, Pod, Zeroable)] Elink {
        address: u64,
        time_offset: u64,
        walk_ns: [f64; 32],
        walks: u32,
        cut: u32,
        masked: [u32; 4],
        charges: [u16; 32],
        channels: [u16; 128],
    }

    "recobench_microslice_counts" #[derive(Clone, Copy, Pod, Zeroable)] Counts {
        digis: u32,
        other: u32,
        elink: u32,
        first: u32,
        size: u32,
        overflow: u32,
        undefined: u32,
    }

    "recobench_unpack" #[derive(Zeroable)] Unpack {
        size: usize,
        timeslices: u64,
        microslices: u64,
        messages: u64,
        data_bytes: u64,
        boards: u64,
        rules: u32,
        order: u32,
        host_microslice: *const Microslice,
        data: *const u8,
        microslice: *const Microslice,
        first_microslice: *const u64,
        elinks: *const u32,
        elink: *const Elink,
        counts: *mut Counts,
        digis: *mut u64,
    }
}

same_as!(Link {
    address, time_offset, walk_ns, walks, cut, masked, charges, channels
} => Elink);
same_as!(MicrosliceCounts {
    digis, other, elink, first, size, overflow, undefined
} => Counts);

const _: () = assert!(Job::NO_BOARD == NO_BOARD);

impl Microslice {
    /// A microslice after those with `first_message` messages.
    pub(super) fn new(job: &Job, first_message: u64) -> Self {
        let &Job { begin: first_byte, index, first_epoch, bytes, board } = job;
        Microslice { first_byte, index, first_epoch, first_message, bytes, board }
    }
}

/// Value of the rules in the header.
pub(super) fn value_of(rules: Rules) -> u32 {
    match rules {
        Rules::Current => CURRENT_RULES,
        Rules::Of2023 => RULES_OF_2023,
    }
}
