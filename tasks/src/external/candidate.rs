//! A program that is ready to run on an input.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use generators_common::DataError;
use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;
use portable_gpu::DeviceError;
use tempfile::TempDir;
use text::Untrusted;

use super::STARTUP;
use super::comparison::try_on;
use super::exchange::{Exchange, ExchangedFile, InputOfPrograms, new_folder};
use super::process::{self, Finished, Launch};
use super::timing::{TimeSource, reported};
use super::variant::ExternalVariant;
use crate::algorithm::{Candidate, CheckError, Metric, Relation};
use crate::device::{Team, Unavailable};

/// Runs on the smallest input, of which the median is the start-up.
const STARTUP_RUNS: usize = 9;
/// Repeats of the start-up when a run was not longer: other work on the machine may have slowed it down.
const STARTUP_REPEATS: usize = 3;
/// Smallest limit of the size of a file that a program writes.
const MIN_FILE_BYTES: u64 = 64 << 20;
/// The limit as a multiple of the sizes of the input and the right output.
const FILE_BYTES: u64 = 16;

/// A program on an input.
pub(crate) struct ProgramRun<'c> {
    variant: &'static ExternalVariant,
    input: &'c dyn InputOfPrograms,
    exchange: &'c Exchange,
    threads: usize,
    /// CPUs of all threads of its team.
    cpus: CpuSet,
    /// Working directory of runs.
    folder: TempDir,
    last: Option<Finished>,
    /// Largest resident memory of runs so far.
    peak_bytes: u64,
    /// Shortest wall time of runs so far.
    shortest: f64,
    startup: Option<f64>,
    /// Repeats of the start-up so far.
    startup_repeats: usize,
}

impl<'c> ProgramRun<'c> {
    /// Prepares a program for the threads of a team.
    ///
    /// # Errors
    /// If there is no place for its files.
    pub(crate) fn new(
        variant: &'static ExternalVariant,
        input: &'c dyn InputOfPrograms,
        exchange: &'c Exchange,
        team: &Team,
    ) -> Result<Self, Unavailable> {
        let cpus = cpus_of(team).map_err(|problem| {
            Unavailable(format!("the CPUs of its threads can't be read: {problem}"))
        })?;
        Ok(ProgramRun {
            variant,
            input,
            exchange,
            threads: team.threads(),
            cpus,
            folder: new_folder().map_err(Unavailable)?,
            last: None,
            peak_bytes: 0,
            shortest: f64::INFINITY,
            startup: None,
            startup_repeats: 0,
        })
    }

    fn failed(&self, problem: impl ToString) -> DeviceError {
        let plugin = format!("{} ({})", self.variant.name, self.variant.plugin.file);
        DeviceError::Plugin { plugin, problem: problem.to_string() }
    }

    fn output_path(&self) -> PathBuf {
        self.folder.path().join(format!("output.{}", self.variant.output_ending))
    }

    fn file(&self, file: ExchangedFile) -> Result<PathBuf, DeviceError> {
        let ending = match file {
            ExchangedFile::Input | ExchangedFile::Smallest => &self.variant.input_ending,
            ExchangedFile::RightOutput(_) => &self.variant.output_ending,
        };
        let path = self.exchange.file(self.input, file, ending);
        path.map_err(|problem| self.failed(format!("can't run: {problem}")))
    }

    fn right_output(&self) -> Result<PathBuf, DeviceError> {
        self.file(ExchangedFile::RightOutput(self.variant.semantics))
    }

    /// Removes what a run has left behind.
    fn empty_folder(&self) -> Result<(), DeviceError> {
        let entries = fs::read_dir(self.folder.path()).and_then(|entries| {
            entries.into_iter().try_for_each(|entry| {
                let path = entry?.path();
                if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
            })
        });
        entries.map_err(|problem| self.failed(format!("left files behind that stay: {problem}")))
    }

    /// Runs the program on a file.
    fn run_on(&self, input: &Path) -> Result<Finished, DeviceError> {
        let output = self.output_path();
        let words = self.variant.command.words(|name| match name {
            "input" => input.into(),
            "output" => output.clone().into(),
            _ => OsString::from(self.threads.to_string()),
        });
        let sizes = [self.file(ExchangedFile::Input), self.right_output()];
        let bytes: u64 = sizes.iter().flatten().map(|path| bytes_of(path)).sum();
        let finished = process::run(&Launch {
            words: &words,
            folder: self.folder.path(),
            cpus: Some(&self.cpus),
            threads: self.threads,
            timeout: self.variant.timeout,
            max_file_bytes: MIN_FILE_BYTES.max(bytes.saturating_mul(FILE_BYTES)),
        });
        finished.map_err(|problem| self.failed(problem))
    }

