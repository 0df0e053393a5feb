//! Measurement of the streams that figures need: by the sessions of `bench stream` and
//! `bench throughput`, in separate folders.
//!
//! With enough time these are the published settings: spills of 4 s, pauses of 6 s, and their
//! number of timeslices. With less time all durations shrink by the same factor.

use std::path::Path;
use std::time::Duration;

use reports::published::{Figure, Stream};
use tasks::device::{Backend, Device};
use text::Untrusted;

use super::super::suite_run::SuiteRun;
use super::super::{refuse_development_build, say};
use crate::cli::{Request, parse};
use crate::failure::{Exit, Failure};
use crate::platform::gpus::{problem_of, usable_devices};
use crate::platform::usable_threads;
use crate::request::{Spill, StreamRequest, ThroughputRequest};
use crate::stream;
use crate::throughput;

/// Share of the budget for streams, if there are other measurements.
const SHARE: f64 = 0.4;

/// The time for streams, and that for all else.
pub(super) fn budgets(figures: &[Figure], budget: Duration) -> (Duration, Duration) {
    let of_streams = figures.iter().filter(|figure| figure.stream.is_some()).count();
    let share = match of_streams {
        0 => 0.0,
        all if all == figures.len() => 1.0,
        _ => SHARE,
    };
    (budget.mul_f64(share), budget.mul_f64(1.0 - share))
}

/// Measures all streams that figures need, on the CPU and on the first GPU, into folders of a run;
/// `None` if they need none. Streams that a device does not support are reported and skipped.
pub(super) fn measure(
    figures: &[Figure],
    time: Duration,
    folder: &Path,
    from: &SuiteRun<'_>,
) -> Result<Option<Exit>, Failure> {
    let mut streams: Vec<&Stream> = Vec::new();
    for stream in figures.iter().filter_map(|figure| figure.stream.as_ref()) {
        if streams.iter().all(|known| known.runs != stream.runs) {
            streams.push(stream);
        }
    }
    if streams.is_empty() {
        return Ok(None);
    }
    refuse_development_build()?;
    let devices = devices();
    let each = time.div_f64((streams.len() * devices.len()) as f64);
    let mut exit = Exit::NothingMeasured;
    for stream in streams {
        for line in devices.iter().flat_map(|&device| lines(stream, device, each)) {
            if !from.interrupt.asked() {
                exit = joined(exit, carry_out(&line, folder, from)?);
            }
        }
    }
    Ok(Some(exit))
}

/// Joins two exit codes: wrong output and interruption first, then success.
pub(super) fn joined(one: Exit, other: Exit) -> Exit {
    let worst = [Exit::WrongOutput, Exit::Interrupted, Exit::Failed, Exit::Success];
    let is_there = |exit: &Exit| *exit == one || *exit == other;
    worst.into_iter().find(is_there).unwrap_or(Exit::NothingMeasured)
}

/// The CPU, and the first GPU that can be used.
fn devices() -> Vec<Device> {
    let (host, gpus): (Vec<_>, Vec<_>) =
        usable_devices().into_iter().partition(|device| device.backend() == Backend::Cpu);
    let gpu = gpus.into_iter().find(|&gpu| problem_of(gpu).is_none());
    host.into_iter().chain(gpu).collect()
}

/// Carries a command out as if it was typed, but for its table and charts: figures have their own.
fn carry_out(line: &Line, folder: &Path, from: &SuiteRun<'_>) -> Result<Exit, Failure> {
    let out = folder.join(&line.folder);
    let words = std::iter::once("bench").chain(line.words.iter().map(String::as_str));
    super::super::log(from.output.quiet, &format!("measuring {}", line.words.join(" ")));
    let outcome = match parse(words.map(Into::into)) {
        Ok(Request::Stream(mut request)) => {
            request.flags.out = Some(out);
            of_timeslices(*request, from)
        }
        Ok(Request::Throughput(mut request)) => {
            request.flags.out = Some(out);
            of_events(*request, from)
        }
        _ => Err(Failure::Usage(format!("not understood: {}", line.words.join(" ").quoted()))),
    };
    match outcome {
        Err(Failure::Plan(error)) => {
            say(&format!("note: {} was not measured: {error}", line.folder));
            Ok(Exit::NothingMeasured)
        }
        other => other,
    }
}

fn of_timeslices(mut request: StreamRequest, from: &SuiteRun<'_>) -> Result<Exit, Failure> {
    request.flags.charts = false;
    request.choose_devices();
    let planned = stream::Planned::new(&mut request)?;
    let log = |text: &str| super::super::log(from.output.quiet, text);
    let outcome = stream::Session::run(&request, &planned, from.interrupt, &log)?;
    Ok(outcome.exit())
}

