//! Size of the largest batch.

use std::ops::Range;

use crate::velo::VeloInput;
use crate::velo::cuda::layout::Layout;

/// Maximum of the events and slots of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchSize {
    pub(super) events: usize,
    pub(super) slots: usize,
    pub(super) slots_of_event: usize,
}

impl BatchSize {
    /// Maximum of all batches of an input.
    pub(super) fn new(input: &VeloInput, layout: &Layout) -> Self {
        let slots =
            |batch: Range<usize>| (layout.bases[batch.end] - layout.bases[batch.start]) as usize;
        BatchSize {
            events: input.batches().map(|batch| batch.len()).max().unwrap_or(0),
            slots: input.batches().map(slots).max().unwrap_or(0),
            slots_of_event: layout.max_event,
        }
    }

    /// No batch, for stages that do not need the memory.
    pub(super) const NONE: BatchSize = BatchSize { events: 0, slots: 0, slots_of_event: 0 };
}
