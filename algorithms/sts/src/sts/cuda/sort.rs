//! Digis of each side in order of channel and time, by either of two sorts.

use generators_common::partition::Partition;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use crate::kernels::sts_equal_digis::{ORDER_EQUAL_DIGIS, OrderEqualDigis};
use crate::sts_sort::cuda::{ChannelBucket, start_block_merge};
use tasks::device::buffers;

/// Algorithm that sorts digis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum SortAlgorithm {
    /// `block-merge`, as published: a block per side. Equal digis are ordered afterwards.
    BlockMerge,
    /// recobench's `channel-bucket`.
    ChannelBucket,
}

/// Selection of the sides to sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhichSides {
    All,
    /// Sides that do not fit into shared memory; others may be sorted too.
    Larger,
}

/// The digis, and the buffers for sorting them.
pub(super) enum Sort {
    BlockMerge(TwoArrays),
    ChannelBucket(Box<ChannelBucket>),
}

pub(super) struct TwoArrays {
    digis: DeviceBuffer<u64>,
    scratch: DeviceBuffer<u64>,
}

buffers!(TwoArrays: digis, scratch);
buffers!(enum Sort: BlockMerge, ChannelBucket);

impl Sort {
    /// Buffers for `digis` digis of `sides` sides.
    pub(super) fn new(
        gpu: &Gpu,
        digis: usize,
        sides: usize,
        algorithm: SortAlgorithm,
    ) -> Result<Self, DeviceError> {
        Ok(match algorithm {
            SortAlgorithm::BlockMerge => Sort::BlockMerge(TwoArrays {
                digis: gpu.buffer(digis)?,
                scratch: gpu.buffer(digis)?,
            }),
            SortAlgorithm::ChannelBucket => {
                Sort::ChannelBucket(Box::new(ChannelBucket::with_capacity(gpu, digis, sides)?))
            }
        })
    }

    /// The digis, before and after the sort.
    pub(super) fn digis(&self) -> &DeviceBuffer<u64> {
        match self {
            Sort::BlockMerge(arrays) => &arrays.digis,
            Sort::ChannelBucket(sort) => sort.digis(),
        }
    }

    /// Scratch of the same length, which the sort overwrites.
    pub(super) fn scratch(&self) -> &DeviceBuffer<u64> {
        match self {
            Sort::BlockMerge(arrays) => &arrays.scratch,
            Sort::ChannelBucket(sort) => sort.scratch(),
        }
    }

    /// Undoes or repeats, on the host, the swap of buffers of a recorded sort.
    pub(super) fn turn(&mut self) {
        if let Sort::BlockMerge(arrays) = self {
            arrays.turn();
        }
    }

    /// Starts to sort the digis of these sides, whose offsets are on the device too.
    pub(super) fn start(
        &mut self,
        gpu: &Gpu,
        sides: &Partition,
        side_offsets: &DeviceBuffer<u32>,
        which: WhichSides,
    ) -> Result<(), DeviceError> {
        match self {
            Sort::BlockMerge(arrays) => arrays.sort(gpu, sides, side_offsets),
            Sort::ChannelBucket(sort) => {
                sort.fit(sides);
                match which {
                    WhichSides::All => sort.start(gpu),
                    WhichSides::Larger => sort.start_larger(gpu),
                }
            }
        }
    }

    /// Sorts the remaining ranges, after the host has waited; returns true if there were any, so
    /// that digis were not in order before.
    pub(super) fn finish(&mut self, gpu: &Gpu) -> Result<bool, DeviceError> {
        match self {
            Sort::BlockMerge(_) => Ok(false),
            Sort::ChannelBucket(sort) => sort.finish(gpu),
        }
    }

    /// True if the sort may leave digis unsorted, which the host has to wait for.
    pub(super) fn can_overflow(&self) -> bool {
        matches!(self, Sort::ChannelBucket(_))
    }
}

impl TwoArrays {
    fn sort(
        &mut self,
        gpu: &Gpu,
        sides: &Partition,
        side_offsets: &DeviceBuffer<u32>,
    ) -> Result<(), DeviceError> {
        let TwoArrays { digis, scratch } = &*self;
        start_block_merge(gpu, sides, digis.ptr(), scratch.ptr(), side_offsets.ptr())?;
        let arguments = OrderEqualDigis {
            digis: digis.ptr(),
            side_offsets: side_offsets.ptr(),
            sides: sides.segments() as u32,
            to: scratch.ptr(),
        };
        let grid = ORDER_EQUAL_DIGIS.grid_for(digis.len()).with_traffic(2 * digis.bytes());
        // SAFETY: sides are ranges of the digis, and the scratch has the same length.
        unsafe { gpu.launch(&ORDER_EQUAL_DIGIS, grid, arguments)? };
        self.turn();
        Ok(())
    }

    /// Swaps digis and scratch.
    fn turn(&mut self) {
        std::mem::swap(&mut self.digis, &mut self.scratch);
    }
}
