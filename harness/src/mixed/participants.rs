//! Loads and background loads that are ready to run.

use reports::mixed::LoadRow;
use reports::record::Point;
use tasks::device::{Device, Target, Team, TeamError};
use tasks::task::Candidate;

use super::background::BackgroundSpec;
use super::file::{LoadSpec, Pace};
use super::plan::{MixPlan, PlannedLoad, PlannedStreams};
use crate::measure::MeasureError;
use crate::plan::TeamSpec;
use crate::platform::Interrupt;
use crate::request::Background;
use crate::throughput::{
    Batch, EventGpuMetrics, Events, LinkLoad, LinksError, PointFailure, Stream, StreamGpus,
    StreamParts, StreamTeam, WorkSummary, prepare, stream_specs,
};

/// A load or a background load with its streams.
pub(super) struct Participant<'a> {
    /// Its row, without results.
    pub(super) row: LoadRow,
    pub(super) pace: Pace,
    pub(super) device: Device,
    pub(super) streams: Vec<Stream<'a>>,
    /// Items of each event of each stream's batch.
    pub(super) items: Vec<Vec<u64>>,
    pub(super) gpu_metrics: Option<EventGpuMetrics>,
    pub(super) failure: Option<PointFailure>,
}

/// Starts the teams of all streams of all loads, which are placed as one team: each load has the same
/// CPUs in all configurations.
pub(super) fn start_teams(planned: &MixPlan) -> Result<Vec<Vec<Team>>, MeasureError> {
    let usable = || planned.loads.iter().filter_map(PlannedLoad::usable);
    let of_load = |(spec, _): (&LoadSpec, &PlannedStreams)| {
        let team = StreamTeam { threads: spec.threads(), device: spec.device() };
        vec![team; spec.streams]
    };
    let all: Vec<StreamTeam> = usable().flat_map(of_load).collect();
    // Placement is the same for all loads.
    let layout = usable().next().map(|(_, it)| &it.plan.teams[it.point.candidate.team].layout);
    let Some(layout) = layout else { return Ok(Vec::new()) };
    let specs = stream_specs(&layout.placement, &all)
        .map_err(|error| TeamError::Bind { worker: 0, problem: error.0 })?;
    let mut teams = specs.iter().map(TeamSpec::start);
    let of_load = |load: &PlannedLoad| {
        let streams = load.usable().map_or(0, |(spec, _)| spec.streams);
        teams.by_ref().take(streams).collect::<Result<Vec<_>, _>>()
    };
    Ok(planned.loads.iter().map(of_load).collect::<Result<_, _>>()?)
}

/// Generates the events of all streams of all loads, each with a seed of its own.
pub(super) fn generate<'a>(
    planned: &MixPlan,
    events: &'a mut [Events],
    seed: u64,
) -> Result<Vec<Vec<Batch<'a>>>, MeasureError> {
    let mut seed = seed;
    let mut all = Vec::new();
    for (load, events) in planned.loads.iter().zip(events) {
        let Some((spec, it)) = load.usable() else {
            all.push(Vec::new());
            continue;
        };
        let streams: Vec<usize> = (0..spec.streams).collect();
        all.push(events.of_streams(&it.point, &streams, &it.plan, seed)?);
        seed = seed.wrapping_add((spec.streams * spec.batch) as u64);
    }
    Ok(all)
}

/// Prepares and checks loads, one after the other.
pub(super) struct Preparation<'s> {
    pub(super) gpus: &'s StreamGpus,
    pub(super) interrupt: &'s Interrupt,
    /// Number of streams that have a queue.
    pub(super) queues: usize,
}

