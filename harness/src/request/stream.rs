//! Request of `bench stream`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use clap::{ArgAction, Args};
use generators_common::named;
use reports::clock;
use tasks::axis::Params;
use tasks::open_loop::OpenLoop;

use super::values::{self, each_once};
use super::{DeviceSet, EnergyFlags, MeasureRequest, Outputs, is_only_tried};

/// Default duration of a stream.
const USUAL: Duration = Duration::from_secs(20);
/// Default duration per speed with `--find-limit`.
const LIMIT: Duration = Duration::from_secs(60);
/// Pause between two speeds with a common start time, in addition to the time in which workers
/// finish: for writing results and replacing lost workers.
const PAUSE: Duration = Duration::from_secs(2);
/// Duration of a stream in smoke mode.
const TRIED: Duration = Duration::from_millis(400);
/// Accepted range of speeds.
const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=1e4;

/// Open-loop test: timeslices that arrive on schedule, for workers to process.
pub struct StreamRequest {
    /// Task whose inputs are streamed; that of `measuring`.
    pub task: &'static dyn OpenLoop,
    /// Task, data, variants and devices; the first device of each entry of `device_sets`.
    pub measuring: MeasureRequest,
    /// Devices to spread workers over; the CPU if none are given.
    pub device_sets: Vec<DeviceSet>,
    /// Parameters of the stage after the task: values of all of
    /// [`StageInfo::axes`](tasks::open_loop::StageInfo::axes); `None` if it is not run.
    pub stage: Option<Params>,
    /// Folder that the results of timeslices are written to, if any.
    pub results: Option<PathBuf>,
    /// Flags of open-loop streams.
    pub flags: StreamFlags,
}

/// Flags of open-loop streams.
#[derive(Args, Clone, Debug)]
pub struct StreamFlags {
    /// Worker processes.
    #[arg(long, value_name = "N", default_value = "2", help_heading = "Stream")]
    #[arg(value_parser = values::count())]
    pub processes: u64,
    /// Replay speeds, relative to the detector's rate.
    #[arg(long = "speed", value_name = "TIMES", value_delimiter = ',', default_value = "1")]
    #[arg(help_heading = "Stream", value_parser = speed)]
    pub speeds: Vec<f64>,
    /// Duration per speed [default: 20s, or 1m with --find-limit]
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = "Stream")]
    pub duration: Option<Duration>,
    /// Meters of energy.
    #[command(flatten)]
    pub energy: EnergyFlags,
    /// Common start time for several nodes: UTC such as 2026-01-31T12:00:00Z, or seconds since 1970.
    #[arg(long, value_name = "TIME", value_parser = moment, help_heading = "Stream")]
    #[arg(conflicts_with = "find_limit")]
    pub begin: Option<SystemTime>,
    /// Find the highest speed that the workers sustain.
    #[arg(long, help_heading = "Stream", conflicts_with = "speeds")]
    pub find_limit: bool,
    /// Spills and pauses of the accelerator, such as 4s/6s; pauses have only noise [default: no
    /// pauses]
    #[arg(long, value_name = "ON/OFF", help_heading = "Stream")]
    pub spill: Option<Spill>,
    /// Relative standard deviation of the interaction rate between timeslices.
    #[arg(long, value_name = "SHARE", default_value = "0", help_heading = "Stream")]
    #[arg(value_parser = jitter)]
    pub jitter: f64,
    /// Distinct timeslices to prepare and replay in random order.
    #[arg(long, value_name = "N", default_value = "8", help_heading = "Stream")]
    #[arg(value_parser = values::count())]
    pub ring: u64,
    /// Capacity of the queue, in timeslices.
    #[arg(long, value_name = "N", default_value = "64", help_heading = "Stream")]
    #[arg(value_parser = values::count())]
    pub queue: u64,
    /// Policy for timeslices that arrive at a full queue: wait or drop.
    #[arg(long, value_name = "POLICY", default_value = "wait", help_heading = "Stream")]
    #[arg(value_parser = values::named(WhenFull::ALL.map(|policy| (policy.name(), policy))))]
    pub when_full: WhenFull,
    /// Kill workers that need longer than this for one timeslice.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "10s")]
    #[arg(help_heading = "Stream")]
    pub timeout: Duration,
    /// Compare one in N results with the reference.
    #[arg(long, value_name = "N", default_value = "20", help_heading = "Stream")]
    #[arg(value_parser = values::count())]
    pub check_every: u64,
    /// Length of a timeslice of --input in detector time.
    #[arg(long, value_name = "TIME", value_parser = values::duration, requires = "input")]
    #[arg(help_heading = "Data")]
    pub timeslice: Option<Duration>,
    /// Serve live metrics to Prometheus at http://ADDRESS:PORT/metrics.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = endpoint, help_heading = "Output")]
    pub metrics: Option<String>,
    /// Push metrics to InfluxDB every second, such as http://localhost:8086/write?db=lab.
    #[arg(long, value_name = "URL", value_parser = influx, help_heading = "Output")]
    pub influx: Option<String>,
    /// Merge the results of nodes instead of running; one folder per node, named like it.
    #[arg(long, value_name = "DIR", num_args = 1.., help_heading = "Output")]
    pub merge: Vec<PathBuf>,
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    #[arg(help = "Folder for the results [default: results/<UTC time>-stream]")]
    pub out: Option<PathBuf>,
    /// Formats of the table.
    #[command(flatten, next_help_heading = "Output")]
    pub format: Outputs,
    /// Draw no charts.
    #[arg(long = "no-charts", action = ArgAction::SetTrue, help_heading = "Output")]
    #[arg(value_parser = values::switch(true, false))]
    pub charts: bool,
    /// Hide progress.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

