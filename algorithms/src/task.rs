//! Tasks as the harness sees them: without type parameters.
//!
//! An [`Algorithm`] has types of its own for input and output, so a list of
//! algorithms can't be written. This module wraps each of them once into a
//! [`Task`], which can be.

use std::error::Error;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use generators::DataError;

use crate::algorithm::{
    Algorithm, Content, Metric, Plan, Prepared, Promise, Semantics, Stages, Unavailable, Variant,
    Work,
};
use crate::axis::{Axis, Params};
use crate::code::CodeRoots;
use crate::device::gpu::DeviceError;
use crate::device::{Arena, Backend, Place};
use crate::plugin::PluginInfo;
use crate::shared_inputs;

/// A reconstruction task.
pub trait Task: Sync {
    /// The subcommand's name.
    fn name(&self) -> &'static str;
    /// The task in one line.
    fn summary(&self) -> &'static str;
    /// How the names of files end that [`Case::write`] writes.
    fn file_ending(&self) -> &'static str;
    /// What can be varied.
    fn axes(&self) -> &'static [Axis];
    /// See [`Algorithm::reading`].
    fn reading(&self) -> &'static [Axis];
    /// All variants; their places in this list are their numbers.
    fn variants(&self) -> Vec<VariantInfo>;
    /// See [`Algorithm::plan`].
    ///
    /// # Errors
    /// If no data can be as the parameters say.
    fn plan(&self, params: Params) -> Result<Plan, DataError>;
    /// Generates the input of a planned point. What the same parameters and seed made
    /// before, for this task or another one with such inputs, is used again while
    /// somebody has it, and for a while longer if it is small: see [`forget_inputs`].
    ///
    /// # Errors
    /// If no data can be as the parameters say.
    fn generate(&self, params: &Params, seed: u64) -> Result<Box<dyn Case>, DataError>;
    /// Reads an input from a file; see [`Algorithm::read`].
    ///
    /// # Errors
    /// If the file can't be read, or the options make no sense.
    fn read(&self, path: &Path, options: &Params) -> Result<Box<dyn Case>, DataError>;
    /// Small inputs that are hard in some way, with their names.
    fn hard_cases(&self, seed: u64) -> Vec<(String, Box<dyn Case>)>;
}

/// What is known of a variant without running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantInfo {
    /// The variant's name.
    pub name: &'static str,
    /// The variant in one line.
    pub summary: &'static str,
    /// Where it runs.
    pub backend: Backend,
    /// Whether it keeps the order of equals.
    pub stable: bool,
    /// The right answers that it knows.
    pub answers: &'static [Semantics],
    /// How many levels of nested teams it has.
    pub team_levels: usize,
    /// The plugin that it comes from; `None` if `bench` has it itself.
    pub plugin: Option<&'static PluginInfo>,
    /// Why it is nowhere to be had, and how to get it; `None` if it is there.
    pub missing: Option<&'static str>,
    /// Where its machine code begins.
    pub code: CodeRoots,
}

/// An input with its right answer.
pub trait Case: Sync {
    /// The parameters that describe it.
    fn params(&self) -> &Params;
    /// How much there is to do.
    fn work(&self) -> Work;
    /// What a reader of results should know of the input, in words.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
    /// Gets a variant ready; `variant` is its number.
    ///
    /// # Errors
    /// If the variant can't run here or not on such an input.
    fn prepare<'c>(
        &'c self,
        variant: usize,
        place: &Place<'_>,
    ) -> Result<Box<dyn Candidate + 'c>, Unavailable>;
    /// Gives the memory of all buffers that are not in use back to the system,
    /// so that the next ones lie elsewhere. The input stays where it is.
    fn drop_buffers(&self);
    /// Frees the right answers that were found: when all candidates were checked, nobody
    /// needs them any more. Who checks once more finds them anew.
    fn release_references(&self) {}
    /// Writes the input to a file, for [`Task::read`].
    ///
    /// # Errors
    /// If it can't be written.
    fn write(&self, path: &Path) -> Result<(), DataError>;
    /// See [`Algorithm::smaller`].
    fn smaller(&self) -> Box<dyn Iterator<Item = Box<dyn Case>> + '_> {
        Box::new(std::iter::empty())
    }
    /// Whether the check tells a variant that does nothing from one that is
    /// right, which it must unless there is nothing to do.
    fn rejects_no_op(&self) -> bool;
}

