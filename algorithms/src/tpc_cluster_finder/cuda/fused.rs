//! recobench's finder: samples in bins by row and time, tiles of rows in shared memory; if samples
//! have labels, those of clusters are collected from lists of their samples. See the kernels.

mod bins;
mod labels;

use std::borrow::Cow;
use std::sync::Arc;

use generators::tpc::charges::{Charge, ChargeCase};

use super::cases::{self, Cases};
use super::found::{HostCapacity, HostClusters};
use crate::algorithm::{PrepareResult, Runner, Variant, VariantContext};
use crate::device::gpu::{DeviceError, Gpu, LaunchConfig};
use crate::device::{Arena, Unavailable, buffers};
use crate::kernels::tpc_cluster_finder_cuda_fused_bins_h::{FusedFinding, LabelRange};
use crate::kernels::tpc_cluster_finder_fused::{
    BIN_ITEMS, BIN_THREADS, FUSED_BIN_SAMPLES, FUSED_COUNT_SAMPLES,
};
use crate::kernels::tpc_cluster_finder_labelled::FUSED_BIN_LABELLED;
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::Clusters;
pub(crate) use bins::{BINNED, Bins, Sizes, words_of};
use labels::{LabelCapacity, Labels};

pub(super) const FUSED: Variant<TpcClusterFinder> = Variant::cuda(
    "fused",
    "ours: samples in bins by row and time; a tile of a row in shared memory, peaks as bits",
    |at| prepare(at),
)
.by_published_rules();

/// Bytes of an input sample.
const SAMPLE: u64 = size_of::<Charge>() as u64;
/// Bytes of the offset of its labels, and of its label range.
const LABELS_OF_SAMPLE: u64 = (size_of::<u32>() + size_of::<LabelRange>()) as u64;

struct Fused<'a> {
    charges: &'a Charges,
    arena: &'a Arena,
    sizes: Sizes,
    /// Capacity for clusters and runs on the host.
    host_capacity: HostCapacity,
    /// Capacity for their labels on the host.
    label_capacity: LabelCapacity,
    gpu: Arc<Gpu>,
}

struct FusedBuffers<'a> {
    cases: Cases<'a>,
    bins: Bins,
    found: HostClusters,
    /// Labels, if samples have some.
    labels: Option<Labels<'a>>,
}

buffers!(FusedBuffers<'_>: cases, bins, found, labels);

fn prepare<'a>(
    at: &VariantContext<'a, '_, TpcClusterFinder>,
) -> PrepareResult<'a, TpcClusterFinder> {
    cases::fit(at.input)?;
    labels::fit(at.input)?;
    let sizes = Sizes::for_samples(at.input.samples(), time_bins(at.input));
    sizes.fit()?;
    let host_capacity = HostCapacity::for_samples(sizes.samples);
    let label_capacity = LabelCapacity::for_charges(at.input);
    let charges = at.input;
    let arena = at.arena;
    let gpu = at.gpu()?;
    at.session(Fused { charges, arena, sizes, host_capacity, label_capacity, gpu })
}

impl Sizes {
    /// Checks that words can be counted with 32 bits.
    pub(crate) fn fit(&self) -> Result<(), Unavailable> {
        let words = self.words;
        let max = u32::MAX as usize;
        if words <= max {
            return Ok(());
        }
        Err(Unavailable(format!(
            "{words} bins of time bins and rows exceed the limit of {max}; use fewer sectors or orbits"
        )))
    }
}

/// Time bins of each sector.
fn time_bins(charges: &Charges) -> impl Iterator<Item = u32> + Clone {
    charges.cases().iter().map(|case: &ChargeCase| case.time_bins)
}

impl Fused<'_> {
    /// A grid of blocks with equal shares of the samples.
    fn by_samples(&self, bytes_of_sample: u64) -> LaunchConfig {
        let samples = self.sizes.samples as u64;
        let blocks = samples.div_ceil((BIN_THREADS * BIN_ITEMS).into());
        LaunchConfig::blocks(blocks as u32).with_traffic(samples * bytes_of_sample)
    }

    /// Arguments of all kernels.
    fn arguments(&self, buffers: &FusedBuffers<'_>) -> FusedFinding {
        let cases = &buffers.cases;
        let all = buffers.bins.arguments(cases.sectors(), cases.noisy());
        let all = FusedFinding { samples: cases.samples(), ..all };
        buffers.labels.as_ref().map_or(all, |labels| labels.arguments(all))
    }

    /// Brings samples into bins, whose sizes are not known beforehand, and finds clusters; if
    /// samples have labels, also lists the samples that give them to each cluster.
    fn find(&self, buffers: &FusedBuffers<'_>) -> Result<(), DeviceError> {
        let gpu = &self.gpu;
        let bins = &buffers.bins;
        let arguments = self.arguments(buffers);
        // SAFETY: each sample has a word for its bin.
        unsafe { gpu.launch(&FUSED_COUNT_SAMPLES, self.by_samples(SAMPLE), arguments) }?;
        bins.compute_offsets(gpu, arguments)?;
        if buffers.labels.is_none() {
            let grid = self.by_samples(SAMPLE + BINNED);
            // SAFETY: each bin has an entry for each of its samples.
            unsafe { gpu.launch(&FUSED_BIN_SAMPLES, grid, arguments) }?;
            return bins.find(gpu, arguments);
        }
        let grid = self.by_samples(SAMPLE + BINNED + LABELS_OF_SAMPLE);
        // SAFETY: each bin has an entry for each of its samples; the offsets of labels have an
        // entry for each sample, and one after the last.
        unsafe { gpu.launch(&FUSED_BIN_LABELLED, grid, arguments) }?;
        bins.find_labelled(gpu, arguments)
    }
}

