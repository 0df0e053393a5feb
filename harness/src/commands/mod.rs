//! One file for each subcommand.

mod compare;
mod devices;
mod export;
mod history;
mod list;
mod machines;
mod measure;
mod mixed;
mod pairs;
mod pareto;
mod plan;
mod portability;
mod present;
mod process;
mod report;
mod reproduce;
mod runs;
mod selftest;
mod simulate;
mod site;
mod stream;
mod submission;
mod suite;
mod suite_run;
mod throughput;
mod trace;
mod verify;
mod winners;

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use reports::screen::{Paint, Screen, Size};
use reports::table::Format;
use reports::units;
use tasks::device::Device;
use text::Untrusted;

use crate::cli::{self, Request, TaskRequest};
use crate::failure::{Exit, Failure};
use crate::paired;
use crate::plan::Plan;
use crate::platform::gpus::only_verifies;
use crate::platform::{self, TerminalSize, is_development_build, start_global_pool};
use crate::plugins::{self, Baseline, FailedTrial};
use crate::progress::say;
use crate::request::{GenerateRequest, MeasureRequest, Outputs};
use crate::suite::{Suite, SuiteError, SuiteFile};
pub(crate) use history::parse_accepted_shifts;
pub(crate) use mixed::check_mix;
pub(crate) use plan::{check_machines, check_need};

/// A command that is ready to be carried out: the suite that it names has been read.
pub struct Prepared {
    request: Request,
    suite: Option<Result<SuiteFile, SuiteError>>,
}

impl Prepared {
    /// Reads the suite of a request, because its plugins determine how to run it.
    pub fn new(request: Request) -> Self {
        let suite = match &request {
            Request::RunSuite(request) => Some(&request.suite),
            Request::SelfTest(request) => Some(&request.suite),
            _ => None,
        };
        Prepared { suite: suite.map(|suite| SuiteFile::read(suite)), request }
    }

    /// Returns true if the command loads plugins and has to run in a supervised process.
    ///
    /// False below a profiler, which follows one process, and for a process that serves, which has a
    /// coordinator.
    pub(crate) fn loads_plugins(&mut self) -> bool {
        let suite_names_some = matches!(&self.suite, Some(Ok(file)) if !file.plugins.is_empty());
        match &mut self.request {
            Request::List(request) => !request.plugins.is_empty(),
            Request::Verify(request) => !request.plugins.is_empty(),
            Request::Task(request) => {
                let MeasureRequest { settings, session, .. } = request.measuring();
                !settings.plugins.is_empty() && !session.profile
            }
            Request::Process(request) => !request.measuring.settings.plugins.is_empty(),
            Request::Pareto(request) => !request.measuring.settings.plugins.is_empty(),
            Request::RunSuite(request) => !request.plugins.is_empty() || suite_names_some,
            Request::Portability(request) => !request.plugins.is_empty(),
            Request::SelfTest(_) => suite_names_some,
            _ => false,
        }
    }

    /// Executes the command.
    pub fn execute(self) -> Result<Exit, Failure> {
        if works_in_parallel(&self.request) {
            start_global_pool()?.iter().for_each(|note| say(note));
        }
        match (self.request, self.suite.transpose()?) {
            (Request::RunSuite(request), Some(file)) => suite::run(&request, &file),
            (Request::SelfTest(request), Some(file)) => selftest::run(&request, &file),
            (request, _) => execute(request),
        }
    }
}

/// Checks that a file does not exist or is of the kind that is to be written, so that no other one
/// is replaced.
fn check_overwrite(
    path: &Path,
    force: bool,
    kind: &str,
    is_own: impl FnOnce(&Path) -> bool,
) -> Result<(), Failure> {
    // A pipe or a terminal is for writing.
    if force || !path.is_file() || is_own(path) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} is there and no {kind} of recobench; choose another file with --out, or add --force to \
         replace it",
        path.escaped()
    )))
}

/// Carries out commands that name no suite.
fn execute(request: Request) -> Result<Exit, Failure> {
    match request {
        Request::List(request) => list::run(&request),
        Request::Devices(request) => devices::run(&request),
        Request::Task(request) => run_task(request),
        Request::Throughput(request) => throughput::run(*request),
        Request::Stream(request) => stream::run(*request),
        Request::Mixed(request) => mixed::run(&request),
        Request::RunSuite(_) | Request::SelfTest(_) => unreachable!("their suite was read"),
        Request::Compare(request) => compare::run(&request),
        Request::Pareto(mut request) => {
            request.measuring.choose_devices();
            pareto::run(&request)
        }
        Request::Verify(request) => verify::run(&request),
        Request::Generate(request) => generate(&request),
        Request::Process(request) => process::run(&request),
        Request::History(request) => history::run(&request),
        Request::Report(request) => report::run(&request),
        Request::Machines(request) => machines::run(&request),
        Request::Submission(request) => submission::run(&request),
        Request::Plan(request) => plan::run(&request),
        Request::Portability(request) => portability::run(&request),
        Request::Reproduce(request) => reproduce::run(&request),
        Request::Export(request) => export::run(&request),
        Request::Trace(request) => trace::run(&request),
        Request::Simulate(request) => simulate::run(&request),
        Request::Site(request) => site::run(&request),
        Request::Winners(request) => winners::run(&request),
        Request::StreamWorker(flags) => Ok(crate::stream::work(flags.memory)),
        Request::ThroughputWorker => Ok(throughput::work()),
        Request::Serve(request) => serve(&request.plugins),
        Request::TryPlugin(flags) => Ok(plugins::trial::run_child(&flags.request())?),
        Request::Completions { shell } => {
            print(&cli::completions(shell))?;
            Ok(Exit::Success)
        }
        Request::Man { out } => {
            let pages = cli::write_manual(&out).map_err(Failure::writing(&out))?;
            say(&format!("{} in {}", units::counted(pages, "manual page"), out.escaped()));
            Ok(Exit::Success)
        }
    }
}