/// A variant that is ready to be checked and measured. See [`Prepared`] for
/// the errors.
pub trait Candidate: Send {
    /// Provides fresh input. Not timed.
    ///
    /// # Errors
    /// As [`Prepared::reset`].
    fn reset(&mut self) -> Result<(), DeviceError>;
    /// Overwrites every buffer that is not input.
    ///
    /// # Errors
    /// As [`Prepared::poison`].
    fn poison(&mut self) -> Result<(), DeviceError>;
    /// Does the work. This is what is timed.
    ///
    /// # Errors
    /// As [`Prepared::run`].
    fn run(&mut self) -> Result<(), DeviceError>;
    /// The stages of the last run, where they are known. Not timed.
    ///
    /// # Errors
    /// As [`Prepared::stages`].
    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(Stages::new())
    }
    /// Finds the right answer that its output is compared with, unless it is known
    /// already: so that the time of that is not taken for the check's.
    fn find_reference(&self) {}
    /// Whether the output of the last run is right.
    ///
    /// # Errors
    /// The first thing that is wrong.
    fn check(&mut self) -> Result<(), Box<dyn Error + Send + Sync>>;
    /// See [`Prepared::remarks`].
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// See [`Prepared::figures`].
    ///
    /// # Errors
    /// As [`Prepared::figures`].
    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        Ok(Vec::new())
    }
    /// See [`Prepared::sample`].
    fn sample(&self) -> Option<Work> {
        None
    }
    /// How good the output was that was checked last; see [`Algorithm::quality`].
    fn quality(&self) -> Vec<Metric> {
        Vec::new()
    }
    /// Gives the buffers back.
    fn release(&mut self);
    /// Bytes of all buffers held during a run.
    fn buffer_bytes(&self) -> u64;
}

/// Frees the inputs that are kept though no case has them.
pub fn forget_inputs() {
    shared_inputs::forget();
}

/// What an input takes in memory, in bytes of its payload: some are kept in two orders,
/// with what really happened beside them.
const BYTES_OF_INPUT: u64 = 4;

/// An algorithm as a [`Task`].
pub struct TaskOf<A>(PhantomData<fn() -> A>);

impl<A> TaskOf<A> {
    /// The task of an algorithm.
    pub const fn new() -> Self {
        TaskOf(PhantomData)
    }
}

impl<A> Default for TaskOf<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: Algorithm> Task for TaskOf<A> {
    fn name(&self) -> &'static str {
        A::NAME
    }

    fn summary(&self) -> &'static str {
        A::SUMMARY
    }

    fn file_ending(&self) -> &'static str {
        A::FILE_ENDING
    }

    fn axes(&self) -> &'static [Axis] {
        A::axes()
    }

    fn reading(&self) -> &'static [Axis] {
        A::reading()
    }

    fn variants(&self) -> Vec<VariantInfo> {
        let info = |variant: &&'static dyn Variant<A>| VariantInfo {
            name: variant.name(),
            summary: variant.summary(),
            backend: variant.backend(),
            stable: variant.stable(),
            answers: variant.answers(),
            team_levels: variant.team_levels(),
            plugin: variant.plugin(),
            missing: variant.missing(),
            code: CodeRoots::of(*variant),
        };
        A::variants().iter().map(info).collect()
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        A::plan(params)
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<Box<dyn Case>, DataError> {
        let bytes = |input: &A::Input| BYTES_OF_INPUT * A::work(input).input_bytes;
        let make = || A::generate(params, seed);
        let input = shared_inputs::shared((A::INPUT, params, seed), bytes, make)?;
        Ok(Box::new(CaseOf::<A>::sharing(input, params.clone())))
    }

    fn read(&self, path: &Path, options: &Params) -> Result<Box<dyn Case>, DataError> {
        let (input, params) = A::read(path, options)?;
        Ok(Box::new(CaseOf::<A>::new(input, params)))
    }

    fn hard_cases(&self, seed: u64) -> Vec<(String, Box<dyn Case>)> {
        let case = |(name, input)| {
            let case: Box<dyn Case> = Box::new(CaseOf::<A>::new(input, Params::default()));
            (name, case)
        };
        A::hard_inputs(seed).into_iter().map(case).collect()
    }
}

/// All that variants can promise, by any semantics.
const PROMISES: [(bool, Content); 4] = [
    (true, Content::Whole),
    (false, Content::Whole),
    (true, Content::WithoutAddress),
    (false, Content::WithoutAddress),
];

/// A right answer, if there is one.
type Answer<T> = Arc<Option<T>>;

struct CaseOf<A: Algorithm> {
    input: Arc<A::Input>,
    params: Params,
    /// One for each of [`Semantics::ALL`], found when it is first asked for.
    references: [Mutex<Option<Answer<A::Output>>>; Semantics::ALL.len()],
    work: OnceLock<Work>,
    notes: OnceLock<Vec<String>>,
    arena: Arena,
}

