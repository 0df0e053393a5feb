//! Labels of clusters, collected on the device: see `labels.cu`.

use std::sync::Arc;

use generators_tpc::charges::ChargeCase;
use parallel::copy;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};

use crate::kernels::tpc_cluster_finder_cuda_fused_bins_h::{
    self as kernels, FusedFinding, LabelRange, MAX_CLUSTERS_OF_SAMPLE, Members,
};
use crate::kernels::tpc_cluster_finder_labels::{
    FUSED_COUNT_LABELS, FUSED_FILL_LABELS, LabelCollection,
};
use crate::tpc_cluster_finder::cuda::found::{fits, reserve};
use crate::tpc_cluster_finder::input::Charges;
use tasks::device::{Arena, CachedPerInput, Unavailable, buffers};

/// Bytes of a sample of a cluster, and of its label range.
const MEMBER: u64 = (size_of::<u32>() + size_of::<LabelRange>()) as u64;
/// Bytes of a cluster: its range of samples and the offset of its labels.
const CLUSTER: u64 = (size_of::<Members>() + size_of::<u32>()) as u64;

/// Capacity for labels of clusters, which grows when more are found.
#[derive(Clone, Copy)]
pub(super) struct LabelCapacity(usize);

/// Labels of samples and of clusters, on both sides.
pub(super) struct Labels<'a> {
    host_sample_labels: CachedPerInput<'a, HostSampleLabels>,
    sample_labels: DeviceSampleLabels,
    members: MemberLists,
    offsets: LabelOffsets,
    filled: DeviceBuffer<u64>,
    found: HostLabels,
}

