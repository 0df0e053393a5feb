//! Radix sort of each segment with one block, as CUB's
//! `DeviceSegmentedRadixSort` does it: the digis themselves (three arrays), or
//! extracted keys that have the digis as their values (six arrays).

use super::runner::DIGI;
use super::segments::{Segments, by_segment};
use crate::algorithm::Variant;
use crate::device::gpu::{DeviceError, Gpu, Kernel, Ptr};
use crate::kernels::sts_sort_segmented_radix::{
    SEGMENTED_RADIX_KEYS, SEGMENTED_RADIX_PAIRS_PASS, SEGMENTED_RADIX_PASS, SegmentedRadixKeys,
    SegmentedRadixPairsPass, SegmentedRadixPass,
};
use crate::kernels::sts_sort_segmented_radix_atomics::SEGMENTED_RADIX_PASS_ATOMICS;
use crate::sts_sort::StsSort;
use crate::sts_sort::channel_lists::channels_in_order;

/// First bit and number of bits of each digit of a digi: the time, then the
/// channel. An even number of passes, so that the last one ends in the output.
const DIGITS_OF_DIGI: [(u32, u32); 6] = [(0, 8), (8, 8), (16, 8), (24, 7), (37, 6), (43, 5)];
/// The same for a key of 42 bits.
const DIGITS_OF_KEY: [(u32, u32); 6] = [(0, 7), (7, 7), (14, 7), (21, 7), (28, 7), (35, 7)];
/// The one of three arrays that has the digis after all passes.
const OUTPUT: usize = 2;

/// Input, an array between, and output.
pub(super) const SEGMENTED_RADIX: Variant<StsSort> = Variant::cuda(
    "segmented-radix",
    "LSD radix sort a segment with one block, six passes (as CUB), digis as keys: 3n",
    |at| by_segment(at, OUTPUT, sort_digis),
);

/// The same with counters of a class.
pub(super) const SEGMENTED_RADIX_ATOMICS: Variant<StsSort> = Variant {
    open: |at| {
        by_segment(at, OUTPUT, |gpu, segments| {
            sort_digis_by(gpu, segments, &SEGMENTED_RADIX_PASS_ATOMICS)
        })
    },
    ..SEGMENTED_RADIX.as_idiom(
        "segmented-radix-atomics",
        "segmented-radix with digits counted by the methods of a class of atomics",
        "atomics of a class",
    )
};

/// Input, an array between, and output, of digis and then of keys.
pub(super) const SEGMENTED_RADIX_PAIRS: Variant<StsSort> = Variant::cuda(
    "segmented-radix-pairs",
    "LSD radix sort a segment with one block, six passes (as CUB), keys and values: 6n",
    |at| by_segment(at, OUTPUT, sort_pairs),
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

/// Source and target of a pass.
fn of_pass([input, between, output]: [Ptr<u64>; 3], pass: usize) -> (Ptr<u64>, Ptr<u64>) {
    match pass {
        0 => (input, between),
        _ if pass % 2 == 1 => (between, output),
        _ => (output, between),
    }
}

fn sort_digis(gpu: &Gpu, segments: &Segments<3>) -> Result<(), DeviceError> {
    sort_digis_by(gpu, segments, &SEGMENTED_RADIX_PASS)
}

fn sort_digis_by(
    gpu: &Gpu,
    segments: &Segments<3>,
    kernel: &'static Kernel<SegmentedRadixPass>,
) -> Result<(), DeviceError> {
    for (pass, digit) in DIGITS_OF_DIGI.into_iter().enumerate() {
        start_pass(gpu, segments, (kernel, digit), of_pass(segments.digis(), pass))?;
    }
    Ok(())
}

/// Concatenates the lists of the channels: passes keep the order within each.
fn join_channels(gpu: &Gpu, segments: &Segments<2>) -> Result<(), DeviceError> {
    let [digis, between] = segments.digis();
    let [.., low, high] = DIGITS_OF_DIGI;
    start_pass(gpu, segments, (&SEGMENTED_RADIX_PASS, low), (digis, between))?;
    start_pass(gpu, segments, (&SEGMENTED_RADIX_PASS, high), (between, digis))
}

/// Starts a pass by a digit: its first bit and its number of bits.
fn start_pass<const ARRAYS: usize>(
    gpu: &Gpu,
    segments: &Segments<ARRAYS>,
    (kernel, (shift, bits)): (&'static Kernel<SegmentedRadixPass>, (u32, u32)),
    (from, to): (Ptr<u64>, Ptr<u64>),
) -> Result<(), DeviceError> {
    let arguments = SegmentedRadixPass { from, to, begins: segments.begins(), shift, bits };
    // Read twice, to count and to distribute, and written once.
    let grid = segments.grid(3);
    // SAFETY: all arrays have an element for each digi of each segment.
    unsafe { gpu.launch(kernel, grid, arguments) }
}

fn sort_pairs(gpu: &Gpu, segments: &Segments<6>) -> Result<(), DeviceError> {
    let [a, b, c, d, e, f] = segments.digis();
    let (digis, keys) = ([a, b, c], [d, e, f]);
    extract_keys(gpu, segments, digis[0], keys[0])?;
    for (pass, (shift, bits)) in DIGITS_OF_KEY.into_iter().enumerate() {
        let (keys_in, keys_out) = of_pass(keys, pass);
        let (values_in, values_out) = of_pass(digis, pass);
        let arguments = SegmentedRadixPairsPass {
            keys_in,
            values_in,
            keys_out,
            values_out,
            begins: segments.begins(),
            shift,
            bits,
        };
        // Keys as above, values read and written once.
        let grid = segments.grid(5);
        // SAFETY: all arrays have a place for each digi of each segment.
        unsafe { gpu.launch(&SEGMENTED_RADIX_PAIRS_PASS, grid, arguments)? };
    }
    Ok(())
}

fn extract_keys(
    gpu: &Gpu,
    segments: &Segments<6>,
    digis: Ptr<u64>,
    keys: Ptr<u64>,
) -> Result<(), DeviceError> {
    let count = segments.partition.elements();
    // Two digis a thread.
    let grid = SEGMENTED_RADIX_KEYS.thread_each(count.div_ceil(2));
    let grid = grid.moving(2 * count as u64 * DIGI);
    let count = count as u32;
    // SAFETY: both arrays have so many elements.
    unsafe { gpu.launch(&SEGMENTED_RADIX_KEYS, grid, SegmentedRadixKeys { digis, keys, count }) }
}