/// Policy for timeslices that arrive at a full queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// It waits, and so do all later ones.
    Wait,
    /// It is dropped.
    Drop,
}

named! { "policy", WhenFull { Wait = "wait", Drop = "drop" } }

/// Spill structure of the accelerator, in detector time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spill {
    /// Duration of a spill.
    pub on: Duration,
    /// Duration of the pause after it.
    pub off: Duration,
}

impl FromStr for Spill {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || "use two times such as 4s/6s: of a spill, and of the pause after it";
        let (on, off) = text.split_once('/').ok_or_else(problem)?;
        let spill = Spill { on: values::duration(on)?, off: values::duration(off)? };
        if spill.on.is_zero() { Err(problem().to_owned()) } else { Ok(spill) }
    }
}

impl fmt::Display for Spill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = humantime::format_duration;
        write!(f, "{}/{}", time(self.on), time(self.off))
    }
}

/// Parses a time: UTC in RFC 3339, or seconds since 1970.
fn moment(text: &str) -> Result<SystemTime, String> {
    let problem = "use UTC such as 2026-01-31T12:00:00Z, or seconds since 1970";
    clock::parse(text).ok_or_else(|| problem.to_owned())
}

/// Parses a speed over that of the detector.
pub(super) fn speed(text: &str) -> Result<f64, String> {
    let problem = || format!("use a number from {} to {}", SPEEDS.start(), SPEEDS.end());
    text.parse().ok().filter(|speed| SPEEDS.contains(speed)).ok_or_else(problem)
}

/// Parses a jitter; rates are distributed uniformly and never negative.
fn jitter(text: &str) -> Result<f64, String> {
    let max_jitter = 1.0 / 3_f64.sqrt();
    let problem =
        || format!("use a share from 0 to {max_jitter:.3}, with which the lowest rate is 0");
    text.parse().ok().filter(|jitter| (0.0..=max_jitter).contains(jitter)).ok_or_else(problem)
}

/// Parses an address and a port to listen on.
fn endpoint(text: &str) -> Result<String, String> {
    let problem = || "use an address and a port, such as 127.0.0.1:9464".to_owned();
    let is_fine = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
    text.rsplit_once(':').filter(|&it| is_fine(it)).map(|_| text.to_owned()).ok_or_else(problem)
}

/// Parses a plain-HTTP URL without a user name.
fn influx(text: &str) -> Result<String, String> {
    if text.starts_with("https://") {
        return Err(
            "metrics are pushed by plain HTTP: use http://, and a local proxy for encryption"
                .to_owned(),
        );
    }
    let rest = text.strip_prefix("http://").unwrap_or_default();
    let server = rest.split(['/', '?']).next().unwrap_or_default();
    if server.contains('@') {
        return Err("user names before the host are not accepted: set INFLUX_TOKEN, or append \
             ?u=USER&p=PASSWORD"
            .to_owned());
    }
    let (host, port) = server.split_once(':').unwrap_or((server, "80"));
    let is_fine = !host.is_empty() && port.parse::<u16>().is_ok() && rest.len() > server.len();
    let is_printed = text.chars().all(|letter| letter.is_ascii_graphic());
    let problem = "use a URL that takes lines, such as http://localhost:8086/write?db=lab";
    if is_fine && is_printed { Ok(text.to_owned()) } else { Err(problem.to_owned()) }
}

impl StreamFlags {
    /// Returns the duration per speed.
    pub fn length(&self) -> Duration {
        let usual = if self.find_limit { LIMIT } else { USUAL };
        let length = self.duration.unwrap_or(usual);
        if is_only_tried() { length.min(TRIED) } else { length }
    }

    /// Returns the start time of the speed with index `index`, if a common start was requested:
    /// after the one before, and after the time in which its workers finish or are killed.
    pub fn moment(&self, index: usize) -> Option<SystemTime> {
        let each = self.length().saturating_add(self.timeout).saturating_add(PAUSE);
        let after = each.checked_mul(u32::try_from(index).ok()?)?;
        self.begin?.checked_add(after)
    }
}

