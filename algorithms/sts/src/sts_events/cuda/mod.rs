//! Building events on a GPU.
//!
//! Digis are copied to the device; the numbers of events and copies are copied back, and then
//! these. Kernels are in files of their own: `thread_per_digi.cu`, `fused.cu`; shared code is in
//! `building/`.

mod fused;
mod runner;
mod thread_per_digi;

use super::StsEvents;
use fused::Fused;
use runner::build_on_gpu;
use tasks::algorithm::Variant;
use thread_per_digi::ThreadPerDigi;

pub(super) const VARIANTS: &[Variant<StsEvents>] = &[
    Variant::cuda(
        "thread-per-digi",
        "ours: a thread a digi; full windows are numbered by ballots, and followed from sure \
         triggers on; a block copies an event",
        |at| build_on_gpu(at, ThreadPerDigi::boxed),
    ),
    Variant::cuda(
        "fused",
        "ours: one pass, a tile a block: bits of full windows in shared memory, offsets by look-back",
        |at| build_on_gpu(at, Fused::boxed),
    ),
];
