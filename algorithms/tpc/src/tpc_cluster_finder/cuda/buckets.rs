//! Buckets of clusters: one for each row of each sector, with capacity for a cluster of each sample
//! of the row, because no two samples are in the same cell. Clusters are packed and copied to the
//! host.

use std::mem::offset_of;

use generators_tpc::geometry::ROWS;
use parallel::map;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LayoutCompatible, PinnedBuffer, Ptr};

use crate::kernels::tpc_cluster_finder_cuda_finding_h::PackedCluster;
use crate::kernels::tpc_cluster_finder_pack::{PACK_CLUSTERS, PackClusters};
use crate::tpc_cluster_finder::cluster::{Cluster, RowCluster};
use crate::tpc_cluster_finder::cpu::Flat;
use crate::tpc_cluster_finder::labels::Clusters;
use tasks::device::{StagedArray, buffers};

// Each word of kernels contains fields of the host, the first one in its lowest bits.
const _: () = {
    assert!(size_of::<Cluster>() == size_of::<PackedCluster>());
    assert!(offset_of!(Cluster, time_and_flags) == offset_of!(PackedCluster, time_and_flags));
    assert!(offset_of!(Cluster, pad) == offset_of!(PackedCluster, pad_and_widths));
    assert!(offset_of!(Cluster, sigma_time) == offset_of!(PackedCluster, pad_and_widths) + 2);
    assert!(offset_of!(Cluster, sigma_pad) == offset_of!(PackedCluster, pad_and_widths) + 3);
    assert!(offset_of!(Cluster, qmax) == offset_of!(PackedCluster, charges));
    assert!(offset_of!(Cluster, qtot) == offset_of!(PackedCluster, charges) + 2);
};
// SAFETY: the layout is checked above; all fields are integers without invalid values, in little
// endian.
unsafe impl LayoutCompatible<PackedCluster> for Cluster {}

/// The buckets, and the buffers for their copy to the host.
pub(crate) struct Buckets {
    /// Capacity of each bucket, in clusters.
    capacity: Vec<u32>,
    offsets: DeviceBuffer<u32>,
    counts: DeviceBuffer<u32>,
    clusters: DeviceBuffer<Cluster>,
    host_counts: PinnedBuffer<u32>,
    /// The index of the first packed cluster of each bucket, and the total.
    packed_offsets: StagedArray,
    packed: Packed,
}

buffers!(Buckets: counts, clusters, host_counts, packed_offsets, packed; kept: offsets);

buffers! {
    /// The concatenated clusters of all buckets.
    struct Packed(gpu, clusters: usize) {
        device: DeviceBuffer<Cluster> = gpu.buffer(clusters)?,
        host: PinnedBuffer<Cluster> = gpu.pinned(clusters)?,
    }
}

impl Buckets {
    /// Allocates buckets of these capacities, and a buffer for `packed` packed clusters, which is
    /// reallocated if it turns out to be too small.
    pub(crate) fn new(gpu: &Gpu, capacity: Vec<u32>, packed: usize) -> Result<Self, DeviceError> {
        let offsets = offsets_of(&capacity);
        let clusters = offsets[capacity.len()] as usize;
        Ok(Buckets {
            offsets: gpu.table(&offsets)?,
            counts: gpu.buffer(capacity.len())?,
            clusters: gpu.buffer(clusters)?,
            host_counts: gpu.pinned(capacity.len())?,
            packed_offsets: StagedArray::new(gpu, capacity.len() + 1)?,
            packed: Packed::new(gpu, packed)?,
            capacity,
        })
    }

    /// Starts to clear them.
    pub(crate) fn empty(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.fill(&self.counts, 0)
    }

    /// Offsets of buckets in the clusters.
    pub(super) fn offsets(&self) -> Ptr<u32> {
        self.offsets.ptr()
    }

    /// Numbers of clusters in buckets.
    pub(super) fn device_counts(&self) -> Ptr<u32> {
        self.counts.ptr()
    }

    /// Clusters of all buckets.
    pub(super) fn clusters(&self) -> Ptr<PackedCluster> {
        self.clusters.ptr()
    }

    /// Capacity of each bucket, in clusters.
    pub(crate) fn capacity(&self) -> &[u32] {
        &self.capacity
    }