impl StreamRequest {
    /// Fills in values that depend on several flags.
    pub(crate) fn complete(&mut self) -> Result<(), String> {
        self.measuring.settings.tidy();
        each_once(&mut self.device_sets);
        each_once(&mut self.flags.merge);
        let flags = &mut self.flags;
        flags.speeds.sort_by(f64::total_cmp);
        flags.speeds.dedup();
        if flags.length().is_zero() || flags.timeout.is_zero() {
            return Err("--duration and --timeout take more than 0s".to_owned());
        }
        self.check_begin()?;
        let settings = &mut self.measuring.settings;
        if settings.threads.is_empty() {
            settings.threads.push(vec![1.into()]);
        }
        let threads = settings.thread_counts();
        let is_nested = threads.iter().any(|threads| threads.inner.is_some())
            || settings.binds.iter().any(|bind| bind.inner.is_some());
        if is_nested {
            return Err(
                "workers have one level of threads: use --threads N and one policy for --bind"
                    .to_owned(),
            );
        }
        for (flag, count) in [
            ("threads", threads.len()),
            ("places", settings.cpu_sets.len()),
            ("bind", settings.binds.len()),
        ] {
            if count > 1 {
                return Err(format!("--{flag} takes one value here; start one run per value"));
            }
        }
        Ok(())
    }

    /// Rejects a common start time that can't be met.
    fn check_begin(&self) -> Result<(), String> {
        let Some(begin) = self.flags.begin else { return Ok(()) };
        let now = SystemTime::now();
        if begin <= now {
            return Err(format!(
                "--begin {} is in the past (this machine's clock: {}); give a time that leaves \
                 workers time to start",
                clock::exactly(begin),
                clock::exactly(now),
            ));
        }
        if self.device_sets.len() > 1 {
            return Err(
                "--begin takes one --device, because the start of the next one's workers is not \
                 known; start one run per device"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Selects the CPU if no devices were given.
    pub(crate) fn choose_devices(&mut self) {
        if self.device_sets.is_empty() {
            self.device_sets.push(tasks::device::Device::Cpu.into());
        }
        let mut first = Vec::new();
        for device_set in &self.device_sets {
            first.push(device_set.devices()[0]);
        }
        each_once(&mut first);
        self.measuring.settings.devices = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spills_are_two_times() {
        let spill: Spill = "4s/6s".parse().expect("two times");
        assert_eq!((spill.on.as_secs(), spill.off.as_secs()), (4, 6));
        assert_eq!(spill.to_string(), "4s/6s");
        assert!("4s/0s".parse::<Spill>().is_ok());
        for text in ["4s", "0s/6s", "a/b", "4s/6s/8s"] {
            assert!(text.parse::<Spill>().is_err(), "{text}");
        }
    }

    #[test]
    fn metrics_go_to_a_port_or_by_plain_http() {
        for text in ["127.0.0.1:9464", "[::1]:0", "localhost:65535"] {
            assert_eq!(endpoint(text), Ok(text.to_owned()));
        }
        for text in ["9464", ":9464", "localhost", "localhost:port", "localhost:65536"] {
            assert!(endpoint(text).is_err(), "{text}");
        }
        for text in ["http://localhost:8086/write?db=lab", "http://server/api/v2/write?bucket=b"] {
            assert_eq!(influx(text), Ok(text.to_owned()));
        }
        for (text, problem) in [
            ("https://localhost/write", "plain HTTP"),
            ("http://me:secret@localhost/write", "INFLUX_TOKEN"),
            ("http://localhost:8086", "such as http://"),
            ("http://localhost:port/write", "such as http://"),
            ("http:///write", "such as http://"),
            ("localhost:8086/write", "such as http://"),
            ("http://localhost/write?db=a b", "such as http://"),
        ] {
            let refused = influx(text).expect_err(text);
            assert!(refused.contains(problem), "{text}: {refused}");
        }
    }

    #[test]
    fn each_speed_has_its_moment() {
        let line = "bench stream --begin 4e9 --duration 3s --timeout 5s --speed 1,2";
        let parsed = crate::cli::parse(line.split(' ').map(Into::into));
        let Ok(crate::cli::Request::Stream(request)) = parsed else { panic!("not understood") };
        let moment = |index| request.flags.moment(index).map(clock::exactly);
        assert_eq!(moment(0).as_deref(), Some("2096-10-02T07:06:40.000000Z"));
        assert_eq!(moment(1).as_deref(), Some("2096-10-02T07:06:50.000000Z"));
    }

    #[test]
    fn speeds_and_jitter_are_within_reason() {
        assert_eq!((speed("0.5"), jitter("0.5")), (Ok(0.5), Ok(0.5)));
        for text in ["0", "-1", "NaN", "inf", "1e9", "x"] {
            assert!(speed(text).is_err(), "{text}");
        }
        for text in ["-0.1", "0.6", "NaN"] {
            assert!(jitter(text).is_err(), "{text}");
        }
    }
}
