//! Output of variants to files; nothing is measured.
//!
//! The commands differ in their output and default variant. This module has the common part:
//! selection of device and variant, input, run and check.

mod selection;

use std::collections::HashMap;
use std::path::Path;

use algorithms::algorithm::{Algorithm, CheckError, InputFiles};
use algorithms::axis::Params;
use algorithms::device::{Team, Unavailable};
use text::Untrusted;

use crate::failure::Failure;
use crate::plan::{check_memory, read_within_memory};
use crate::platform::gpus::Gpus;
use crate::plugins::{self, Baseline};
use crate::request::{AxisValues, MeasureRequest, Source};
use selection::{Run, select};

pub(super) use selection::VariantChoice;

/// Runs of variants whose output is to be written.
pub(super) struct OutputJob<'r, A: Algorithm> {
    algorithm: A,
    request: &'r MeasureRequest,
    /// The flags that ask for files, as messages name them.
    flags: &'static str,
    runs: Vec<Run<A>>,
    team: Team,
    gpus: Gpus,
}

/// Origin of the one input.
pub(super) enum InputOrigin<'r> {
    /// A file and its options.
    File(&'r InputFiles, Params),
    /// Complete parameters of generated data.
    Generated(Params),
}

impl<'r, A: Algorithm> OutputJob<'r, A> {
    /// Loads plugins and finds the requested variants and devices; nothing runs yet.
    ///
    /// # Errors
    /// If a device can't be used (exit code 5), or has no such variant (2).
    pub(super) fn new(
        algorithm: A,
        request: &'r MeasureRequest,
        flags: &'static str,
        wanted: VariantChoice,
    ) -> Result<Self, Failure> {
        let settings = &request.settings;
        plugins::load(&settings.plugins, Baseline::Measured)?;
        let runs = select(&algorithm, settings, wanted, flags)?;
        let team = Team::new(settings.thread_counts()[0].all)?;
        Ok(OutputJob { algorithm, request, flags, runs, team, gpus: Gpus::default() })
    }

    /// Returns where the input comes from.
    ///
    /// # Errors
    /// If the flags describe several inputs, or one that does not fit into memory.
    pub(super) fn origin(&self) -> Result<InputOrigin<'r>, Failure> {
        match &self.request.source {
            Source::File { files, options } => {
                Ok(InputOrigin::File(files, self.only_combination(options)?))
            }
            Source::Generated(axes) => {
                let plan = self.algorithm.plan(self.only_combination(axes)?)?;
                check_memory(&plan)?;
                Ok(InputOrigin::Generated(plan.params))
            }
        }
    }

    fn only_combination(&self, values: &AxisValues) -> Result<Params, Failure> {
        let mut combinations = values.combinations();
        match combinations.pop() {
            Some(only) if combinations.is_empty() => Ok(only),
            _ => Err(Failure::Usage(format!(
                "{}: results are of one input, but {} are described; give one value to each flag",
                self.flags,
                values.count()
            ))),
        }
    }

    /// Reads or generates the input.
    ///
    /// # Errors
    /// If it can't be read or generated.
    pub(super) fn input(&self, origin: &InputOrigin) -> Result<A::Input, Failure> {
        Ok(match origin {
            InputOrigin::File(files, options) => {
                read_within_memory(&self.algorithm, files, options)?.0
            }
            InputOrigin::Generated(params) => {
                self.algorithm.generate(params, self.request.settings.seed)?
            }
        })
    }

    /// Runs all variants and checks their outputs; returns that of the first.
    ///
    /// # Errors
    /// If a variant can't run, or its output is wrong.
    pub(super) fn output(&self, input: &A::Input) -> Result<A::Output, Failure> {
        let mut references = HashMap::new();
        let mut first = None;
        for run in &self.runs {
            let semantics = run.variant.promise(input).semantics;
            let reference = references
                .entry(semantics)
                .or_insert_with(|| self.team.run(|| self.algorithm.reference(input, semantics)));
            let output = self.checked_output(run, input, reference.as_ref())?;
            first.get_or_insert(output);
        }
        Ok(first.expect("at least one variant was selected"))
    }

    fn checked_output(
        &self,
        run: &Run<A>,
        input: &A::Input,
        reference: Option<&A::Output>,
    ) -> Result<A::Output, Failure> {
        let Run { device, variant } = run;
        let target = self.gpus.target(*device, &self.team).map_err(|problem| {
            Failure::NothingMeasured(format!(
                "{device} can't be used: {problem}; run bench devices"
            ))
        })?;
        let checked = variant.checked_output(&self.algorithm, input, &target, reference);
        checked.map_err(|damage| failed(run, &damage))
    }

    /// Prints the written output with its variant and device.
    pub(super) fn report(&self, what: &str, out: &Path) {
        let runs: Vec<_> = self.runs.iter().map(Run::to_string).collect();
        super::say(&format!("{what} written to {}, found by {}", out.escaped(), runs.join(", ")));
    }
}

fn failed<A: Algorithm>(run: &Run<A>, damage: &CheckError) -> Failure {
    let problem = format!("{run}: {damage}");
    if damage.is::<Unavailable>() {
        return Failure::NothingMeasured(problem);
    }
    Failure::WrongOutput(problem)
}
