//! Execution resources of candidates: teams of threads and GPUs, with their monitors and limits.

use std::sync::Arc;

use portable_gpu::DeviceError;
use portable_gpu::nvtx::{NoRanges, Ranges, StageRanges};
use reports::record::{Point, RunRecord};
use tasks::device::{Backend, Device, Target, TeamError};
use tasks::task::Candidate;

use super::device_use::Ceilings;
use super::gpu::kernel_counters::KernelProfiler;
use super::gpu::sampled_gpu::{GpuMode, RunRanges, SampledGpu};
use super::gpu::watched::WatchedGpus;
use super::rows::RowBuilder;
use super::sampler::{CandidateSampler, MeteredDevice};
use super::teams::{TeamState, Teams};
use crate::energy::EnergyMeters;
use crate::plan::{CandidateSpec, Plan};
use crate::platform;
use crate::platform::control_groups::CpuQuota;
use crate::platform::gpus::Gpus;
use crate::request::{CacheMode, EnergyFlags};

/// Teams and GPUs, each started once per process.
pub(crate) struct Resources {
    pub(super) teams: Teams,
    pub(super) gpus: Gpus,
    pub(super) watched: WatchedGpus,
    pub(super) mode: GpuMode,
    /// Ranges for a profiler of a CUDA device, or the reason why there are none.
    pub(super) ranges: Option<Result<Ranges, NoRanges>>,
    /// Meters of energy.
    pub(super) meters: EnergyMeters,
    /// Profiler of kernels, if their counters are to be recorded.
    pub(super) profiler: Option<KernelProfiler>,
    /// Quota of CPU time, if the control group has one.
    pub(super) quota: Option<CpuQuota>,
    /// Number of usable CPUs.
    cpus: usize,
    /// Another process has computed the fingerprint of the executable and checked outputs: rows
    /// have no fingerprints, and nothing is checked.
    pub(super) is_known: bool,
}

impl Resources {
    /// Starts all resources that the candidates of these plans need.
    pub(super) fn for_plans<'a>(
        plans: impl Iterator<Item = &'a Plan> + Clone,
        mode: GpuMode,
    ) -> Result<Self, TeamError> {
        let inputs = plans.clone().flat_map(|plan| &plan.inputs);
        let devices = inputs.flat_map(|input| input.candidates.iter().map(|spec| spec.device));
        let is_profiled =
            mode == GpuMode::Profile && devices.clone().any(|it| it.backend() == Backend::Cuda);
        Ok(Resources {
            teams: Teams::start(plans.flat_map(|plan| &plan.teams))?,
            gpus: Gpus::default(),
            watched: WatchedGpus::new(devices),
            mode,
            ranges: is_profiled.then(Ranges::open),
            meters: EnergyMeters::default(),
            profiler: None,
            quota: CpuQuota::for_this_process(),
            cpus: platform::usable_threads(),
            is_known: false,
        })
    }

    /// Resources of a process that takes samples on request of another one; see `is_known` of
    /// [`Resources`].
    pub(crate) fn to_serve<'a>(
        plans: impl Iterator<Item = &'a Plan> + Clone,
        is_known: bool,
    ) -> Result<Self, TeamError> {
        let resources = Resources::for_plans(plans, GpuMode::Measure)?;
        Ok(Resources { is_known, ..resources })
    }

    /// Opens meters of energy of all devices; without them there is none.
    pub(super) fn open_meters(&mut self, flags: &EnergyFlags, report: impl Fn(&str)) {
        self.meters = EnergyMeters::for_run(flags, self.watched.devices(), report);
    }

    /// Finds the profiler of kernels, if any run on a GPU by NVIDIA; returns a note if there is
    /// none.
    pub(super) fn find_profiler(&mut self, record: &RunRecord) -> Option<String> {
        if !self.watched.devices().any(|device| device.cuda_number().is_some()) {
            return None;
        }
        match KernelProfiler::find(record) {
            Ok(profiler) => {
                self.profiler = Some(profiler);
                None
            }
            Err(reason) => Some(format!("measured without counters of kernels: {reason}")),
        }
    }

    /// Row fields that all rows of a candidate share.
    pub(super) fn subject(&self, plan: &Plan, spec: &CandidateSpec, point: Point) -> RowBuilder {
        let variant = plan.variant(spec);
        // Hashing takes time; plugins have their hash.
        let is_left_out = self.is_known && variant.plugin.is_none();
        let fingerprint =
            if is_left_out { String::new() } else { platform::variant_fingerprint(variant) };
        let mut subject = RowBuilder::new(point, variant, fingerprint);
        subject.ceilings = self.ceilings(plan, spec);
        subject
    }

    /// Execution target of a candidate.
    pub(super) fn target(
        &self,
        plan: &Plan,
        spec: &CandidateSpec,
    ) -> Result<Target<'_>, DeviceError> {
        self.gpus.target(spec.device, &self.team(plan, spec).team)
    }

    /// Bandwidth limits of the device of a candidate, as far as they are known by now.
    pub(super) fn ceilings(&self, plan: &Plan, spec: &CandidateSpec) -> Ceilings {
        let bandwidth = match spec.device {
            Device::Cpu => self.team(plan, spec).bandwidth.get(),
            device => self.watched.get(device).and_then(|state| state.bandwidth.get()),
        };
        Ceilings { backend: spec.device.backend(), bandwidth: bandwidth.copied() }
    }

    /// Sampler of a candidate that is ready, with monitors and cache flush.
    pub(super) fn sampler<'a>(
        &'a self,
        candidate: Box<dyn Candidate + 'a>,
        plan: &'a Plan,
        spec: &CandidateSpec,
        target: Target<'a>,
    ) -> CandidateSampler<'a> {
        let team = self.team(plan, spec);
        let is_cold = spec.cache == CacheMode::Cold;
        let is_on_host = target.gpu.is_none();
        let watched = target.gpu.zip(self.watched.get(spec.device));
        let mut sampler = CandidateSampler::new(candidate, &team.team);
        sampler.flush = team.flush.as_ref().filter(|_| is_cold);
        sampler.spec = Some(&plan.teams[spec.team]);
        // With more threads than CPUs, probes measure the waiting of threads rather than clocks and
        // other load.
        sampler.baseline = Some(&team.baseline).filter(|_| team.team.threads() <= self.cpus);
        sampler.quota = self.quota.as_ref();
        sampler.counting = team.counting.as_deref().filter(|_| is_on_host);
        let ranges = self.ranges.as_ref().and_then(|ranges| ranges.as_ref().ok());
        sampler.sampled_gpu = watched.map(|(gpu, watched)| SampledGpu {
            ranges: ranges.map(|ranges| RunRanges {
                gpu: Arc::clone(&gpu),
                stages: StageRanges {
                    ranges: *ranges,
                    prefix: format!("{}/{}", plan.task().name(), plan.variant(spec).name),
                },
            }),
            gpu,
            watch: &watched.watch,
            mode: self.mode,
        });
        let has_meters = self.mode == GpuMode::Measure && !self.is_known;
        let metered = MeteredDevice { meters: &self.meters, device: spec.device };
        sampler.metered = has_meters.then_some(metered);
        sampler
    }

    fn team(&self, plan: &Plan, spec: &CandidateSpec) -> &TeamState {
        self.teams.get(&plan.teams[spec.team])
    }
}
