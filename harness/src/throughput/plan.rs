//! Points of a request, and whether their events fit into memory.

use std::ops::Range;

use reports::units;
use tasks::device::Device;

use crate::plan::{CandidateSpec, Input, Plan, PlanError, check_events, check_threads};
use crate::platform::gpus::why_not_measured;
use crate::platform::usable_threads;
use crate::request::{DeviceSet, Processes, ThroughputRequest};

/// Memory of an event read from a file, in multiples of its input: itself, its reference, its
/// buffers.
const INPUTS_OF_A_READ_EVENT: u64 = 4;

/// All points of a command.
pub(crate) struct StreamPlan {
    /// Inputs and candidates; an input represents all events of these parameters.
    pub(crate) plan: Plan,
    pub(crate) points: Vec<PointSpec>,
    /// Notes for readers that concern the complete run.
    pub(crate) notes: Vec<String>,
}

/// A candidate with a number of streams.
#[derive(Clone, Debug)]
pub(crate) struct PointSpec {
    /// Index of the input.
    pub(super) input: usize,
    pub(crate) candidate: CandidateSpec,
    pub(crate) device_set: DeviceSet,
    pub(crate) streams: usize,
    pub(super) batch: usize,
    /// Number of processes that drive the streams; a single one is this process.
    pub(super) processes: usize,
}

impl StreamPlan {
    /// Plans the points of a request: those of the same data together, with ascending numbers of
    /// streams.
    pub(crate) fn new(request: &ThroughputRequest) -> Result<Self, PlanError> {
        Self::with_check(request, check_events_fit)
    }

    /// Plans without checking the memory: for a process that drives some of the streams while
    /// others have allocated theirs.
    pub(crate) fn unchecked(request: &ThroughputRequest) -> Result<Self, PlanError> {
        Self::with_check(request, |_, _| Ok(()))
    }

    fn with_check(
        request: &ThroughputRequest,
        check: fn(&ThroughputRequest, &Plan) -> Result<(), PlanError>,
    ) -> Result<Self, PlanError> {
        request.measuring.source.refuse_standard_input().map_err(PlanError::Usage)?;
        let plan = Plan::new(&request.measuring)?;
        let streams = request.stream_counts();
        let batches = request.batches();
        check_processes(request)?;
        check(request, &plan)?;
        let (usable, unusable): (Vec<_>, Vec<_>) =
            request.device_sets.iter().partition(|device_set| others_problem(device_set).is_none());
        let mut notes: Vec<String> = unusable.into_iter().filter_map(others_problem).collect();
        let mut points = Vec::new();
        for (input, planned) in plan.inputs.iter().enumerate() {
            for &candidate in &planned.candidates {
                let on_it = |device_set: &&DeviceSet| device_set.devices()[0] == candidate.device;
                for device_set in usable.iter().copied().filter(on_it) {
                    let processes = request.process_counts(device_set);
                    for (&batch, &processes) in
                        batches.iter().flat_map(|batch| processes.iter().map(move |it| (batch, it)))
                    {
                        points.extend(streams.iter().map(|&streams| PointSpec {
                            input,
                            candidate,
                            device_set: device_set.clone(),
                            streams,
                            batch,
                            processes,
                        }));
                    }
                }
            }
        }
        let max_threads = points.iter().map(|point| point.threads(&plan)).max().unwrap_or(0);
        check_threads(max_threads, usable_threads())?;
        if points.is_empty() {
            let problem = format!("nothing was measured: {}", notes.join("; "));
            return Err(PlanError::NothingToMeasure(problem));
        }
        notes.extend(more_threads_than_cpus(max_threads));
        Ok(StreamPlan { plan, points, notes })
    }
}

impl PointSpec {
    /// The first candidate of a plan with some streams; `None` if it has none.
    pub(crate) fn first(plan: &Plan, streams: usize, batch: usize) -> Option<Self> {
        let candidate = *plan.inputs.first()?.candidates.first()?;
        let device_set = candidate.device.into();
        Some(PointSpec { input: 0, candidate, device_set, streams, batch, processes: 1 })
    }