    /// Median time on the smallest input.
    fn measure_startup(&self) -> Result<f64, DeviceError> {
        let smallest = self.file(ExchangedFile::Smallest)?;
        let mut seconds = Vec::with_capacity(STARTUP_RUNS);
        for _ in 0..STARTUP_RUNS {
            self.empty_folder()?;
            let finished = self.run_on(&smallest).map_err(|error| {
                self.failed(format!("on the smallest input, for its start-up: {error}"))
            })?;
            seconds.push(finished.seconds);
        }
        seconds.sort_by(f64::total_cmp);
        Ok(seconds[STARTUP_RUNS / 2])
    }

    fn startup(&mut self) -> Result<f64, DeviceError> {
        if let Some(startup) = self.startup {
            return Ok(startup);
        }
        let startup = self.measure_startup()?;
        Ok(*self.startup.insert(startup))
    }

    /// The start-up to take off a run of this wall time. If it is no shorter than the run, it is measured
    /// again, a few times in all, and the least median counts.
    fn startup_of(&mut self, wall: f64) -> Result<f64, DeviceError> {
        let mut startup = self.startup()?;
        while wall <= startup && self.startup_repeats < STARTUP_REPEATS {
            self.startup_repeats += 1;
            startup = startup.min(self.measure_startup()?);
            self.startup = Some(startup);
        }
        Ok(startup)
    }

    fn last(&self) -> Result<&Finished, DeviceError> {
        self.last.as_ref().ok_or_else(|| self.failed("has not run"))
    }
}

fn bytes_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// The CPUs that the threads of a team may use.
fn cpus_of(team: &Team) -> nix::Result<CpuSet> {
    let mut all = CpuSet::new();
    for own in team.run_on_each(|_| sched_getaffinity(Pid::from_raw(0))) {
        let own = own?;
        for cpu in 0..CpuSet::count() {
            if own.is_set(cpu)? {
                all.set(cpu)?;
            }
        }
    }
    Ok(all)
}

impl Candidate for ProgramRun<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.file(ExchangedFile::Input)?;
        self.empty_folder()
    }

    /// There is no output before a run.
    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let input = self.file(ExchangedFile::Input)?;
        let finished = self.run_on(&input)?;
        self.peak_bytes = self.peak_bytes.max(finished.peak_bytes);
        self.shortest = self.shortest.min(finished.seconds);
        self.last = Some(finished);
        Ok(())
    }

    fn own_seconds(&mut self) -> Result<Option<f64>, DeviceError> {
        let Finished { seconds: wall, .. } = *self.last()?;
        let seconds = match &self.variant.time {
            TimeSource::Report { pattern, unit } => {
                let stdout = &self.last()?.stdout;
                reported(pattern, *unit, stdout, wall).map_err(|problem| self.failed(problem))?
            }
            TimeSource::Wall => {
                let startup = self.startup_of(wall)?;
                let seconds = wall - startup;
                if seconds <= 0.0 {
                    return Err(self.failed(format!(
                        "took {wall} s, and no less on the smallest input ({startup} s): its time is \
                         that of its start; use more data, or the time that it reports itself"
                    )));
                }
                seconds
            }
        };
        Ok(Some(seconds))
    }

    fn find_reference(&self) {
        // A failure is reported by the check.
        let _ = self.right_output();
    }

    fn check(&mut self) -> Result<(), CheckError> {
        let right = fs::read(self.right_output()?)?;
        if self.exchange.is_first_of(self.variant.name) {
            try_on(&self.variant.comparison, &right)?;
        }
        let path = self.output_path();
        let found = fs::read(&path).map_err(|problem| {
            let command = self.variant.command.shown();
            self.failed(format!("has written no {{output}} ({problem}); its command is {command}"))
        })?;
        self.variant.comparison.compare(&found, &right)?;
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        let time = match self.variant.time {
            TimeSource::Wall => "its wall time, less that of its start",
            TimeSource::Report { .. } => "its own report",
        };
        vec![format!("an external program, timed by {time}")]
    }

    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        match self.variant.time {
            TimeSource::Report { .. } => Ok(Vec::new()),
            TimeSource::Wall => {
                let startup = self.startup_of(self.shortest)?;
                self.release();
                Ok(vec![Metric::new(&STARTUP, startup, Relation::Itself)])
            }
        }
    }

    fn write_output(&mut self, _file: usize, path: &Path) -> Result<usize, DataError> {
        let ending = &self.variant.output_ending;
        if !path.to_string_lossy().ends_with(&format!(".{ending}")) {
            return Err(DataError::Shape(format!(
                "{}: {} writes files of the type {ending} only",
                path.escaped(),
                self.variant.name
            )));
        }
        let problem = |error| DataError::io(path, error);
        let bytes = fs::read(self.output_path()).map_err(problem)?;
        fs::write(path, &bytes).map_err(problem)?;
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        // The first line has the names of columns.
        Ok(lines.saturating_sub(1))
    }

    fn release(&mut self) {
        // Files that stay are removed before the next run, or with the folder.
        let _ = self.empty_folder();
        self.last = None;
    }

    /// Largest resident memory of its process.
    fn buffer_bytes(&self) -> u64 {
        self.peak_bytes
    }
}