impl<A: Algorithm> CaseOf<A> {
    fn new(input: A::Input, params: Params) -> Self {
        Self::sharing(Arc::new(input), params)
    }

    fn sharing(input: Arc<A::Input>, params: Params) -> Self {
        CaseOf {
            input,
            params,
            references: Default::default(),
            work: OnceLock::new(),
            notes: OnceLock::new(),
            arena: Arena::default(),
        }
    }

    fn check(&self, output: &A::Output, promise: Promise) -> Result<(), A::Mismatch> {
        let reference = self.reference(promise.semantics);
        A::check(&self.input, reference.as_ref().as_ref(), output, promise)
    }

    /// The right answer by these semantics.
    fn reference(&self, semantics: Semantics) -> Answer<A::Output> {
        let reference = &self.references[semantics as usize];
        let mut reference = reference.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = || Arc::new(A::reference(&self.input, semantics));
        Arc::clone(reference.get_or_insert_with(answer))
    }

    /// Whether something that promises these semantics passes, whatever it promises
    /// beside.
    fn passes(&self, output: &A::Output, semantics: Semantics) -> bool {
        PROMISES.into_iter().any(|(stable, content)| {
            let promise = Promise {
                stable,
                content,
                semantics,
            };
            self.check(output, promise).is_ok()
        })
    }
}

impl<A: Algorithm> Case for CaseOf<A> {
    fn params(&self) -> &Params {
        &self.params
    }

    fn work(&self) -> Work {
        self.work.get_or_init(|| A::work(&self.input)).clone()
    }

    fn notes(&self) -> Vec<String> {
        self.notes.get_or_init(|| A::notes(&self.input)).clone()
    }

    fn prepare<'c>(
        &'c self,
        variant: usize,
        place: &Place<'_>,
    ) -> Result<Box<dyn Candidate + 'c>, Unavailable> {
        let variant = A::variants()[variant];
        let prepared = variant.prepare(&self.input, &self.arena, place)?;
        Ok(Box::new(CandidateOf {
            case: self,
            prepared,
            promise: Promise {
                stable: variant.stable(),
                content: variant.content(),
                semantics: variant.semantics(&self.input),
            },
            quality: Vec::new(),
        }))
    }

    fn drop_buffers(&self) {
        self.arena.clear();
    }

    fn release_references(&self) {
        for reference in &self.references {
            *reference.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    fn write(&self, path: &Path) -> Result<(), DataError> {
        A::write(&self.input, path)
    }

    fn smaller(&self) -> Box<dyn Iterator<Item = Box<dyn Case>> + '_> {
        let case =
            |input| -> Box<dyn Case> { Box::new(CaseOf::<A>::new(input, Params::default())) };
        Box::new(A::smaller(&self.input).map(case))
    }

    fn rejects_no_op(&self) -> bool {
        let untouched = A::untouched(&self.input);
        let variants = A::variants().into_iter();
        let mut promised = variants.map(|variant| variant.semantics(&self.input));
        promised.all(|semantics| {
            let reference = self.reference(semantics);
            reference.as_ref().as_ref() == Some(&untouched) || !self.passes(&untouched, semantics)
        })
    }
}

struct CandidateOf<'c, A: Algorithm> {
    case: &'c CaseOf<A>,
    prepared: Box<dyn Prepared<A> + 'c>,
    promise: Promise,
    quality: Vec<Metric>,
}

impl<A: Algorithm> Candidate for CandidateOf<'_, A> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.prepared.reset()
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.prepared.poison()
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.prepared.run()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.prepared.stages()
    }

    fn find_reference(&self) {
        self.case.reference(self.promise.semantics);
    }

    fn check(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.prepared.inspect()?;
        let output = self.prepared.output();
        self.case.check(&output, self.promise)?;
        self.quality = A::quality(&self.case.input, &output);
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.prepared.remarks();
        let semantics = self.promise.semantics;
        if semantics != Semantics::default() {
            remarks.push(format!("right by the reference \"{}\"", semantics.name()));
        }
        remarks
    }

    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        self.prepared.figures()
    }

    fn sample(&self) -> Option<Work> {
        self.prepared.sample()
    }

    fn quality(&self) -> Vec<Metric> {
        self.quality.clone()
    }

    fn release(&mut self) {
        self.prepared.release();
    }

    fn buffer_bytes(&self) -> u64 {
        self.prepared.buffer_bytes()
    }
}

#[cfg(test)]
mod tests;