    /// Bytes of memory of all streams, with their events and references.
    pub(crate) fn memory_bytes(&self, plan: &Plan) -> u64 {
        let of_stream = stream_bytes(plan, &plan.inputs[self.input], self.batch);
        of_stream.saturating_mul(self.streams as u64)
    }

    /// Number of threads of all streams.
    fn threads(&self, plan: &Plan) -> usize {
        self.streams.saturating_mul(plan.teams[self.candidate.team].layout.threads)
    }

    /// Indices of the events of a stream.
    pub(super) fn events_of(&self, stream: usize) -> Range<usize> {
        stream * self.batch..(stream + 1) * self.batch
    }

    /// Streams that a process drives: they are distributed round-robin, as they are to devices.
    pub(super) fn streams_of(&self, process: usize) -> Vec<usize> {
        (process..self.streams).step_by(self.processes).collect()
    }

    /// Number of processes with at least one stream.
    pub(super) fn busy_processes(&self) -> usize {
        self.processes.min(self.streams)
    }
}

/// Bytes of memory of a stream with `batch` events, including their references and its buffers, for
/// the variant that needs most.
fn stream_bytes(plan: &Plan, input: &Input, batch: usize) -> u64 {
    if let crate::plan::Origin::Read { case, .. } = &input.origin {
        let of_event = INPUTS_OF_A_READ_EVENT.saturating_mul(case.work().input_bytes);
        return of_event.saturating_mul(batch as u64);
    }
    let of_variant = |candidate: &CandidateSpec| {
        let shares = plan.task().memory_shares(plan.variant(candidate).name);
        shares.bytes(input.memory_bytes, batch)
    };
    input.candidates.iter().map(of_variant).max().unwrap_or(0)
}

/// Returns an error if the events do not fit into memory.
fn check_events_fit(request: &ThroughputRequest, plan: &Plan) -> Result<(), PlanError> {
    let maximum = |counts: &[usize]| counts.iter().copied().max().unwrap_or(1);
    let streams = maximum(&request.stream_counts());
    let batch = maximum(&request.batches());
    plan.inputs
        .iter()
        .try_for_each(|input| check_events(stream_bytes(plan, input, batch), streams, batch))
}

/// Returns an error if processes would have no stream at any point, or no GPU.
fn check_processes(request: &ThroughputRequest) -> Result<(), PlanError> {
    let streams = request.stream_counts().into_iter().max().unwrap_or(1);
    for device_set in &request.device_sets {
        let maximum = request.process_counts(device_set).into_iter().max().unwrap_or(1);
        if maximum > streams {
            return Err(PlanError::Usage(format!(
                "{} of {device_set} need at least {maximum} --streams, and there are {streams} at most",
                processes_in_words(maximum)
            )));
        }
    }
    let has_gpu = |device_set: &DeviceSet| device_set.devices().iter().any(|&it| it != Device::Cpu);
    if request.flags.processes.contains(&Processes::PerGpu)
        && !request.device_sets.iter().any(has_gpu)
    {
        let problem = "--processes per-gpu is for GPUs; name some by --device, such as \
                       cuda:0+cuda:1, or give a number of processes";
        return Err(PlanError::Usage(problem.to_owned()));
    }
    Ok(())
}

/// Reason for a device list to be unusable although its first device, which the plan reports on, is
/// usable.
pub(crate) fn others_problem(device_set: &DeviceSet) -> Option<String> {
    let (first, others) = device_set.devices().split_first()?;
    let mut others = others.iter().filter(|_| why_not_measured(*first).is_none());
    let problem = |device: &Device| {
        Some(format!("{device_set} can't be used: {device}: {}", why_not_measured(*device)?))
    };
    others.find_map(problem)
}

/// `1 process`, `2 processes`.
pub(super) fn processes_in_words(count: usize) -> String {
    if count == 1 { "1 process".to_owned() } else { format!("{count} processes") }
}

fn more_threads_than_cpus(threads: usize) -> Option<String> {
    let cpus = usable_threads();
    (threads > cpus).then(|| {
        format!(
            "streams with {threads} threads share {}: threads take turns",
            units::counted(cpus, "CPU")
        )
    })
}