fn of_events(mut request: ThroughputRequest, from: &SuiteRun<'_>) -> Result<Exit, Failure> {
    request.flags.charts = false;
    request.choose_devices();
    let planned = throughput::StreamPlan::new(&request)?;
    let log = |text: &str| super::super::log(from.output.quiet, text);
    let now = std::time::Instant::now();
    let outcome = throughput::Session::run(&request, &planned, now, from.interrupt, &log);
    Ok(outcome?.exit())
}

/// A speed of a stream lasts no longer than this, and a point of events no longer than that.
const LONGEST_SPEED: Duration = Duration::from_secs(20);
const LONGEST_POINT: Duration = Duration::from_secs(2);
/// Less than that is over before the first event.
const MIN_TIME_FOR_EVENTS: Duration = Duration::from_secs(4);
/// Scale of the timeslices with the full time budget: this share of all data of the preset each.
const LARGEST_SCALE: f64 = 0.02;
/// Fewer data hold no hits.
const SMALLEST_SCALE: f64 = 0.0005;
/// The part of a period that is a spill; a speed holds two periods, and ends in a pause.
const IN_SPILL: f64 = 0.4;
const PERIODS: f64 = 2.0;
/// "raised step by step, up to about 8 times" (thesis 5.6.2); below 1 for small machines.
const CHALLENGE: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];
/// Speeds: the rate of the preset (1), up to about the published rates (thesis 5.6.4), and below 1
/// for small machines.
const BEAM_TIME: [f64; 4] = [0.25, 1.0, 4.0, 12.0];
/// Workers per GPU, each with a separate context.
const WORKERS_OF_GPU: usize = 4;
/// The most streams of a GPU.
const STREAMS_OF_GPU: usize = 16;

/// A command whose results are for figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The folder for its results: `beam-time-cpu-4`.
    pub(super) folder: String,
    /// The command with its flags.
    pub(super) words: Vec<String>,
}

/// Returns the commands for streams on a device within a time budget; none if they have neither a
/// task nor a known name.
pub(super) fn lines(stream: &Stream, device: Device, time: Duration) -> Vec<Line> {
    let name = stream.runs.as_str();
    match name {
        "data-challenge" => vec![data_challenge(name, device, time)],
        "beam-time" => {
            let time = time.div_f64(BEAM_TIME.len() as f64);
            BEAM_TIME.map(|speed| beam_time(name, device, speed, time)).to_vec()
        }
        _ if stream.task.is_empty() => Vec::new(),
        _ => vec![events(stream, device, time)],
    }
}

fn data_challenge(name: &str, device: Device, time: Duration) -> Line {
    let each = time.div_f64(CHALLENGE.len() as f64).min(LONGEST_SPEED);
    let speeds = CHALLENGE.map(|speed| speed.to_string()).join(",");
    let own = ["--speed", &speeds];
    stream(format!("{name}-{device}"), device, each, &own)
}

fn beam_time(name: &str, device: Device, speed: f64, time: Duration) -> Line {
    let each = time.min(LONGEST_SPEED);
    let period = each.mul_f64(speed / PERIODS);
    let spill = Spill {
        on: whole_microseconds(period.mul_f64(IN_SPILL)),
        off: whole_microseconds(period.mul_f64(1.0 - IN_SPILL)),
    };
    let spill = spill.to_string();
    let speed = speed.to_string();
    let own = ["--from", "raw", "--spill", &spill, "--speed", &speed];
    stream(format!("{name}-{device}-{speed}"), device, each, &own)
}

fn stream(folder: String, device: Device, each: Duration, own: &[&str]) -> Line {
    let scale = LARGEST_SCALE * each.as_secs_f64() / LONGEST_SPEED.as_secs_f64();
    let scale = scale.clamp(SMALLEST_SCALE, LARGEST_SCALE).to_string();
    let processes = match device.backend() {
        Backend::Cpu => usable_threads(),
        _ => WORKERS_OF_GPU,
    };
    let device = device.to_string();
    let processes = processes.to_string();
    let each = words_of(each);
    let shared = [
        ["--preset", "mcbm-2024"],
        ["--scale", &scale],
        ["--device", &device],
        ["--processes", &processes],
        ["--duration", &each],
    ];
    let words =
        ["stream"].into_iter().chain(own.iter().copied()).chain(shared.into_iter().flatten());
    Line::new(folder, words)
}

