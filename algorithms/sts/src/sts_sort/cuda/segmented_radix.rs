//! Radix sort of each segment with one block, as CUB's
//! `DeviceSegmentedRadixSort` does it, with three arrays.

use portable_gpu::{DeviceError, Gpu, Ptr};

use super::segments::{Segments, by_segment};
use crate::kernels::sts_sort_segmented_radix::{SEGMENTED_RADIX_PASS, SegmentedRadixPass};
use crate::sts_sort::StsSort;
use crate::sts_sort::order::{Digit, channels_in_order};
use tasks::algorithm::Variant;

/// First bit and number of bits of each digit of a digi: the time, then the
/// channel. An even number of passes, so that the last one ends in the output.
const DIGITS_OF_DIGI: [Digit; 6] = [
    Digit::new(0, 8),
    Digit::new(8, 8),
    Digit::new(16, 8),
    Digit::new(24, 7),
    Digit::new(37, 6),
    Digit::new(43, 5),
];
/// Of three arrays, the one that has the digis after all passes.
const OUTPUT: usize = 2;

/// Input, an array between, and output.
pub(super) const SEGMENTED_RADIX: Variant<StsSort> = Variant::cuda(
    "segmented-radix",
    "LSD radix sort a segment with one block, six passes (as CUB), digis as keys: 3n",
    |at| by_segment(at, OUTPUT, sort_digis),
);

/// Input, and an array between.
pub(super) const CONCAT: Variant<StsSort> = Variant::cuda(
    "concat",
    "Concat Sort: two passes by channel alone, if its digis arrive in order of time: 2n",
    |at| {
        channels_in_order(at.input)?;
        by_segment(at, 0, join_channels)
    },
);

/// Passes read the input first, and then move digis between the other two arrays.
fn sort_digis(gpu: &Gpu, segments: &Segments<3>) -> Result<(), DeviceError> {
    let [input, between, output] = segments.digis();
    for (pass, digit) in DIGITS_OF_DIGI.into_iter().enumerate() {
        match pass {
            0 => start_pass(gpu, segments, digit, input, between)?,
            _ if pass % 2 == 1 => start_pass(gpu, segments, digit, between, output)?,
            _ => start_pass(gpu, segments, digit, output, between)?,
        }
    }
    Ok(())
}

/// Concatenates the lists of the channels: passes keep the order within each.
fn join_channels(gpu: &Gpu, segments: &Segments<2>) -> Result<(), DeviceError> {
    let [digis, between] = segments.digis();
    let [.., low, high] = DIGITS_OF_DIGI;
    start_pass(gpu, segments, low, digis, between)?;
    start_pass(gpu, segments, high, between, digis)
}

/// Starts a pass by a digit.
fn start_pass<const ARRAYS: usize>(
    gpu: &Gpu,
    segments: &Segments<ARRAYS>,
    Digit { shift, bits }: Digit,
    from: Ptr<u64>,
    to: Ptr<u64>,
) -> Result<(), DeviceError> {
    let segment_offsets = segments.segment_offsets();
    let arguments = SegmentedRadixPass { from, to, segment_offsets, shift, bits };
    // Read twice, to count and to distribute, and written once.
    let grid = segments.grid(3);
    // SAFETY: all arrays have an element for each digi of each segment.
    unsafe { gpu.launch(&SEGMENTED_RADIX_PASS, grid, arguments) }
}