impl<'a> Runner<TpcClusterFinder> for Fused<'a> {
    type Buffers = FusedBuffers<'a>;

    fn allocate(&self) -> Result<FusedBuffers<'a>, DeviceError> {
        let labels = || Labels::new(&self.gpu, self.charges, self.arena, self.label_capacity);
        Ok(FusedBuffers {
            cases: Cases::new(&self.gpu, self.charges, self.arena)?,
            bins: Bins::new(&self.gpu, self.sizes)?,
            found: HostClusters::new(&self.gpu, self.host_capacity)?,
            labels: self.charges.has_labels().then(labels).transpose()?,
        })
    }

    fn run(&mut self, buffers: &mut FusedBuffers<'a>) -> Result<(), DeviceError> {
        let gpu = &self.gpu;
        buffers.cases.upload(gpu)?;
        buffers.bins.empty(gpu, time_bins(self.charges))?;
        if let Some(labels) = &buffers.labels {
            labels.upload(gpu)?;
        }
        self.find(buffers)?;
        buffers.bins.found.download_totals(gpu, &mut buffers.found)?;
        if let Some(labels) = &mut buffers.labels {
            labels.download_total(gpu)?;
        }
        buffers.bins.found.download_found(gpu, &mut buffers.found)?;
        match &mut buffers.labels {
            None => Ok(()),
            Some(labels) => labels.collect(gpu, buffers.found.clusters()),
        }
    }

    fn output<'b>(&'b self, buffers: &'b FusedBuffers<'a>) -> Cow<'b, Clusters> {
        Cow::Owned(match &buffers.labels {
            Some(labels) => buffers.found.labelled(|cluster| labels.of_cluster(cluster)),
            None => buffers.found.sorted(0).into(),
        })
    }

    fn release(&mut self, buffers: FusedBuffers<'a>) {
        self.host_capacity = buffers.found.capacity();
        self.label_capacity = buffers.labels.as_ref().map_or(self.label_capacity, Labels::capacity);
    }
}

#[cfg(test)]
mod tests {
    use generators::tpc::PadId;

    use super::super::found::ClusterList;
    use super::*;
    use crate::device::emulator::{self, Config};
    use crate::tpc_cluster_finder::reference;

    /// Five clusters, in runs of two rows.
    fn five_clusters() -> Charges {
        let charge = |row| {
            move |number: u32| Charge { time: 10 * number, pad: PadId::new(row, 20), charge: 500 }
        };
        let charges = (0..2).map(charge(5)).chain((0..3).map(charge(7))).collect();
        let case = ChargeCase { time_bins: 40, fragment: 1000, charges, ..ChargeCase::default() };
        Charges::new(vec![case])
    }

    #[test]
    fn clusters_beyond_the_capacity_are_counted_and_not_written() {
        let Some(gpu) = emulator::gpu_for_tests(Config { checked: true, ..Config::default() })
        else {
            return;
        };
        let charges = five_clusters();
        let arena = Arena::default();
        let sizes = Sizes::for_samples(charges.samples(), time_bins(&charges));
        let host_capacity = HostCapacity::for_samples(sizes.samples);
        let label_capacity = LabelCapacity::for_charges(&charges);
        let mut finder =
            Fused { charges: &charges, arena: &arena, sizes, host_capacity, label_capacity, gpu };
        let mut buffers = finder.allocate().expect("buffers");
        let expected = reference::find(charges.cases(), false);
        assert_eq!(finder.run(&mut buffers), Ok(()));
        assert_eq!(finder.output(&buffers).list, expected.list);
        let runs = buffers.bins.found.arguments().max_runs as usize;
        let small =
            |clusters, runs| ClusterList::new(&finder.gpu, clusters, runs).expect("buffers");
        for (found, problem) in [
            (small(4, runs), "5 clusters were found; the capacity is 4"),
            (small(5, 1), "2 runs of clusters were found; the capacity is 1"),
        ] {
            buffers.bins.found = found;
            let error = finder.run(&mut buffers).expect_err(problem).to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
