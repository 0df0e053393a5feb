//! recobench's finder: samples in bins by row and time, tiles of rows in shared memory; if samples
//! have labels, those of clusters are collected from lists of their samples. See the kernels.

mod bins;
mod labels;

use std::borrow::Cow;

use generators_tpc::charges::{Charge, ChargeCase};
use portable_gpu::{DeviceError, Gpu, LaunchConfig};

use super::cases::{self, Cases};
use super::found::{HostCapacity, HostClusters};
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
use tasks::algorithm::{GpuRunner, GpuTask, PrepareResult, Variant, VariantContext};
use tasks::device::{Unavailable, buffers};

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

/// Sizes of the next buffers.
struct FusedSizes {
    on_device: Sizes,
    /// Clusters and runs on the host.
    host: HostCapacity,
    /// Their labels on the host.
    labels: LabelCapacity,
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
    let sizes = FusedSizes::new(at.input);
    sizes.on_device.fit()?;
    at.on_gpu::<FusedBuffers<'a>>(sizes)
}

impl FusedSizes {
    fn new(charges: &Charges) -> Self {
        FusedSizes {
            on_device: Sizes::for_samples(charges.samples(), time_bins(charges)),
            host: HostCapacity::for_samples(charges.samples()),
            labels: LabelCapacity::for_charges(charges),
        }
    }
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

/// A grid of blocks with equal shares of the samples.
fn by_samples(charges: &Charges, bytes_of_sample: u64) -> LaunchConfig {
    let samples = charges.samples() as u64;
    let blocks = samples.div_ceil((BIN_THREADS * BIN_ITEMS).into());
    LaunchConfig::blocks(blocks as u32).with_traffic(samples * bytes_of_sample)
}

impl FusedBuffers<'_> {
    /// Arguments of all kernels.
    fn arguments(&self) -> FusedFinding {
        let cases = &self.cases;
        let all = self.bins.arguments(cases.sectors(), cases.noisy());
        let all = FusedFinding { samples: cases.samples(), ..all };
        self.labels.as_ref().map_or(all, |labels| labels.arguments(all))
    }

    /// Brings samples into bins, whose sizes are not known beforehand, and finds clusters; if
    /// samples have labels, also lists the samples that give them to each cluster.
    fn find(&self, gpu: &Gpu, charges: &Charges) -> Result<(), DeviceError> {
        let bins = &self.bins;
        let arguments = self.arguments();
        // SAFETY: each sample has a word for its bin.
        unsafe { gpu.launch(&FUSED_COUNT_SAMPLES, by_samples(charges, SAMPLE), arguments) }?;
        bins.compute_offsets(gpu, arguments)?;
        if self.labels.is_none() {
            let grid = by_samples(charges, SAMPLE + BINNED);
            // SAFETY: each bin has an entry for each of its samples.
            unsafe { gpu.launch(&FUSED_BIN_SAMPLES, grid, arguments) }?;
            return bins.find(gpu, arguments);
        }
        let grid = by_samples(charges, SAMPLE + BINNED + LABELS_OF_SAMPLE);
        // SAFETY: each bin has an entry for each of its samples; the offsets of labels have an
        // entry for each sample, and one after the last.
        unsafe { gpu.launch(&FUSED_BIN_LABELLED, grid, arguments) }?;
        bins.find_labelled(gpu, arguments)
    }
}

impl<'a> GpuTask<'a> for FusedBuffers<'a> {
    type Task = TpcClusterFinder;
    type Config = FusedSizes;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input: charges, arena, gpu, config: sizes, .. } = at;
        let labels = || Labels::new(gpu, charges, arena, sizes.labels);
        Ok(FusedBuffers {
            cases: Cases::new(gpu, charges, arena)?,
            bins: Bins::new(gpu, sizes.on_device)?,
            found: HostClusters::new(gpu, sizes.host)?,
            labels: charges.has_labels().then(labels).transpose()?,
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input: charges, gpu, .. } = at;
        self.cases.upload(gpu)?;
        self.bins.empty(gpu, time_bins(charges))?;
        if let Some(labels) = &self.labels {
            labels.upload(gpu)?;
        }
        self.find(gpu, charges)?;
        self.bins.found.download_totals(gpu, &mut self.found)?;
        if let Some(labels) = &mut self.labels {
            labels.download_total(gpu)?;
        }
        self.bins.found.download_found(gpu, &mut self.found)?;
        match &mut self.labels {
            None => Ok(()),
            Some(labels) => labels.collect(gpu, self.found.clusters()),
        }
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Clusters> {
        Cow::Owned(match &self.labels {
            Some(labels) => self.found.labelled(|cluster| labels.of_cluster(cluster)),
            None => self.found.sorted(0).into(),
        })
    }

    fn release(self, sizes: &mut FusedSizes) {
        sizes.host = self.found.capacity();
        sizes.labels = self.labels.as_ref().map_or(sizes.labels, Labels::capacity);
    }
}

#[cfg(test)]
mod tests {
    use generators_tpc::PadId;

    use portable_gpu::emulator::{self, Config};

    use super::super::found::ClusterList;
    use super::*;
    use crate::tpc_cluster_finder::reference;
    use tasks::algorithm::Runner;
    use tasks::device::Arena;

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
        let input = &five_clusters();
        let arena = &Arena::default();
        let config = FusedSizes::new(input);
        let mut finder = GpuRunner::<FusedBuffers<'_>> { input, arena, gpu, threads: 1, config };
        let mut buffers = finder.allocate().expect("buffers");
        let expected = reference::find(input.cases(), false);
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
