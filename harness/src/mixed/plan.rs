//! Loads → plans, and whether their events fit into memory together.

use tasks::device::Device;

use super::background::BackgroundSpec;
use super::file::{LoadSpec, Mix};
use crate::plan::{Plan, PlanError, check_free_memory, check_threads};
use crate::platform::usable_threads;
use crate::request::{MeasureRequest, MixedRequest, Source};
use crate::throughput::PointSpec;

/// All loads of a command.
pub(crate) struct MixPlan {
    pub(super) loads: Vec<PlannedLoad>,
    pub(super) backgrounds: Vec<BackgroundSpec>,
}

/// A load with its plan, or the reason why it can't run here.
pub(super) struct PlannedLoad {
    pub(super) spec: LoadSpec,
    pub(super) request: MeasureRequest,
    pub(super) streams: Result<PlannedStreams, String>,
}

/// Plan of the streams of a load.
pub(super) struct PlannedStreams {
    pub(super) plan: Plan,
    pub(super) point: PointSpec,
}

impl MixPlan {
    /// Plans all loads of a mix. Loads whose device is missing are kept with the reason.
    ///
    /// # Errors
    /// If no load can run, or their events do not fit into memory together.
    pub(crate) fn new(request: &MixedRequest, mix: Mix) -> Result<Self, PlanError> {
        let planned = mix.loads.into_iter().map(|spec| PlannedLoad::new(request, spec));
        let loads: Vec<PlannedLoad> = planned.collect::<Result<_, _>>()?;
        let problems = loads.iter().filter_map(|load| load.streams.as_ref().err().cloned());
        if loads.iter().all(|load| load.streams.is_err()) {
            let problems: Vec<String> = problems.collect();
            return Err(PlanError::NothingToMeasure(problems.join("; ")));
        }
        let usable = || loads.iter().filter_map(PlannedLoad::usable);
        let backgrounds = BackgroundSpec::all(request, usable().map(|(spec, _)| spec))?;
        let bytes = usable().map(|(_, it)| it.point.memory_bytes(&it.plan)).sum::<u64>();
        let bytes = bytes.saturating_add(backgrounds.iter().map(BackgroundSpec::bytes).sum());
        check_free_memory("the mix with the events of all streams", bytes)?;
        let threads = usable().map(|(spec, _)| spec.all_threads()).sum::<usize>();
        check_threads(threads, usable_threads())?;
        Ok(MixPlan { loads, backgrounds })
    }

    /// Devices of all loads and background loads, each once.
    pub(super) fn devices(&self) -> Vec<Device> {
        let loads = self.loads.iter().filter(|load| load.streams.is_ok());
        let mut devices: Vec<Device> = loads.map(|load| load.spec.device()).collect();
        devices.extend(self.backgrounds.iter().map(BackgroundSpec::device));
        crate::request::values::each_once(&mut devices);
        devices
    }
}

impl PlannedLoad {
    fn new(request: &MixedRequest, spec: LoadSpec) -> Result<Self, PlanError> {
        let source = Source::Generated(spec.axes.clone());
        let settings = crate::request::Settings { seed: request.seed, ..spec.settings.clone() };
        let measuring = MeasureRequest {
            command: request.command.clone(),
            config: request.config.clone(),
            ..MeasureRequest::new(spec.task, source, settings)
        };
        let streams = match Plan::new(&measuring) {
            Ok(plan) => {
                let point = PointSpec::first(&plan, spec.streams, spec.batch);
                let none = || format!("not run: {} has nothing to run", spec.name);
                point.ok_or_else(none).map(|point| PlannedStreams { plan, point })
            }
            Err(PlanError::NothingToMeasure(problem)) => Err(problem),
            Err(error) => return Err(error),
        };
        Ok(PlannedLoad { spec, request: measuring, streams })
    }

    /// The load with its streams, if it can run here.
    pub(super) fn usable(&self) -> Option<(&LoadSpec, &PlannedStreams)> {
        Some((&self.spec, self.streams.as_ref().ok()?))
    }
}

impl LoadSpec {
    pub(super) fn device(&self) -> Device {
        self.settings.devices[0]
    }

    /// Threads of a stream.
    pub(super) fn threads(&self) -> usize {
        self.settings.thread_counts()[0].all
    }

    /// Threads of all streams.
    pub(super) fn all_threads(&self) -> usize {
        self.streams.saturating_mul(self.threads())
    }
}
