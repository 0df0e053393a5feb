//! Plan of a stream: devices, workers, their CPUs and the variants that they run.

use std::time::Duration;

use generators_common::DataError;
use reports::record::Point;
use reports::units;
use tasks::algorithm::Semantics;
use tasks::axis::Params;
use tasks::device::Backend;
use tasks::open_loop::{Frames, OpenLoop};
use tasks::task::VariantInfo;
use text::Untrusted;

use super::memory::check_memory;
use super::protocol::Opening;
use crate::plan::{
    CandidateSpec, Input, Origin, Plan, PlanError, TeamSpec, check_threads, device_names,
};
use crate::platform::placement::PlacementError;
use crate::platform::{usable_cpus, usable_threads};
use crate::request::{DeviceSet, Source, StreamRequest};
use crate::throughput::{others_problem, team_specs};

/// Maximum number of timeslices per speed: each has a row and a record in memory.
const MAX_TIMESLICES: f64 = 2e6;

/// Complete plan of a stream.
pub(crate) struct Planned {
    /// Input and candidates.
    pub(super) plan: Plan,
    pub(super) points: Vec<StreamPoint>,
    /// Notes for readers that concern the complete run.
    pub(super) notes: Vec<String>,
    /// Complete parameters of generated data.
    pub(super) params: Option<Params>,
    /// Parameters of the stage after the task, if it is enabled.
    pub(super) stage: Option<Params>,
}

/// Workers on a device.
#[derive(Clone, Debug)]
pub(super) struct StreamPoint {
    pub(super) device_set: DeviceSet,
    pub(super) identity: Point,
    pub(super) backend: String,
    /// Configuration of each worker.
    pub(super) openings: Vec<Opening>,
    /// CPU without a worker; `None` if workers are not bound or use all CPUs.
    pub(super) spare_cpu: Option<usize>,
}

impl Planned {
    /// Creates the plan for a request.
    pub(crate) fn new(request: &mut StreamRequest) -> Result<Self, PlanError> {
        check_data(request)?;
        name_variants(request)?;
        let plan = Plan::new(&request.measuring)?;
        let [input] = &plan.inputs[..] else {
            return Err(usage("a stream has one kind of data; give each axis one value"));
        };
        if let Some(stage) = &request.stage {
            request.task.check_stage(stage)?;
        }
        check_memory(request, &plan, input)?;
        check_count(request, input)?;
        let mut notes = Vec::new();
        let mut points = Vec::new();
        for device_set in &request.device_sets {
            match others_problem(device_set) {
                Some(problem) => notes.push(problem),
                None => points.extend(points_of(request, &plan, input, device_set)?),
            }
        }
        if request.results.is_some()
            && let Some(reason) = unwritten(request.task, &points)
        {
            return Err(usage(reason));
        }
        if points.is_empty() {
            let problem = format!("nothing was measured: {}", notes.join("; "));
            return Err(PlanError::NothingToMeasure(problem));
        }
        notes.extend(more_threads_than_cpus(&points));
        let params = match &input.origin {
            Origin::Generated(params) => Some(params.clone()),
            Origin::Read { .. } => None,
        };
        Ok(Planned { points, notes, params, stage: request.stage.clone(), plan })
    }

    /// Semantics of the result of a point's variant.
    pub(super) fn semantics(
        task: &dyn OpenLoop,
        point: &StreamPoint,
        frames: &dyn Frames,
    ) -> Semantics {
        let device = point.device_set.devices()[0];
        let variant = variant_of(task, device.backend(), &point.identity.variant);
        variant.map_or_else(|_| Semantics::default(), |variant| frames.semantics(variant))
    }
}

/// Reason why the results of a point are not written, if any is not.
fn unwritten(task: &dyn OpenLoop, points: &[StreamPoint]) -> Option<&'static str> {
    let refused = task.open_loop().file?.refused;
    let is_used = |variant: &str| points.iter().any(|point| point.identity.variant == variant);
    refused.iter().find(|(variant, _)| is_used(variant)).map(|(_, reason)| *reason)
}

fn usage(problem: impl Into<String>) -> PlanError {
    PlanError::Usage(problem.into())
}

/// Checks that flags for files and for generated data are not mixed. Archives may state the duration
/// of their timeslices.
fn check_data(request: &mut StreamRequest) -> Result<(), PlanError> {
    let flags = &mut request.flags;
    request.measuring.source.refuse_standard_input().map_err(PlanError::Usage)?;
    let Source::File { files, .. } = &request.measuring.source else { return Ok(()) };
    if flags.timeslice.is_none() {
        let stated = match request.task.stated_frame_ns(files) {
            // Other files are reported when they are read.
            Err(DataError::Io { .. }) => None,
            stated => stated?,
        };
        flags.timeslice = stated.map(Duration::from_nanos);
    }
    if flags.timeslice.is_none_or(|it| it.is_zero()) {
        return Err(usage(
            "--input needs --timeslice: how much of the detector's time each of its timeslices \
             holds, such as 128ms",
        ));
    }
    if flags.spill.is_some() || flags.jitter > 0.0 {
        return Err(usage("--spill and --jitter are for data that are made; leave out --input"));
    }
    Ok(())
}

