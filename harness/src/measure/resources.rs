//! What candidates run on: teams of threads and GPUs, with what is known of them.

use algorithms::device::gpu::DeviceError;
use algorithms::device::{Device, Target, TeamError};
use algorithms::task::Candidate;
use reports::record::Point;

use super::gpu::on_gpu::{GpuMode, OnGpu};
use super::gpu::watched::WatchedGpus;
use super::on_device::Ceilings;
use super::rows::Subject;
use super::sampler::CandidateSampler;
use super::teams::{TeamState, Teams};
use crate::plan::{CandidateSpec, Plan};
use crate::platform;
use crate::platform::cpu_quota::CpuQuota;
use crate::platform::gpus::Gpus;
use crate::request::CacheMode;

/// Teams and GPUs, each started once a process.
pub(crate) struct Resources {
    pub(super) teams: Teams,
    pub(super) gpus: Gpus,
    pub(super) watched: WatchedGpus,
    pub(super) mode: GpuMode,
    /// Quota of CPU time, if the control group has one.
    pub(super) quota: Option<CpuQuota>,
    /// CPUs that may be used.
    cpus: usize,
    /// Another process has found what the executable is, and that its outputs are right:
    /// rows have no fingerprints, and nothing is checked.
    pub(super) is_known: bool,
}

impl Resources {
    /// All that the candidates of these plans need.
    pub(super) fn of<'a>(
        plans: impl Iterator<Item = &'a Plan> + Clone,
        mode: GpuMode,
    ) -> Result<Self, TeamError> {
        let inputs = plans.clone().flat_map(|plan| &plan.inputs);
        let devices = inputs.flat_map(|input| input.candidates.iter().map(|spec| spec.device));
        Ok(Resources {
            teams: Teams::start(plans.flat_map(|plan| &plan.teams))?,
            gpus: Gpus::default(),
            watched: WatchedGpus::of(devices),
            mode,
            quota: CpuQuota::of_this_process(),
            cpus: platform::usable_threads(),
            is_known: false,
        })
    }

    /// That of a process which another one asks for samples; see `is_known` of
    /// [`Resources`].
    pub(crate) fn to_serve<'a>(
        plans: impl Iterator<Item = &'a Plan> + Clone,
        is_known: bool,
    ) -> Result<Self, TeamError> {
        let resources = Resources::of(plans, GpuMode::Measure)?;
        Ok(Resources { is_known, ..resources })
    }

    /// What the rows of a candidate have in common.
    pub(super) fn subject(&self, plan: &Plan, spec: &CandidateSpec, point: Point) -> Subject {
        let variant = plan.variant(spec);
        let fingerprint =
            if self.is_known { String::new() } else { platform::variant_fingerprint(variant) };
        Subject::new(point, variant, &fingerprint)
    }

    /// Where a candidate runs.
    pub(super) fn place(
        &self,
        plan: &Plan,
        spec: &CandidateSpec,
    ) -> Result<Target<'_>, DeviceError> {
        self.gpus.place(spec.device, &self.team(plan, spec).team)
    }

    /// What the device of a candidate can do at most, as far as it is known.
    pub(super) fn ceilings(&self, plan: &Plan, spec: &CandidateSpec) -> Ceilings {
        let bandwidth = match spec.device {
            Device::Cpu => self.team(plan, spec).bandwidth,
            device => self.watched.get(device).and_then(|state| state.bandwidth),
        };
        Ceilings { backend: spec.device.backend(), bandwidth }
    }

    /// A sampler of a candidate that is ready, with all that surrounds its samples.
    pub(super) fn sampler<'a>(
        &'a self,
        candidate: Box<dyn Candidate + 'a>,
        plan: &'a Plan,
        spec: &CandidateSpec,
        place: Target<'a>,
    ) -> CandidateSampler<'a> {
        let team = self.team(plan, spec);
        let is_cold = spec.cache == CacheMode::Cold;
        let is_on_host = place.gpu.is_none();
        let watched = place.gpu.zip(self.watched.get(spec.device));
        let mut sampler = CandidateSampler::new(candidate, &team.team);
        sampler.flush = team.flush.as_ref().filter(|_| is_cold);
        sampler.spec = Some(&plan.teams[spec.team]);
        // Threads that wait for each other find clocks and neighbours in their probes that are
        // neither.
        sampler.usual = Some(&team.usual).filter(|_| team.team.threads() <= self.cpus);
        sampler.quota = self.quota.as_ref();
        sampler.counting = team.counting.as_deref().filter(|_| is_on_host);
        sampler.on_gpu =
            watched.map(|(gpu, watched)| OnGpu { gpu, watch: &watched.watch, mode: self.mode });
        sampler
    }

    fn team(&self, plan: &Plan, spec: &CandidateSpec) -> &TeamState {
        self.teams.get(&plan.teams[spec.team])
    }
}
