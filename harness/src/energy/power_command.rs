//! Power that a command prints: one number in watts per line, until it is ended.
//!
//! A reading is taken when its line arrives. A command that can't be trusted, because it ends,
//! prints something else or floods its output, is ended and not started again.

use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use text::Untrusted;

use super::readings::{Reading, Readings, ReadingsError};
use crate::workers::{Process, Requests, Responses, Worker};

/// Time in which a command has to print its first lines.
const STARTUP: Duration = Duration::from_secs(10);
/// Number of these lines: two have an interval.
const FIRST_LINES: usize = 2;
/// Interval between looks for them.
const POLL: Duration = Duration::from_millis(1);
/// Maximum number of lines in a second: more would take a part of the machine that is measured.
const MAX_PER_S: usize = 1000;

/// Reason why a command is no meter.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum PowerCommandError {
    /// It can't be started.
    #[error("--power-command can't be started: {0}")]
    NotStarted(String),
    /// It printed too little in time.
    #[error(
        "--power-command printed {lines} of the {FIRST_LINES} lines that are needed within {} s; \
         its output may be buffered (`stdbuf -oL`)",
        STARTUP.as_secs()
    )]
    Silent { lines: usize },
    /// It ended before it was ended.
    #[error("--power-command {0}; it has to print one number per line until it is ended")]
    Ended(String),
    /// A line is not a number.
    #[error(
        "--power-command printed {} in line {number}, which is not a number in watts; print \
         numbers alone, such as by `| awk`",
        line.quoted()
    )]
    NotANumber { number: usize, line: String },
    /// A number is not a power.
    #[error("--power-command printed {} in line {number}: power is finite and not negative", line.quoted())]
    NotAPower { number: usize, line: String },
    /// It prints too much.
    #[error(
        "--power-command printed more than {MAX_PER_S} lines in a second, which takes a part of the \
         machine that is measured; print fewer, such as with `sleep 0.1` between them"
    )]
    Flood,
    /// The readings say too little of a period.
    #[error("--power-command: {0}")]
    Readings(#[from] ReadingsError),
}

/// A running command.
pub(crate) struct PowerMeter {
    process: Process,
    /// Its standard input, which is open until it is ended.
    _requests: Requests<()>,
    log: SharedLog,
}

/// Lines of a command so far.
#[derive(Default)]
struct Log {
    readings: Readings,
    lines: usize,
    /// Number of lines since a moment.
    recent: Option<(Instant, usize)>,
    failure: Option<PowerCommandError>,
}

#[derive(Clone, Default)]
struct SharedLog(Arc<Mutex<Log>>);

impl PowerMeter {
    /// Starts a command in a shell, and waits for its first lines.
    pub(crate) fn start(command: &str) -> Result<Self, PowerCommandError> {
        Self::start_within(command, STARTUP)
    }

    fn start_within(command: &str, startup: Duration) -> Result<Self, PowerCommandError> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]);
        let not_started = |error: std::io::Error| PowerCommandError::NotStarted(error.to_string());
        let worker = Worker::start(shell).map_err(not_started)?;
        let Worker { process, requests, responses } = worker;
        let log = SharedLog::default();
        let meter = PowerMeter { process, _requests: requests, log };
        meter.listen(responses).map_err(not_started)?;
        let start = Instant::now();
        while meter.log.get().readings.len() < FIRST_LINES {
            meter.check()?;
            if start.elapsed() > startup {
                let lines = meter.log.get().lines;
                return Err(PowerCommandError::Silent { lines });
            }
            thread::sleep(POLL);
        }
        Ok(meter)
    }

    /// Reads the output in a thread.
    fn listen(&self, responses: Responses<f64>) -> std::io::Result<()> {
        let log = self.log.clone();
        let process = self.process.clone();
        Builder::new().spawn(move || {
            for line in responses.iter() {
                if log.get().add(Instant::now(), line).is_err() {
                    process.kill();
                    return;
                }
            }
            let ended = PowerCommandError::Ended(process.end().in_words());
            log.get().failure.get_or_insert(ended);
        })?;
        Ok(())
    }

    /// Fails if the command has failed.
    pub(crate) fn check(&self) -> Result<(), PowerCommandError> {
        self.log.get().failure.clone().map_or(Ok(()), Err)
    }

    /// Usual interval between two readings.
    pub(crate) fn interval(&self) -> Duration {
        self.log.get().readings.interval().unwrap_or(STARTUP)
    }

    /// Joules in a period.
    pub(crate) fn joules(&self, begin: Instant, end: Instant) -> Result<f64, PowerCommandError> {
        self.check()?;
        Ok(self.log.get().readings.joules(begin, end)?)
    }
}