    /// Capacity of the buffer of packed clusters.
    pub(crate) fn packed_capacity(&self) -> usize {
        self.packed.host.len()
    }

    /// Waits for the number of clusters in each.
    pub(crate) fn count(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.download(&mut self.host_counts, &self.counts)?;
        gpu.wait()
    }

    /// Sufficient capacities, if some bucket was too small.
    pub(crate) fn needed_capacities(&self) -> Option<Vec<u32>> {
        let both = || self.host_counts.iter().zip(&self.capacity);
        let is_missing = both().any(|(count, capacity)| count > capacity);
        is_missing.then(|| both().map(|(count, capacity)| *count.max(capacity)).collect())
    }

    /// Packs the clusters, once they are counted, and starts to copy them to the host.
    ///
    /// # Errors
    /// Errors of the device, or an overflow of a bucket.
    pub(crate) fn download(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        self.check(gpu)?;
        let packed_offsets = offsets_of(&self.host_counts);
        let found = packed_offsets[self.capacity.len()] as usize;
        self.packed_offsets.fill(gpu, packed_offsets)?;
        if self.packed_capacity() < found {
            self.packed = Packed::new(gpu, found)?;
        }
        let bytes = 2 * (found * size_of::<Cluster>()) as u64;
        let arguments = PackClusters {
            clusters: self.clusters.ptr(),
            bucket_offsets: self.offsets.ptr(),
            packed_offsets: self.packed_offsets.ptr(),
            buckets: self.capacity.len() as u32,
            packed: self.packed.device.ptr(),
        };
        // SAFETY: the counts of buckets are within their capacities, and the packed buffer has
        // capacity for all.
        unsafe {
            gpu.launch(&PACK_CLUSTERS, PACK_CLUSTERS.grid_for(found).with_traffic(bytes), arguments)
        }?;
        gpu.download(self.packed.host.part_mut(0..found), &self.packed.device)
    }

    /// Number of clusters of each row of each sector, once they are counted.
    pub(super) fn counts(&self) -> &[u32] {
        &self.host_counts
    }

    /// All clusters in order, once they are copied.
    pub(crate) fn sorted(&self) -> Vec<RowCluster> {
        self.of_buckets(|clusters| clusters.sort_unstable())
    }

    /// The clusters with their labels, which come in the order of buckets.
    pub(super) fn labelled(&self, labels: &Flat) -> Clusters {
        let clusters = self.of_buckets(|_| ()).into_iter();
        Clusters::labelled(clusters.zip(labels.lists().map(<[u64]>::to_vec)).collect())
    }

    /// The clusters of all buckets, each of which is sorted by `order`.
    fn of_buckets(&self, order: impl Fn(&mut Vec<RowCluster>) + Sync) -> Vec<RowCluster> {
        let packed_offsets = offsets_of(&self.host_counts);
        let of_bucket = |number: usize| {
            let of_row = |&cluster: &Cluster| RowCluster {
                case: (number / ROWS) as u32,
                row: (number % ROWS) as u8,
                cluster,
            };
            let own = packed_offsets[number] as usize..packed_offsets[number + 1] as usize;
            let mut clusters: Vec<_> = self.packed.host[own].iter().map(of_row).collect();
            order(&mut clusters);
            clusters
        };
        map(0..self.capacity.len(), of_bucket).concat()
    }

    /// Checks that no bucket overflowed.
    fn check(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let mut both = self.host_counts.iter().zip(&self.capacity);
        let Some(bucket) = both.position(|(count, capacity)| count > capacity) else {
            return Ok(());
        };
        let row = bucket % ROWS;
        let sector = bucket / ROWS;
        let found = self.host_counts[bucket];
        let capacity = self.capacity[bucket];
        Err(DeviceError::Failed {
            device: gpu.properties().device.clone(),
            what: "finding clusters",
            problem: format!(
                "row {row} of sector {sector} of the input has {found} clusters; the capacity of its bucket is {capacity}"
            ),
        })
    }
}

/// The exclusive scan of the counts, and their total.
fn offsets_of(counts: &[u32]) -> Vec<u32> {
    let ends = counts.iter().scan(0, |end, count| {
        *end += count;
        Some(*end)
    });
    [0].into_iter().chain(ends).collect()
}