buffers!(Labels<'_>: host_sample_labels, sample_labels, members, offsets, filled, found);

/// The labels of all samples, page-locked.
struct HostSampleLabels {
    /// The index of the first label of each sample, then the total.
    first: PinnedBuffer<u32>,
    all: PinnedBuffer<u64>,
}

buffers!(HostSampleLabels: first, all);

buffers! {
    /// The labels of all samples on the device.
    struct DeviceSampleLabels(gpu, samples: usize, labels: usize) {
        first: DeviceBuffer<u32> = gpu.buffer(samples + 1)?,
        all: DeviceBuffer<u64> = gpu.buffer(labels)?,
        /// Label range of each sample, by its index in the bins.
        ranges: DeviceBuffer<LabelRange> = gpu.buffer(samples)?,
    }
}

buffers! {
    /// Lists of the samples that give their labels to each cluster.
    struct MemberLists(gpu, samples: usize) {
        total: DeviceBuffer<u64> = gpu.buffer(1)?,
        of_clusters: DeviceBuffer<Members> = gpu.buffer(samples)?,
        /// Indices of the samples in the bins.
        samples: DeviceBuffer<u32> = gpu.buffer(max_members(samples))?,
        host_total: PinnedBuffer<u64> = gpu.pinned(1)?,
    }
}

buffers! {
    /// Offsets of the labels of clusters.
    struct LabelOffsets(gpu, samples: usize) {
        /// State words of the look-back between blocks, and the ticket counter of tiles.
        states: DeviceBuffer<u64> =
            gpu.buffer(samples.div_ceil(FUSED_COUNT_LABELS.threads() as usize))?,
        ticket: DeviceBuffer<u32> = gpu.buffer(1)?,
        total: DeviceBuffer<u64> = gpu.buffer(1)?,
        /// The index of the first label of each cluster.
        firsts: DeviceBuffer<u32> = gpu.buffer(samples)?,
    }
}

buffers! {
    /// Labels that are copied to the host.
    struct HostLabels(gpu, capacity: usize) {
        total: PinnedBuffer<u64> = gpu.pinned(1)?,
        firsts: PinnedBuffer<u32> = gpu.pinned(0)?,
        all: PinnedBuffer<u64> = gpu.pinned(capacity)?,
    }
}

/// Checks that labels of samples, and the samples of all clusters, can be counted with 32 bits.
pub(super) fn fit(charges: &Charges) -> Result<(), Unavailable> {
    let labels = count(charges.cases());
    let members = max_members(charges.samples());
    let max = u32::MAX as usize;
    if !charges.has_labels() || labels.max(members) <= max {
        return Ok(());
    }
    Err(Unavailable(format!(
        "{labels} labels of samples, and up to {members} samples of clusters; on a GPU {max} is \
         the most; use fewer sectors or orbits, or --labels none"
    )))
}

/// Labels of all samples.
fn count(cases: &[ChargeCase]) -> usize {
    let labels = cases.iter().filter_map(|case| case.labels.as_ref());
    labels.map(|labels| labels.all().len()).sum()
}

/// Upper bound of the samples of clusters, which count once for each cluster.
fn max_members(samples: usize) -> usize {
    samples * MAX_CLUSTERS_OF_SAMPLE as usize
}

impl LabelCapacity {
    /// Initial capacity: clusters keep about one in eight labels of samples.
    pub(super) fn for_charges(charges: &Charges) -> Self {
        LabelCapacity(count(charges.cases()) / 8)
    }
}

impl<'a> Labels<'a> {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        charges: &'a Charges,
        arena: &'a Arena,
        LabelCapacity(capacity): LabelCapacity,
    ) -> Result<Self, DeviceError> {
        let cases = charges.cases();
        let samples = charges.samples();
        Ok(Labels {
            host_sample_labels: CachedPerInput::get_or_make("labels", cases, arena, gpu, |gpu| {
                HostSampleLabels::new(gpu, cases)
            })?,
            sample_labels: DeviceSampleLabels::new(gpu, samples, count(cases))?,
            members: MemberLists::new(gpu, samples)?,
            offsets: LabelOffsets::new(gpu, samples)?,
            filled: gpu.buffer(capacity)?,
            found: HostLabels::new(gpu, capacity)?,
        })
    }

    /// Starts to copy the labels of samples to the device; the lists of clusters are empty.
    pub(super) fn upload(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.upload(&self.sample_labels.first, &self.host_sample_labels.first)?;
        gpu.upload(&self.sample_labels.all, &self.host_sample_labels.all)?;
        gpu.fill(&self.members.total, 0)
    }

    /// Arguments of the kernels that find clusters, with labels.
    pub(super) fn arguments(&self, all: FusedFinding) -> FusedFinding {
        FusedFinding {
            first_labels: self.sample_labels.first.ptr(),
            ranges: self.sample_labels.ranges.ptr(),
            members: kernels::MemberLists {
                total: self.members.total.ptr(),
                of_clusters: self.members.of_clusters.ptr(),
                samples: self.members.samples.ptr(),
                max_samples: self.members.samples.len() as u32,
            },
            ..all
        }
    }

    /// Starts to copy the number of samples of clusters.
    pub(super) fn download_total(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.download(&mut self.members.host_total, &self.members.total)
    }

    /// Collects the labels of `clusters` clusters, once their numbers of samples are known: counts
    /// them, waits for the total, and starts to copy them to the host.
    pub(super) fn collect(&mut self, gpu: &Gpu, clusters: usize) -> Result<(), DeviceError> {
        let members = self.members.host_total[0] as usize;
        fits(gpu, members, "samples of clusters", self.members.samples.len())?;
        let of_members = members as u64 * MEMBER + clusters as u64 * CLUSTER;
        let bytes = of_members + self.sample_labels.all.bytes();
        self.count(gpu, clusters, bytes)?;
        gpu.download(&mut self.found.total, &self.offsets.total)?;
        gpu.wait()?;
        let labels = self.found.total[0] as usize;
        fits(gpu, labels, "labels of clusters", u32::MAX as usize)?;
        if self.filled.len() < labels {
            self.filled = gpu.buffer(labels)?;
        }
        self.fill(gpu, clusters, bytes + self.filled.bytes())?;
        reserve(gpu, &mut self.found.firsts, clusters)?;
        reserve(gpu, &mut self.found.all, labels)?;
        gpu.download(self.found.firsts.part_mut(0..clusters), &self.offsets.firsts)?;
        gpu.download(self.found.all.part_mut(0..labels), &self.filled)
    }

    /// Counts the labels of each cluster, and computes their offsets.
    fn count(&self, gpu: &Gpu, clusters: usize, bytes: u64) -> Result<(), DeviceError> {
        let kernel = &FUSED_COUNT_LABELS;
        let offsets = &self.offsets;
        gpu.fill_first(&offsets.states, clusters.div_ceil(kernel.threads() as usize), 0)?;
        gpu.fill(&offsets.ticket, 0)?;
        gpu.fill(&offsets.total, 0)?;
        let arguments = self.collection(clusters);
        // SAFETY: each cluster has a list of samples, each of these a range of labels, and each
        // block a state.
        unsafe { gpu.launch(kernel, kernel.grid_for(clusters).with_traffic(bytes), arguments) }
    }

    /// Stores the labels of each cluster at their offset.
    fn fill(&self, gpu: &Gpu, clusters: usize, bytes: u64) -> Result<(), DeviceError> {
        let kernel = &FUSED_FILL_LABELS;
        let arguments = self.collection(clusters);
        // SAFETY: the buffers are those of `self` and of these clusters; the output has capacity
        // for all labels that were counted.
        unsafe { gpu.launch(kernel, kernel.grid_for(clusters).with_traffic(bytes), arguments) }
    }

    fn collection(&self, clusters: usize) -> LabelCollection {
        LabelCollection {
            members: self.members.of_clusters.ptr(),
            samples: self.members.samples.ptr(),
            ranges: self.sample_labels.ranges.ptr(),
            labels: self.sample_labels.all.ptr(),
            states: self.offsets.states.ptr(),
            ticket: self.offsets.ticket.ptr(),
            total: self.offsets.total.ptr(),
            firsts: self.offsets.firsts.ptr(),
            filled: self.filled.ptr(),
            clusters: clusters as u32,
        }
    }

    /// The labels of a cluster by its index, once they are copied.
    pub(super) fn of_cluster(&self, cluster: usize) -> &[u64] {
        let HostLabels { total, firsts, all } = &self.found;
        let end = firsts.get(cluster + 1).map_or(total[0], |&first| first.into());
        &all[firsts[cluster] as usize..end as usize]
    }

    /// Capacity for labels of clusters.
    pub(super) fn capacity(&self) -> LabelCapacity {
        LabelCapacity(self.found.all.len())
    }
}