impl Preparation<'_> {
    /// A load that is ready, or that has failed.
    pub(super) fn load<'a>(
        &mut self,
        load: &PlannedLoad,
        teams: &'a [Team],
        cases: &[Batch<'a>],
    ) -> Participant<'a> {
        let row = row(load, &WorkSummary::for_cases(cases));
        let mut participant = Participant::new(row, load.spec.pace, load.spec.device());
        let prepared = load.streams.as_ref().map_err(Clone::clone);
        let prepared = prepared.map_err(PointFailure::Unavailable).and_then(|it| {
            let device = load.spec.device();
            let first = self.queues;
            let parts = teams.iter().zip(cases).enumerate();
            let parts = parts.map(|(stream, (team, cases))| StreamParts {
                device,
                queue: first + stream,
                team,
                cases,
            });
            let parts: Vec<_> = parts.collect();
            self.queues += parts.len();
            prepare(self.gpus, it.point.candidate.variant, &parts, self.interrupt)
        });
        match prepared {
            Ok((streams, checked)) => {
                participant.streams = streams;
                participant.items = WorkSummary::for_cases(cases).items;
                participant.gpu_metrics = checked.gpu_metrics;
                participant.row.working_set_bytes = checked.working_set_bytes;
            }
            Err(failure) => participant.failure = Some(failure),
        }
        participant
    }

    /// A background load that is ready, or that has failed.
    pub(super) fn background<'a>(
        &mut self,
        spec: &BackgroundSpec,
        teams: &'a [Team],
    ) -> Participant<'a> {
        let link = match spec.kind {
            Background::Link => match LinkLoad::open(spec.device(), self.gpus) {
                Ok(link) => Some(link),
                Err(error) => {
                    let pace = Pace::Closed { weight: 1.0 };
                    let failed = Participant::new(spec.row(0), pace, spec.device());
                    return Participant { failure: Some(unavailable(&error)), ..failed };
                }
            },
            _ => None,
        };
        let items = spec.items(link.as_ref());
        let link_bytes = link.as_ref().map(|link| link.bytes() as f64 / 2.0);
        let mut link = link;
        let stream = |team: &'a Team| {
            // Its work is on the host, and a link has a queue of its own.
            let target = Target { device: Device::Cpu, gpu: None, team };
            let candidate: Box<dyn Candidate> = match link.take() {
                Some(link) => Box::new(link),
                None => Box::new(team.run(|| spec.work())),
            };
            Stream { candidates: vec![candidate], target }
        };
        let streams: Vec<Stream<'a>> = teams.iter().map(stream).collect();
        let pace = Pace::Closed { weight: 1.0 };
        Participant {
            items: vec![vec![items]; streams.len()],
            streams,
            gpu_metrics: link_bytes.map(EventGpuMetrics::copies),
            ..Participant::new(spec.row(items), pace, spec.device())
        }
    }
}

impl Participant<'_> {
    fn new(row: LoadRow, pace: Pace, device: Device) -> Self {
        Participant {
            row,
            pace,
            device,
            streams: Vec::new(),
            items: Vec::new(),
            gpu_metrics: None,
            failure: None,
        }
    }
}

fn unavailable(error: &LinksError) -> PointFailure {
    PointFailure::Unavailable(format!("not run: {error}"))
}

/// Row of a load with only the properties of its events.
fn row(load: &PlannedLoad, works: &WorkSummary) -> LoadRow {
    let spec = &load.spec;
    let [due_per_s, weight] = match spec.pace {
        Pace::Closed { weight } => [None, Some(weight)],
        Pace::Open { rate } => [Some(rate), None],
    };
    let point = load.usable().map(|(_, it)| it.plan.point(&it.plan.inputs[0], &it.point.candidate));
    let point = point.unwrap_or_else(|| Point {
        algorithm: spec.task.name().to_owned(),
        variant: spec.settings.variants.concat(),
        device: spec.device().to_string(),
        threads: spec.threads(),
        ..Point::default()
    });
    LoadRow {
        load: spec.name.clone(),
        algorithm: point.algorithm,
        variant: point.variant,
        backend: spec.device().backend().to_string(),
        device: point.device,
        threads: point.threads,
        cpu_sets: point.cpu_sets,
        bind: point.bind,
        params: point.params,
        streams: spec.streams,
        batch: spec.batch,
        due_per_s,
        weight,
        items: works.mean_items(),
        item_unit: works.item_unit.clone(),
        bytes_min: works.bytes_min,
        ..LoadRow::default()
    }
}