fn events(stream: &Stream, device: Device, time: Duration) -> Line {
    let (own, max_streams) = match device.backend() {
        // Beyond the cores, to see that it ends to grow.
        Backend::Cpu => (&stream.cpu_flags, 2 * usable_threads()),
        _ => (&stream.gpu_flags, STREAMS_OF_GPU),
    };
    let counts = std::iter::successors(Some(1), |count| Some(2 * count));
    let counts: Vec<String> =
        counts.take_while(|&count| count <= max_streams).map(|count| count.to_string()).collect();
    // One half is for making, checking and warming up.
    let each = time.div_f64(2.0 * counts.len() as f64).min(LONGEST_POINT);
    let streams = counts.join(",");
    let budget = time.max(MIN_TIME_FOR_EVENTS);
    let folder = format!("{}-{device}", stream.runs);
    let device = device.to_string();
    let [each, budget] = [each, budget].map(words_of);
    let shared = [
        ["--device", &device],
        ["--streams", &streams],
        ["--duration", &each],
        ["--budget", &budget],
    ];
    let task = ["throughput", &stream.task].into_iter();
    Line::new(folder, task.chain(own.split_whitespace()).chain(shared.into_iter().flatten()))
}

impl Line {
    fn new<'a>(folder: String, words: impl Iterator<Item = &'a str>) -> Self {
        Line { folder: folder.replace(':', "-"), words: words.map(str::to_owned).collect() }
    }
}

/// `9s 600ms`.
fn words_of(time: Duration) -> String {
    humantime::format_duration(whole_microseconds(time)).to_string()
}

fn whole_microseconds(time: Duration) -> Duration {
    Duration::from_micros(time.as_micros() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::figures;

    use super::*;
    use crate::cli::{Request, parse};

    #[test]
    fn streams_have_a_share_of_the_budget_or_all_of_it() {
        let minute = Duration::from_secs(60);
        let of = |ids: &[&str]| {
            let mut figures = figures();
            figures.retain(|figure| ids.contains(&figure.id.as_str()));
            budgets(&figures, minute)
        };
        assert_eq!(of(&["tab5.1"]), (Duration::ZERO, minute));
        assert_eq!(of(&["fig5.13", "allen.plateau"]), (minute, Duration::ZERO));
        let (streams, others) = of(&["tab5.1", "fig5.13"]);
        assert!(streams > Duration::ZERO && streams < others && streams + others == minute);
    }

    #[test]
    fn the_worst_of_both_is_reported() {
        let nothing = Exit::NothingMeasured;
        let fine = Exit::Success;
        assert_eq!(joined(nothing, fine), fine);
        assert_eq!(joined(nothing, nothing), nothing);
        assert_eq!(joined(fine, Exit::WrongOutput), Exit::WrongOutput);
        assert_eq!(joined(Exit::Interrupted, fine), Exit::Interrupted);
    }

    #[test]
    fn all_streams_of_figures_have_commands_that_make_sense() {
        for figure in figures() {
            let Some(stream) = figure.stream else { continue };
            for time in [Duration::from_millis(100), Duration::from_secs(600)] {
                let lines = lines(&stream, Device::Cpu, time);
                assert!(!lines.is_empty(), "{}", stream.runs);
                for Line { folder, words } in lines {
                    assert!(folder.starts_with(&format!("{}-cpu", stream.runs)), "{folder}");
                    let words = std::iter::once("bench".to_owned()).chain(words);
                    let parsed = parse(words.map(Into::into));
                    let is_fine = matches!(parsed, Ok(Request::Stream(_) | Request::Throughput(_)));
                    assert!(is_fine, "{folder}");
                }
            }
        }
    }

    #[test]
    fn with_time_enough_spills_are_those_of_the_accelerator() {
        let streams = figures().into_iter().filter_map(|figure| figure.stream);
        let beam_time = { streams }.find(|stream| stream.runs == "beam-time").expect("a figure");
        let all = lines(&beam_time, Device::Cuda(0), Duration::from_secs(80));
        let folders: Vec<&str> = all.iter().map(|line| line.folder.as_str()).collect();
        assert_eq!(folders[1..3], ["beam-time-cuda-0-1", "beam-time-cuda-0-4"]);
        let words = all[1].words.join(" ");
        for flags in ["--spill 4s/6s", "--duration 20s", "--scale 0.02", "--processes 4"] {
            assert!(words.contains(flags), "{words}");
        }
        assert!(all[2].words.join(" ").contains("--spill 16s/24s"), "as long at any speed");
    }
}
