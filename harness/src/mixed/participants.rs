//! Loads and background loads that are ready to run.

use reports::mixed::LoadRow;
use reports::record::Point;
use tasks::device::{Device, Target, Team, TeamError};

use super::background::{BackgroundSpec, BackgroundWork};
use super::file::{LoadSpec, Pace};
use super::plan::{MixPlan, PlannedLoad, PlannedStreams};
use crate::measure::MeasureError;
use crate::plan::TeamSpec;
use crate::platform::Interrupt;
use crate::throughput::{
    Batch, EventGpuMetrics, Events, LinksError, PointFailure, Stream, StreamGpus, StreamParts,
    StreamTeam, WorkSummary, prepare, stream_specs,
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

/// Threads of all loads, a team for each stream.
pub(super) struct Teams {
    loads: Vec<Vec<Team>>,
    backgrounds: Vec<Vec<Team>>,
}

impl Teams {
    /// Starts the teams. Those of all loads are placed as one team: each load has the same CPUs in all
    /// configurations. Each thread of a background load is a stream.
    pub(super) fn start(planned: &MixPlan) -> Result<Self, MeasureError> {
        let of_background =
            |it: &BackgroundSpec| (0..it.threads).map(|_| Team::new(1)).collect::<Result<_, _>>();
        let backgrounds = planned.backgrounds.iter().map(of_background);
        Ok(Teams {
            loads: start_loads(planned)?,
            backgrounds: backgrounds.collect::<Result<_, _>>()?,
        })
    }
}

fn start_loads(planned: &MixPlan) -> Result<Vec<Vec<Team>>, MeasureError> {
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
    /// All loads, then all background loads; `report` receives progress messages.
    pub(super) fn all<'a>(
        &mut self,
        planned: &MixPlan,
        teams: &'a Teams,
        cases: &[Vec<Batch<'a>>],
        report: &dyn Fn(&str),
    ) -> Vec<Participant<'a>> {
        let mut all = Vec::new();
        for ((load, teams), cases) in planned.loads.iter().zip(&teams.loads).zip(cases) {
            report(&format!("checking {}", load.spec.name));
            all.push(self.load(load, teams, cases));
        }
        for (spec, teams) in planned.backgrounds.iter().zip(&teams.backgrounds) {
            all.push(self.background(spec, teams));
        }
        all
    }

    /// A load that is ready, or that has failed.
    fn load<'a>(
        &mut self,
        load: &PlannedLoad,
        teams: &'a [Team],
        cases: &[Batch<'a>],
    ) -> Participant<'a> {
        let works = WorkSummary::for_cases(cases);
        let row = row(load, &works);
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
                participant.items = works.items;
                participant.gpu_metrics = checked.gpu_metrics;
                participant.row.working_set_bytes = checked.working_set_bytes;
            }
            Err(failure) => participant.failure = Some(failure),
        }
        participant
    }

    /// A background load that is ready, or that has failed.
    fn background<'a>(&self, spec: &BackgroundSpec, teams: &'a [Team]) -> Participant<'a> {
        let pace = Pace::Closed { weight: 1.0 };
        let participant = |items| Participant::new(spec.row(items), pace, spec.device());
        let works = teams.iter().map(|team| team.run(|| spec.work(self.gpus)));
        let works: Vec<BackgroundWork> = match works.collect::<Result<_, _>>() {
            Ok(works) => works,
            Err(error) => {
                return Participant { failure: Some(unavailable(&error)), ..participant(0) };
            }
        };
        let items = works.first().map_or(0, BackgroundWork::items);
        let gpu_metrics = works.first().and_then(BackgroundWork::gpu_metrics);
        let stream = |(team, work): (&'a Team, BackgroundWork)| {
            // Its work is on the host, and a link has a queue of its own.
            let target = Target { device: Device::Cpu, gpu: None, team };
            Stream { candidates: vec![Box::new(work)], target }
        };
        let streams: Vec<Stream<'a>> = teams.iter().zip(works).map(stream).collect();
        let items_of_streams = vec![vec![items]; streams.len()];
        Participant { streams, items: items_of_streams, gpu_metrics, ..participant(items) }
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
