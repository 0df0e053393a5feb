//! Run that figures and comparisons use: an existing one, or a part of a suite that is measured.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reports::store::Run;

use super::present::say_findings;
use super::suite::ExpandedSuite;
use super::{runs, try_plugins};
use crate::failure::{Exit, Failure};
use crate::measure::{Job, KernelTimes, RunSpec, Session, default_folder};
use crate::platform::{Interrupt, process_start};
use crate::request::{DEFAULT_STORE, OutputFlags};
use crate::suite::Suite;

/// Suite to run.
pub(super) struct SuiteRun<'a> {
    /// Existing run; `None` to measure one.
    pub(super) run: Option<&'a Path>,
    /// Time for all points.
    pub(super) budget: Duration,
    /// Output options.
    pub(super) output: &'a OutputFlags,
    /// The command line as typed.
    pub(super) command: &'a [String],
    /// File with defaults of flags, if any.
    pub(super) config: &'a Option<PathBuf>,
    /// Command name, the default name of folders.
    pub(super) name: &'static str,
    /// Runs on a GPU that record the times of their kernels.
    pub(super) kernels: KernelTimes,
    /// Interruption by the user.
    pub(super) interrupt: &'a Interrupt,
}

impl SuiteRun<'_> {
    /// Returns the run and the exit code of measuring it. `suite` makes the part to measure.
    pub(super) fn run(
        &self,
        suite: impl FnOnce() -> Result<Suite, Failure>,
    ) -> Result<(Run, Exit), Failure> {
        match self.run {
            Some(run) => {
                let folder = runs::folder(run, Path::new(DEFAULT_STORE), None)?;
                Ok((Run::read(&folder)?, Exit::Success))
            }
            None => self.measured(suite()?),
        }
    }

    fn measured(&self, suite: Suite) -> Result<(Run, Exit), Failure> {
        let ExpandedSuite { requests, plans, part } =
            ExpandedSuite::new(suite, self.command, self.config)?;
        try_plugins(&plans, self.output.quiet)?;
        let out = self.output.out.clone().unwrap_or_else(|| default_folder(self.name));
        let run_spec = RunSpec {
            suite: Some(part),
            started: process_start(),
            budget: Some(self.budget),
            // Without points there is nothing to relate to the ceilings.
            ceilings: !plans.is_empty(),
            kernels: self.kernels,
            quiet: self.output.quiet,
            ..RunSpec::new(self.command, Job::pair(&requests, &plans), out)
        };
        let outcome = Session::run(&run_spec, self.interrupt)?;
        say_findings(&outcome.record);
        Ok((Run::read(&outcome.folder)?, outcome.exit()))
    }

    /// Returns the folder of charts and tables: of a run measured now, but not of an earlier one.
    pub(super) fn folder<'a>(&'a self, run: &'a Run) -> Option<&'a Path> {
        match self.run {
            Some(_) => self.output.out.as_deref(),
            None => Some(&run.folder),
        }
    }
}