impl Drop for PowerMeter {
    fn drop(&mut self) {
        self.process.stop();
    }
}

impl SharedLog {
    fn get(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    /// Adds a line, which is a number or some text.
    fn add(&mut self, at: Instant, line: Result<f64, String>) -> Result<(), PowerCommandError> {
        self.lines += 1;
        let added = self.limit_rate(at).and_then(|()| self.watts(line)).map(|watts| {
            self.readings.extend(watts.map(|watts| Reading { at, watts }));
        });
        added.inspect_err(|failure| self.failure = Some(failure.clone()))
    }

    fn limit_rate(&mut self, at: Instant) -> Result<(), PowerCommandError> {
        let second = Duration::from_secs(1);
        let (since, lines) = self.recent.get_or_insert((at, 0));
        if at.duration_since(*since) > second {
            *since = at;
            *lines = 0;
        }
        *lines += 1;
        if *lines > MAX_PER_S { Err(PowerCommandError::Flood) } else { Ok(()) }
    }

    /// Number of a line; `None` for an empty one.
    fn watts(&self, line: Result<f64, String>) -> Result<Option<f64>, PowerCommandError> {
        let number = self.lines;
        let line = match line {
            Ok(watts) if watts >= 0.0 => return Ok(Some(watts)),
            Ok(negative) => {
                let line = negative.to_string();
                return Err(PowerCommandError::NotAPower { number, line });
            }
            Err(line) => line,
        };
        match line.trim().parse::<f64>() {
            _ if line.trim().is_empty() => Ok(None),
            Ok(watts) if watts.is_finite() && watts >= 0.0 => Ok(Some(watts)),
            Ok(_) => Err(PowerCommandError::NotAPower { number, line }),
            Err(_) => Err(PowerCommandError::NotANumber { number, line }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(script: &str) -> PowerCommandError {
        let started = PowerMeter::start_within(script, Duration::from_secs(2));
        let meter = match started {
            Err(failure) => return failure,
            Ok(meter) => meter,
        };
        let start = Instant::now();
        while start.elapsed() < STARTUP {
            if let Err(failure) = meter.check() {
                return failure;
            }
            thread::sleep(POLL);
        }
        panic!("{script} is still running");
    }

    #[test]
    fn constant_power_is_integrated_over_a_window() {
        let script = "while :; do echo 50; echo; sleep 0.02; done";
        let meter = PowerMeter::start(script).expect("it prints");
        let begin = Instant::now();
        // A busy machine may take its time.
        let (joules, seconds) = loop {
            let end = Instant::now();
            match meter.joules(begin, end) {
                Ok(joules) => break (joules, (end - begin).as_secs_f64()),
                Err(error) => assert!(begin.elapsed() < STARTUP, "{error}"),
            }
            thread::sleep(POLL);
        };
        assert!((joules / (50.0 * seconds) - 1.0).abs() < 1e-6, "{joules} J in {seconds} s");
        assert!(meter.interval() > Duration::from_millis(10), "{:?}", meter.interval());
        let id = meter.process.id;
        drop(meter);
        assert!(!std::path::Path::new(&format!("/proc/{id}")).exists(), "it was ended");
    }

    #[test]
    fn commands_that_end_are_reported_with_their_last_words() {
        let failure = failure("echo 5; echo 5; sleep 0.1; echo no sensor >&2; exit 3");
        let words = failure.to_string();
        assert!(matches!(failure, PowerCommandError::Ended(_)), "{words}");
        assert!(words.contains("exit status: 3: no sensor"), "{words}");
        let missing = self::failure("/no/such/meter").to_string();
        assert!(missing.contains("exit status: 127"), "{missing}");
    }

    #[test]
    fn lines_that_are_no_power_are_refused_with_their_number() {
        let of = |line: &str| failure(&format!("echo 5; echo '{line}'; sleep 600"));
        let garbage = PowerCommandError::NotANumber { number: 2, line: "5 W".into() };
        assert_eq!(of("5 W"), garbage);
        assert!(garbage.to_string().contains("\"5 W\" in line 2"), "{garbage}");
        for line in ["NaN", "-1", "inf", "1e999"] {
            let failure = of(line);
            assert!(matches!(failure, PowerCommandError::NotAPower { number: 2, .. }), "{failure}");
        }
    }

    #[test]
    fn silence_and_floods_are_refused() {
        assert_eq!(failure("sleep 600"), PowerCommandError::Silent { lines: 0 });
        assert_eq!(failure("echo 5; sleep 600"), PowerCommandError::Silent { lines: 1 });
        assert_eq!(failure("yes 5"), PowerCommandError::Flood);
        assert_eq!(failure("yes ''"), PowerCommandError::Flood);
    }
}
