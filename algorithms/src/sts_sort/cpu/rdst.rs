//! A peer: the crate `rdst`.

use bytemuck::TransparentWrapper;
use generators::sts::Digi;
use rdst::{RadixKey, RadixSort};

use super::{Cost, ResultIn, Scratch, sort_segments};
use crate::algorithm::Variant;
use crate::sts_sort::StsSort;

/// `rdst` on the very same 8-byte records, with its single-threaded tuner; for
/// large segments, where threads are idle, with its parallel algorithms.
pub(super) const RDST: Variant<StsSort> =
    Variant::cpu("rdst", "peer: the crate rdst, a segment at a time", |at| {
        sort_segments(at, Scratch::Never, Cost::Linear, |digis, _, parts| {
            let mut records = Record::wrap_slice_mut(digis).radix_sort_builder();
            if parts == 1 {
                records = records.with_parallel(false).with_single_threaded_tuner();
            }
            records.sort();
            ResultIn::Digis
        })
    })
    .unstable();

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
