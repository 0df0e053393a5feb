//! What candidates run on: teams of threads and GPUs, with what is known of them.

use algorithms::device::{Device, TeamError};

use super::crew::{Crew, TeamState};
use super::gpu::fleet::Fleet;
use super::gpu::on_gpu::{Care, OnGpu};
use super::on_device::Ceilings;
use super::{CandidateSampler, rows::Subject};
use crate::plan::{CandidateSpec, Plan};
use crate::platform;
use crate::platform::gpus::Gpus;
use crate::request::CacheMode;
use algorithms::device::Target;
use algorithms::device::gpu::DeviceError;
use algorithms::task::Candidate;

/// Teams and GPUs, each started once a process.
pub(super) struct Workplace {
    pub(super) crew: Crew,
    pub(super) gpus: Gpus,
    pub(super) fleet: Fleet,
    pub(super) care: Care,
    /// What the executable is, and that its outputs are right, was found before.
    pub(super) is_known: bool,
}

impl Workplace {
    /// All that the candidates of these plans need.
    ///
    /// # Errors
    /// If threads can't be had, or can't be where they should.
    pub(super) fn of<'a>(
        plans: impl Iterator<Item = &'a Plan> + Clone,
        care: Care,
    ) -> Result<Self, TeamError> {
        Ok(Workplace {
            crew: Crew::start(plans.clone().flat_map(|plan| &plan.teams))?,
            gpus: Gpus::default(),
            fleet: Fleet::of(devices(plans)),
            care,
            is_known: false,
        })
    }

    /// The same for an executable of which another process has found what it is, and that
    /// its outputs are right: rows have no fingerprints, and nothing is checked.
    pub(super) fn of_what_is_known(self) -> Self {
        Workplace {
            is_known: true,
            ..self
        }
    }

    /// What the rows of a candidate have in common.
    pub(super) fn subject(
        &self,
        plan: &Plan,
        spec: &CandidateSpec,
        point: reports::record::Point,
    ) -> Subject {
        let variant = plan.variant(spec);
        let fingerprint = match self.is_known {
            true => String::new(),
            false => platform::variant_fingerprint(variant),
        };
        Subject::new(point, variant, &fingerprint)
    }

    /// Where a candidate runs.
    ///
    /// # Errors
    /// Why its device can't be used.
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
            device => self.fleet.get(device).and_then(|state| state.bandwidth),
        };
        Ceilings {
            backend: spec.device.backend(),
            bandwidth,
        }
    }

    /// A sampler of a candidate that is ready, with all that surrounds its samples.
    pub(super) fn sampler<'a>(
        &'a self,
        candidate: Box<dyn Candidate + 'a>,
        plan: &'a Plan,
        spec: &CandidateSpec,
        place: Target<'a>,
    ) -> CandidateSampler<'a> {
        let team_spec = &plan.teams[spec.team];
        let team = self.team(plan, spec);
        let mut sampler = CandidateSampler::new(candidate, &team.team)
            .in_places(team_spec)
            .noticing(&team.usual);
        if let (CacheMode::Cold, Some(flush)) = (spec.cache, &team.flush) {
            sampler = sampler.flushing(flush);
        }
        if let (None, Some(counting)) = (&place.gpu, &team.counting) {
            sampler = sampler.counting(counting.as_ref());
        }
        if let (Some(gpu), Some(state)) = (place.gpu, self.fleet.get(spec.device)) {
            let (watch, care) = (&state.watch, self.care);
            sampler = sampler.on_gpu(OnGpu { gpu, watch, care });
        }
        sampler
    }

    fn team(&self, plan: &Plan, spec: &CandidateSpec) -> &TeamState {
        self.crew.get(&plan.teams[spec.team])
    }
}

/// The devices of all candidates.
fn devices<'a>(plans: impl Iterator<Item = &'a Plan>) -> impl Iterator<Item = Device> {
    let inputs = plans.flat_map(|plan| &plan.inputs);
    inputs.flat_map(|input| input.candidates.iter().map(|spec| spec.device))
}