/// Selects one variant per device: the one specified by the user, or the recommended one.
fn name_variants(request: &mut StreamRequest) -> Result<(), PlanError> {
    let task = request.task;
    let settings = &mut request.measuring.settings;
    match settings.variants.as_slice() {
        [] => {
            let mut names: Vec<String> = Vec::new();
            for device in &settings.devices {
                names.push(task.open_loop().recommended(device.backend()).to_owned());
            }
            names.dedup();
            settings.variants = names;
            Ok(())
        }
        names => {
            for device in &settings.devices {
                let here: Vec<_> = names
                    .iter()
                    .filter(|name| variant_of(task, device.backend(), name).is_ok())
                    .collect();
                if here.len() != 1 {
                    // An unknown variant has its own error message.
                    variant_of(task, device.backend(), &names[0]).map_err(PlanError::Usage)?;
                    return Err(usage(format!(
                        "workers run one variant; --variant names {} on {device}",
                        here.len()
                    )));
                }
            }
            Ok(())
        }
    }
}

fn points_of(
    request: &StreamRequest,
    plan: &Plan,
    input: &Input,
    device_set: &DeviceSet,
) -> Result<Vec<StreamPoint>, PlanError> {
    let processes = request.flags.processes as usize;
    let candidates = input.candidates.iter().filter(|it| it.device == device_set.devices()[0]);
    let point = |candidate: &CandidateSpec| {
        let layout = &plan.teams[candidate.team].layout;
        check_threads(layout.threads.saturating_mul(processes), usable_threads())?;
        let specs = team_specs(layout, device_set, processes);
        let specs = specs.map_err(|PlacementError(problem)| PlanError::Usage(problem))?;
        let mut identity = Point { device: device_set.to_string(), ..plan.point(input, candidate) };
        for (name, value) in request.stage.iter().flat_map(Params::iter) {
            identity.params.set(name, value);
        }
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let stage = request.stage.as_ref();
        let opening = |(number, spec): (usize, &TeamSpec)| Opening {
            task: request.task.name().to_owned(),
            variant: identity.variant.clone(),
            device: device_set.of_stream(number).to_string(),
            threads: layout.threads,
            cpus: spec.cpus.clone(),
            stage: stage.map(|stage| stage.iter().map(owned).collect()),
        };
        let taken: Option<Vec<_>> = specs.iter().map(|spec| spec.cpus.as_ref()).collect();
        Ok(StreamPoint {
            device_set: device_set.clone(),
            backend: plan.variant(candidate).backend.to_string(),
            openings: specs.iter().enumerate().map(opening).collect(),
            spare_cpu: taken.and_then(|taken| spare(taken.into_iter().flatten().flatten())),
            identity,
        })
    };
    candidates.map(point).collect()
}

/// A usable CPU that is not among these.
fn spare<'a>(taken: impl Iterator<Item = &'a usize>) -> Option<usize> {
    let taken: Vec<usize> = taken.copied().collect();
    usable_cpus().into_iter().find(|cpu| !taken.contains(cpu))
}

/// Maximum speed at which all timeslices of this duration can be recorded.
pub(super) fn max_speed(length: Duration, timeslice_s: f64) -> f64 {
    MAX_TIMESLICES * timeslice_s / length.as_secs_f64()
}

/// Returns an error if there are more timeslices than can be recorded.
fn check_count(request: &StreamRequest, input: &Input) -> Result<(), PlanError> {
    let flags = &request.flags;
    let timeslice_s = match (&input.origin, flags.timeslice) {
        (Origin::Generated(params), _) => request.task.frame(params)?.frame_ns as f64 * 1e-9,
        (_, Some(given)) => given.as_secs_f64(),
        _ => return Ok(()),
    };
    let fastest = flags.speeds.iter().copied().fold(0.0, f64::max);
    if fastest <= max_speed(flags.length(), timeslice_s) {
        return Ok(());
    }
    let timeslices = fastest * flags.length().as_secs_f64() / timeslice_s;
    Err(usage(format!(
        "--speed {fastest} for {} makes {} timeslices of {}, and account is kept of {} at most; \
         use a lower --speed, a shorter --duration, or a larger --{} for longer timeslices",
        humantime::format_duration(flags.length()),
        units::count(timeslices),
        units::seconds(timeslice_s, 3),
        units::count(MAX_TIMESLICES),
        request.task.open_loop().length_flag,
    )))
}

fn more_threads_than_cpus(points: &[StreamPoint]) -> Option<String> {
    let cpus = usable_threads();
    let threads = |point: &StreamPoint| point.openings.iter().map(|it| it.threads).sum::<usize>();
    let threads = points.iter().map(threads).max().unwrap_or(0);
    (threads > cpus).then(|| {
        format!(
            "workers with {threads} threads share {}: threads take turns, and the source with them",
            units::counted(cpus, "CPU")
        )
    })
}

