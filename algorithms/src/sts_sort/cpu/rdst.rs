//! A peer: the crate `rdst`.

use bytemuck::TransparentWrapper;
use generators::sts::Digi;
use rdst::{RadixKey, RadixSort};

use super::{Cost, CpuSort, ResultIn, Scratch, accept_all};

/// `rdst` on the very same 8-byte records, with its single-threaded tuner; for
/// large segments, where threads are idle, with its parallel algorithms.
pub(in crate::sts_sort) static RDST: CpuSort = CpuSort {
    name: "rdst",
    summary: "peer: the crate rdst, a segment at a time",
    stable: false,
    scratch: Scratch::Never,
    cost: Cost::Linear,
    accepts: accept_all,
    sort_segment: |digis, _, parts| {
        let mut records = Record::wrap_slice_mut(digis).radix_sort_builder();
        if parts == 1 {
            records = records.with_parallel(false).with_single_threaded_tuner();
        }
        records.sort();
        ResultIn::Digis
    },
};

#[derive(Clone, Copy, TransparentWrapper)]
#[repr(transparent)]
struct Record(Digi);

impl RadixKey for Record {
    const LEVELS: usize = (Digi::KEY_BITS as usize).div_ceil(8);

    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        (self.0.key() >> (8 * level)) as u8
    }
}
