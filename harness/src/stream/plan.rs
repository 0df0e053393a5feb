//! Plan of a stream: devices, workers, their CPUs and the chains that they run.

use std::time::Duration;

use algorithms_sts::sts::task::{STS, StsTask, Timeslices};
use algorithms_sts::sts_events::EventRules;
use generators_common::DataError;
use generators_sts::io::timeslice_duration_ns;
use reports::record::Point;
use reports::units;
use tasks::algorithm::{Algorithm, Semantics, Variant};
use tasks::axis::Params;
use tasks::device::Backend;
use text::Untrusted;

use super::memory::check_memory;
use super::protocol::{Opening, Rules};
use crate::plan::{
    CandidateSpec, Input, Origin, Plan, PlanError, TeamSpec, check_threads, device_names,
};
use crate::platform::placement::PlacementError;
use crate::platform::{usable_cpus, usable_threads};
use crate::request::{DeviceSet, Source, StreamRequest};
use crate::throughput::{others_problem, team_specs};

/// Maximum number of timeslices per speed: each has a row and a record in memory.
const MAX_TIMESLICES: f64 = 2e6;
/// Variant whose hits have a different format.
const OFFLINE: &str = "offline";

/// Complete plan of a stream.
pub(crate) struct Planned {
    /// Input and candidates.
    pub(super) plan: Plan,
    pub(super) points: Vec<StreamPoint>,
    /// Notes for readers that concern the complete run.
    pub(super) notes: Vec<String>,
    /// Complete parameters of generated data.
    pub(super) params: Option<Params>,
    /// Rules of event building after the chain, if enabled.
    pub(super) rules: Option<EventRules>,
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
        let rules = request.events.as_ref().map(EventRules::from_params).transpose()?;
        check_memory(request, &plan, input)?;
        check_count(request, input)?;
        let mut notes = Vec::new();
        let mut points = Vec::new();
        for device_set in &request.device_sets {
            match others_problem(device_set) {
                Some(problem) => notes.push(problem),
                None => points.extend(points_of(request, &plan, input, device_set, rules)?),
            }
        }
        let writes_no_hits = |point: &StreamPoint| point.identity.variant == OFFLINE;
        if request.flags.hits.is_some() && points.iter().any(writes_no_hits) {
            return Err(usage(
                "--hits writes those of the online reconstruction; `offline` has others",
            ));
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
        Ok(Planned { points, notes, params, rules, plan })
    }

    /// Semantics of the result of a point's variant.
    pub(super) fn semantics(point: &StreamPoint, input: &Timeslices) -> Semantics {
        let device = point.device_set.devices()[0];
        let variant = variant_of(device.backend(), &point.identity.variant);
        variant.map_or_else(|_| Semantics::default(), |variant| (variant.semantics)(input))
    }
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
        let stated = match timeslice_duration_ns(files.first()) {
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
    let settings = &mut request.measuring.settings;
    match settings.variants.as_slice() {
        [] => {
            let mut names: Vec<String> = Vec::new();
            for device in &settings.devices {
                names.push(recommended(device.backend()).to_owned());
            }
            names.dedup();
            settings.variants = names;
            Ok(())
        }
        names => {
            for device in &settings.devices {
                let here: Vec<_> = names
                    .iter()
                    .filter(|name| variant_of(device.backend(), name).is_ok())
                    .collect();
                if here.len() != 1 {
                    // An unknown variant has its own error message.
                    variant_of(device.backend(), &names[0]).map_err(PlanError::Usage)?;
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
    rules: Option<EventRules>,
) -> Result<Vec<StreamPoint>, PlanError> {
    let processes = request.flags.processes as usize;
    let candidates = input.candidates.iter().filter(|it| it.device == device_set.devices()[0]);
    let point = |candidate: &CandidateSpec| {
        let layout = &plan.teams[candidate.team].layout;
        check_threads(layout.threads.saturating_mul(processes), usable_threads())?;
        let specs = team_specs(layout, device_set, processes);
        let specs = specs.map_err(|PlacementError(problem)| PlanError::Usage(problem))?;
        let mut identity = Point { device: device_set.to_string(), ..plan.point(input, candidate) };
        for (name, value) in request.events.iter().flat_map(Params::iter) {
            identity.params.set(name, value);
        }
        let opening = |(number, spec): (usize, &TeamSpec)| Opening {
            variant: identity.variant.clone(),
            device: device_set.of_stream(number).to_string(),
            threads: layout.threads,
            cpus: spec.cpus.clone(),
            events: rules.map(Rules::from),
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
        (Origin::Generated(params), _) => super::data::scenario(params)?.timeslice_ns as f64 * 1e-9,
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
         use a lower --speed, a shorter --duration, or a larger --scale for longer timeslices",
        humantime::format_duration(flags.length()),
        units::count(timeslices),
        units::seconds(timeslice_s, 3),
        units::count(MAX_TIMESLICES),
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

/// Recommended variant.
fn recommended(backend: Backend) -> &'static str {
    match backend {
        Backend::Cpu => "time-sweep",
        Backend::Cuda | Backend::Wgpu => "balanced",
    }
}

/// Finds a chain by its name. An error lists the available chains.
pub(super) fn variant_of(backend: Backend, name: &str) -> Result<Variant<StsTask>, String> {
    let all = STS.variants();
    let of_name = || all.iter().filter(|variant| variant.name == name);
    of_name().find(|variant| variant.backend == backend).copied().ok_or_else(|| {
        let here = all.iter().filter(|variant| variant.backend == backend);
        let here: Vec<_> = here.map(|variant| variant.name).collect();
        let elsewhere: Vec<_> =
            of_name().flat_map(|variant| device_names(variant.backend)).copied().collect();
        let elsewhere = if elsewhere.is_empty() {
            String::new()
        } else {
            format!("it runs on {}; ", elsewhere.join(", "))
        };
        let name = name.quoted();
        let here = here.join(", ");
        format!("sts has no variant {name} on {backend}; {elsewhere}there are {here}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Request, parse};

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
    fn event_rules_are_part_of_points_and_openings() {
        let without = planned("").expect("sensible");
        assert_eq!((without.rules, without.points[0].openings[0].events), (None, None));
        let planned = planned("--events --min-digis 5").expect("sensible");
        let rules = planned.rules.expect("asked for");
        assert_eq!((rules.min_digis, rules.window_ns), (5, 20));
        let point = &planned.points[0];
        assert_eq!(point.openings[0].events.map(EventRules::from), Some(rules));
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
        for backend in [Backend::Cpu, Backend::Cuda, Backend::Wgpu] {
            let name = recommended(backend);
            assert_eq!(variant_of(backend, name).map(|variant| variant.name), Ok(name));
        }
        let problem = variant_of(Backend::Cpu, "balanced").map(|_| ()).expect_err("not there");
        assert!(problem.contains("it runs on cuda:N, hip:N, wgpu:N; there are "), "{problem}");
        assert!(problem.contains("time-sweep"), "{problem}");
    }
}
