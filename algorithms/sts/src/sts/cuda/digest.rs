//! Digests of clusters and hits, summed on the device: see the kernel.

use portable_gpu::{DeviceError, Gpu, LaunchConfig, MappedBuffer};

use super::chain::CudaChain;
use crate::kernels::sts_digest as kernel;
use crate::kernels::sts_digest::{DIGEST_OUTPUT, DigestOutput};
use crate::sts::data::{CLUSTERS, HITS};
use tasks::algorithm::{Digest, ITEM_MULTIPLIER, KINDS, SEGMENT_MULTIPLIER, Segments, WORD_STEP};

const _: () = assert!(
    kernel::WORD_STEP == WORD_STEP
        && kernel::ITEM_MULTIPLIER == ITEM_MULTIPLIER
        && kernel::SEGMENT_MULTIPLIER == SEGMENT_MULTIPLIER
        && kernel::CLUSTERS as usize == CLUSTERS
        && kernel::HITS as usize == HITS
        && KINDS == 2,
    "the kernel sums as the host does"
);

/// Blocks that share the segments: enough for any GPU.
const BLOCKS: usize = 512;

/// Sums of blocks, which the kernel writes to the host's memory. They are no buffers of a variant:
/// they stay from one run to the next.
#[derive(Default)]
pub(in crate::sts) struct DigestSums(Option<MappedBuffer<u64>>);

impl DigestSums {
    /// A buffer of one sum per block.
    fn buffer(&mut self, gpu: &Gpu, blocks: usize) -> Result<&mut MappedBuffer<u64>, DeviceError> {
        let existing = self.0.take().filter(|sums| sums.len() >= blocks);
        let sums = match existing {
            Some(sums) => sums,
            None => gpu.mapped(blocks)?,
        };
        Ok(self.0.insert(sums))
    }
}

impl CudaChain<'_> {
    /// The digest of the output of the previous run; waits for it.
    pub(in crate::sts) fn digest(
        &mut self,
        gpu: &Gpu,
        sums: &mut DigestSums,
        segments: Segments,
    ) -> Result<Digest, DeviceError> {
        let found = self.found();
        let counts = [found.clusters_by_side.iter().sum::<usize>(), found.hits];
        let selected = |count: usize| segments.indices(count).count();
        let slots = selected(found.clusters_by_side.len()) + selected(found.modules);
        let mut digest = Digest { counts: counts.map(|count| count as u64), sum: 0 };
        if slots == 0 {
            return Ok(digest);
        }
        let parts = (BLOCKS / slots).max(1);
        let sums = sums.buffer(gpu, slots * parts)?;
        let arguments = DigestOutput {
            clusters: found.clusters.ptr(),
            entries: found.entries.ptr(),
            side_offsets: found.side_offsets.ptr(),
            found: found.found.ptr(),
            sides: found.clusters_by_side.len() as u32,
            hits: found.collected,
            hit_offsets: found.hit_offsets,
            modules: found.modules as u32,
            first: segments.first() as u32,
            stride: segments.stride() as u32,
            parts: parts as u32,
            sums: sums.ptr(),
        };
        let grid = LaunchConfig::blocks((slots * parts) as u32);
        // SAFETY: a sum for each block; of clusters and hits it reads those that were counted.
        unsafe { gpu.launch(&DIGEST_OUTPUT, grid, arguments)? };
        gpu.wait()?;
        digest.sum = sums[..slots * parts].iter().copied().fold(0, u64::wrapping_add);
        Ok(digest)
    }
}
