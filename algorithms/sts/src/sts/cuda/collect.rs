//! Hits of all modules in one array, on the host: see the kernels.

use generators_common::partition::Partition;
use portable_gpu::{
    DeviceBuffer, DeviceError, Gpu, LaunchConfig, MappedBuffer, PinnedBuffer, Ptr, Vector,
};

use super::hits::Hits;
use crate::kernels::sts_collect::{COLLECT_BUCKETS, CollectBuckets, PIECES, PIECES_OF_BLOCK};
use crate::kernels::sts_cuda_formulas_records_h as records;
use crate::sts::Hit;
use crate::sts_sort::cuda::segment_offsets;
use tasks::device::{StagedArray, buffers};

/// Transfer of hits to one array on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum CollectAlgorithm {
    /// On the device first, then by a copy.
    Flat,
    /// Copied by a kernel that writes to the host's memory.
    Mapped,
}

buffers! {
    /// Flat array of all hits.
    pub(super) struct Collected(gpu, algorithm: CollectAlgorithm, modules: usize, capacity: usize) {
        hit_offsets: StagedArray = StagedArray::new(gpu, modules + 1)?,
        /// Partition of the hits into modules.
        modules: Partition = Partition::from_lengths([]),
        hits: Flat = Flat::new(gpu, algorithm, capacity)?,
    }
}

/// The array that hits are collected in.
enum Flat {
    Copied(Copied),
    Mapped(MappedBuffer<Hit>),
}

struct Copied {
    flat: DeviceBuffer<Hit>,
    host: PinnedBuffer<Hit>,
}

buffers!(Copied: flat, host);
buffers!(enum Flat: Copied, Mapped);
impl Flat {
    fn new(gpu: &Gpu, algorithm: CollectAlgorithm, capacity: usize) -> Result<Self, DeviceError> {
        Ok(match algorithm {
            CollectAlgorithm::Flat => {
                Flat::Copied(Copied { flat: gpu.buffer(capacity)?, host: gpu.pinned(capacity)? })
            }
            CollectAlgorithm::Mapped => Flat::Mapped(gpu.mapped(capacity)?),
        })
    }

    fn host(&self) -> &[Hit] {
        match self {
            Flat::Copied(copied) => &copied.host,
            Flat::Mapped(host) => host,
        }
    }

    fn algorithm(&self) -> CollectAlgorithm {
        match self {
            Flat::Copied(..) => CollectAlgorithm::Flat,
            Flat::Mapped(_) => CollectAlgorithm::Mapped,
        }
    }
}

impl Collected {
    /// Collects the hits of all buckets on the host.
    pub(super) fn collect(&mut self, gpu: &Gpu, hits: &Hits) -> Result<(), DeviceError> {
        self.modules = Partition::from_lengths(hits.counts());
        let count = self.modules.elements();
        if self.capacity() < count {
            self.hits = Flat::new(gpu, self.hits.algorithm(), count)?;
        }
        self.hit_offsets.fill(gpu, segment_offsets(&self.modules))?;
        let bytes = 2 * (count * size_of::<Hit>()) as u64;
        let blocks = (count * PIECES as usize).div_ceil(PIECES_OF_BLOCK as usize);
        let grid = LaunchConfig::blocks(blocks as u32).with_traffic(bytes);
        let (buckets, bucket_offsets) = hits.buckets();
        let arguments = |flat: Ptr<Vector<16>>| CollectBuckets {
            hits: buckets.ptr(),
            bucket_offsets,
            hit_offsets: self.hit_offsets.ptr(),
            modules: self.modules.segments() as u32,
            flat,
        };
        // SAFETY of both: buckets have the counted number of hits, and the array has capacity for
        // all.
        match &mut self.hits {
            Flat::Copied(Copied { flat, host }) => {
                // SAFETY: see above.
                unsafe { gpu.launch(&COLLECT_BUCKETS, grid, arguments(flat.ptr()))? };
                gpu.download(host.part_mut(0..count), flat)
            }
            Flat::Mapped(host) => {
                // SAFETY: see above.
                unsafe { gpu.launch(&COLLECT_BUCKETS, grid, arguments(host.ptr())) }
            }
        }
    }

    /// The hits of each module, once they have arrived.
    pub(super) fn of_modules(&self) -> Vec<&[Hit]> {
        let hits = &self.hits.host()[..self.modules.elements()];
        self.modules.split(hits)
    }

    /// Device pointers of the hits, and of the offsets of modules in them.
    pub(super) fn on_device(&self) -> (Ptr<records::Hit>, Ptr<u32>) {
        let hits = match &self.hits {
            Flat::Copied(copied) => copied.flat.ptr(),
            Flat::Mapped(host) => host.ptr(),
        };
        (hits, self.hit_offsets.ptr())
    }

    /// Number of modules.
    pub(super) fn modules(&self) -> usize {
        self.modules.segments()
    }

    /// Number of hits in all modules.
    pub(super) fn hits(&self) -> usize {
        self.modules.elements()
    }

    /// Capacity in hits.
    pub(super) fn capacity(&self) -> usize {
        self.hits.host().len()
    }
}