/// Index of a variant by its name. An error lists the available variants.
pub(super) fn variant_of(
    task: &dyn OpenLoop,
    backend: Backend,
    name: &str,
) -> Result<usize, String> {
    let all = task.variants();
    let is_it = |variant: &VariantInfo| variant.name == name && variant.backend == backend;
    all.iter().position(is_it).ok_or_else(|| {
        let here = all.iter().filter(|variant| variant.backend == backend);
        let here: Vec<_> = here.map(|variant| variant.name).collect();
        let of_name = all.iter().filter(|variant| variant.name == name);
        let elsewhere: Vec<_> =
            of_name.flat_map(|variant| device_names(variant.backend)).copied().collect();
        let elsewhere = if elsewhere.is_empty() {
            String::new()
        } else {
            format!("it runs on {}; ", elsewhere.join(", "))
        };
        let task = task.name();
        let name = name.quoted();
        let here = here.join(", ");
        format!("{task} has no variant {name} on {backend}; {elsewhere}there are {here}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Request, parse};
    use crate::registry::{open_loop_task, open_loop_tasks};

    fn planned(line: &str) -> Result<Planned, String> {
        let line = format!("bench stream --preset mcbm-2024 --scale 0.0005 {line}");
        match parse(line.split_whitespace().map(Into::into)) {
            Ok(Request::Stream(mut request)) => {
                request.choose_devices();
                Planned::new(&mut request).map_err(|error| error.to_string())
            }
            _ => panic!("not understood: {line}"),
        }
    }

    #[test]
    fn each_device_has_workers_with_the_recommended_variant() {
        let planned = planned("--processes 3 --threads 2").expect("sensible");
        let [point] = &planned.points[..] else { panic!("{}", planned.points.len()) };
        assert_eq!((point.identity.variant.as_str(), point.openings.len()), ("time-sweep", 3));
        assert!(point.openings.iter().all(|it| it.threads == 2 && it.device == "cpu"));
        assert!(planned.params.is_some_and(|params: Params| params.get("scale").is_some()));
    }

    #[test]
    fn more_workers_than_cpus_are_noted() {
        let threads = usable_threads() + 1;
        let planned = planned(&format!("--processes {threads}")).expect("allowed");
        assert_eq!(planned.points[0].openings.len(), threads);
        assert!(planned.notes[0].contains("threads take turns"), "{:?}", planned.notes);
    }

    #[test]
    fn parameters_of_the_stage_are_part_of_points_and_openings() {
        let without = planned("").expect("sensible");
        assert_eq!((without.stage, &without.points[0].openings[0].stage), (None, &None));
        let planned = planned("--events --min-digis 5").expect("sensible");
        let stage = planned.stage.expect("asked for");
        assert_eq!((stage.get("min-digis"), stage.get("window")), (Some("5"), Some("20")));
        let point = &planned.points[0];
        let opening = point.openings[0].stage.clone().expect("asked for");
        assert_eq!((opening["min-digis"].as_str(), opening.len()), ("5", stage.iter().count()));
        let value = |name| point.identity.params.get(name).map(str::to_owned);
        assert_eq!((value("min-digis"), value("dead-time")), (Some("5".into()), Some("50".into())));
        assert_ne!(point.identity.id(), without.points[0].identity.id());
    }

    #[test]
    fn bound_workers_have_distinct_cpus() {
        if usable_threads() < 2 {
            return;
        }
        let planned = planned("--processes 1 --places threads").expect("sensible");
        let point = &planned.points[0];
        let cpus = point.openings[0].cpus.clone().expect("placed");
        assert_eq!(cpus.len(), 1);
        let spare = point.spare_cpu.expect("there are two");
        assert!(!cpus[0].contains(&spare));
    }

    #[test]
    fn invalid_or_too_large_requests_are_refused() {
        for (line, problem) in [
            ("--ring 1000000 --processes 1000", "of memory"),
            ("--speed 10000 --duration 1h", "and account is kept of 2 M at most"),
            ("--variant time-sweep,online", "--variant names 2 on cpu"),
            ("--variant none", "there are"),
            ("--events --min-digis 4294967296", "use 4294967295 or fewer"),
            ("--rate 1kHz,2kHz", "give each axis one value"),
        ] {
            let refused = planned(line).map(|_| ()).expect_err(line);
            assert!(refused.contains(problem), "{line}: {refused}");
        }
    }

    #[test]
    fn recommended_variants_exist() {
        for task in open_loop_tasks() {
            for backend in [Backend::Cpu, Backend::Cuda] {
                let name = task.open_loop().recommended(backend);
                let found = variant_of(*task, backend, name);
                assert_eq!(found.map(|variant| task.variants()[variant].name), Ok(name));
            }
        }
        let sts = open_loop_task("sts").expect("known");
        let problem = variant_of(sts, Backend::Cpu, "balanced").map(|_| ()).expect_err("not there");
        assert!(problem.contains("it runs on cuda:N, hip:N, wgpu:N; there are "), "{problem}");
        assert!(problem.contains("time-sweep"), "{problem}");
    }
}