impl HostSampleLabels {
    /// Concatenates the labels of sectors, some of which may have none.
    fn new(gpu: &Gpu, cases: &[ChargeCase]) -> Result<Self, DeviceError> {
        let samples = cases.iter().map(|case| case.charges.len()).sum::<usize>();
        let mut first = gpu.pinned(samples + 1)?;
        let mut all = gpu.pinned(count(cases))?;
        let mut firsts_left = &mut first[..];
        let mut all_left = &mut all[..];
        let mut before = 0;
        for case in cases {
            let (own, others) = firsts_left.split_at_mut(case.charges.len());
            own.fill(before);
            firsts_left = others;
            if let Some(labels) = &case.labels {
                own.iter_mut().zip(labels.first()).for_each(|(first, offset)| *first += offset);
                let (own, others) = all_left.split_at_mut(labels.all().len());
                copy(own, labels.all());
                (all_left, before) = (others, before + labels.all().len() as u32);
            }
        }
        firsts_left.fill(before);
        Ok(HostSampleLabels { first, all })
    }
}

#[cfg(test)]
mod tests {
    use portable_gpu::emulator;

    use super::*;
    use crate::kernels::tpc_cluster_finder_cuda_fused_peaks_h::FIND_THREADS;
    use crate::kernels::tpc_cluster_finder_labels::MAX_IN_SET;
    use crate::tpc_cluster_finder::hard_inputs;

    /// A hard input by its name.
    fn hard(name: &str) -> Charges {
        let mut all = hard_inputs::all(1).into_iter();
        all.find(|(own, _)| own == name).expect("there is one").1
    }

    #[test]
    fn hard_inputs_cover_rare_cases() {
        let labelled = hard("labels");
        let clusters = labelled.right_clusters();
        let max = clusters.chunk_by(|one, next| (one.case, one.row) == (next.case, next.row));
        // All time bins of the shorter rows are in one tile.
        let max = max.filter(|row| row[0].row < 64).map(<[_]>::len).max();
        assert!(max > Some(FIND_THREADS as usize), "{max:?} clusters of a tile");
        let many = hard("hundreds of labels");
        let clusters = many.right_clusters();
        let labels = clusters.labels.as_ref().expect("they have some");
        let max = (0..clusters.len()).map(|cluster| labels.list(cluster).len()).max();
        assert!(max > Some(MAX_IN_SET as usize), "{max:?} labels of a cluster");
    }

    #[test]
    fn labels_of_sectors_are_concatenated() {
        let Some(gpu) = emulator::gpu_for_tests(Default::default()) else { return };
        let case = |lists: Option<&[&[u64]]>, samples: usize| {
            let labels = lists.map(|lists| {
                let mut labels = generators_tpc::charges::Labels::default();
                lists.iter().for_each(|list| labels.push(list));
                labels
            });
            ChargeCase { charges: vec![Default::default(); samples], labels, ..Default::default() }
        };
        let cases = [case(Some(&[&[7, 8], &[]]), 2), case(None, 2), case(Some(&[&[], &[9]]), 2)];
        let sample_labels = HostSampleLabels::new(&gpu, &cases).expect("buffers");
        assert_eq!(sample_labels.first[..], [0, 2, 2, 2, 2, 2, 3]);
        assert_eq!(sample_labels.all[..], [7, 8, 9]);
    }
}