/// Returns true if a command generates, checks or reads data itself: workers have separate teams.
fn works_in_parallel(request: &Request) -> bool {
    !matches!(
        request,
        Request::List(_)
            | Request::Completions { .. }
            | Request::Man { .. }
            | Request::StreamWorker(_)
            | Request::ThroughputWorker
            | Request::TryPlugin(_)
    )
}

fn run_task(request: TaskRequest) -> Result<Exit, Failure> {
    match request {
        TaskRequest::Measure(mut request) => {
            request.choose_devices();
            measure::run(&request)
        }
        TaskRequest::Process(request) => process::run(&request),
    }
}

/// Refuses to measure in development builds, whose times would mislead.
fn refuse_development_build() -> Result<(), Failure> {
    if !is_development_build() {
        return Ok(());
    }
    let refusal = "nothing was measured: this is a development build; use `cargo run --release`";
    Err(Failure::NothingMeasured(refusal.to_owned()))
}

/// Refuses to measure on devices that show only whether kernels are right.
fn refuse_verifying<'a>(devices: impl IntoIterator<Item = &'a Device>) -> Result<(), Failure> {
    match devices.into_iter().find_map(|&device| only_verifies(device)) {
        Some(reason) => Err(Failure::NothingMeasured(format!("nothing was measured: {reason}"))),
        None => Ok(()),
    }
}

/// Reads a suite, loads its plugins and `given` ones, and parses it.
fn open_suite(path: &Path, given: &[PathBuf]) -> Result<Suite, Failure> {
    load_suite(&SuiteFile::read(path)?, given)
}

/// Loads the plugins of a suite file and `given` ones, and parses the suite.
fn load_suite(file: &SuiteFile, given: &[PathBuf]) -> Result<Suite, Failure> {
    plugins::load(given, Baseline::Measured)?;
    plugins::load(&file.plugins, Baseline::Measured)?;
    Ok(file.suite()?)
}

/// Tries the plugin variants of the plans. Returns those that failed.
fn try_plugins(plans: &[Plan], quiet: bool) -> Result<Vec<FailedTrial>, Failure> {
    Ok(plugins::try_out(plans, |text| log(quiet, text))?)
}

/// Writes results to the requested files, then prints them: a closed pipe does not affect files.
fn put<S>(
    outputs: &Outputs<S>,
    text: impl Fn(Format, Screen) -> Result<String, Failure>,
) -> Result<(), Failure> {
    write_files(outputs, |format| text(format, Screen::default()))?;
    print(&text(outputs.stdout, screen())?)
}

/// Writes results to the requested files.
fn write_files<S>(
    outputs: &Outputs<S>,
    text: impl Fn(Format) -> Result<String, Failure>,
) -> Result<(), Failure> {
    for (format, path) in &outputs.files {
        files::write(path, text(*format)?).map_err(Failure::writing(path))?;
    }
    Ok(())
}

/// Properties of standard output: colours on a terminal unless disabled, and its size.
fn screen() -> Screen {
    let size = platform::terminal_size();
    let size = size.map(|TerminalSize { columns, rows }| Size { columns, rows });
    let paint = match anstream::AutoStream::choice(&std::io::stdout()) {
        ColorChoice::Never => Paint::Plain,
        _ => Paint::Colored,
    };
    Screen { paint, size }
}

/// Prints results to standard output. A closed pipe (`bench list | head`) is not a failure and does
/// not change the exit code.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints progress unless `quiet`.
fn log(quiet: bool, text: &str) {
    if !quiet {
        say(text);
    }
}

fn serve(libraries: &[PathBuf]) -> Result<Exit, Failure> {
    refuse_development_build()?;
    plugins::load(libraries, Baseline::Measured)?;
    paired::serve()?;
    Ok(Exit::Success)
}

fn generate(request: &GenerateRequest) -> Result<Exit, Failure> {
    let GenerateRequest { data, axes, seed, out, .. } = request;
    let params = axes.combinations().pop().expect("flags that are not given have one combination");
    let (plan, write) = data.plan(params, *seed, out)?;
    crate::plan::check_memory(&plan)?;
    write(&say)?;
    Ok(Exit::Success)
}
