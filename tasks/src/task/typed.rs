//! Wraps an algorithm, with its types, as a task.

use std::iter::successors;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use generators_common::DataError;

use super::{Candidate, Case, Task, VariantInfo};
use crate::algorithm::mutants::choices;
use crate::algorithm::{
    Algorithm, Answers, CheckError, Content, InputFiles, MemoryShares, OutputFiles, Plan, Promise,
    ReadInput, Semantics, SourceFile, TaskInfo, Variant, VariantContext, Work,
};
use crate::axis::Params;
use crate::device::{Arena, Backend, Target, Unavailable};
use crate::external::{Exchange, ExternalVariant, InputOfPrograms, ProgramRun, variants_of};
use crate::plugin::{Contract, PluginVariant};
use crate::shared_inputs::{self, InputKey};

/// Memory of an input per byte of its payload: some are kept in two orders, together with the
/// truth.
const BYTES_OF_INPUT: u64 = 4;

/// An algorithm as a [`Task`].
pub struct TypedTask<A>(pub A);

impl<A: Algorithm> Task for TypedTask<A> {
    fn info(&self) -> TaskInfo {
        self.0.info()
    }

    fn variants(&self) -> Vec<VariantInfo> {
        let own = self.0.variants();
        let external = variants_of(self.0.info().name).into_iter();
        own.iter().map(info).chain(external.map(external_info)).collect()
    }

    fn examples(&self) -> &'static str {
        self.0.examples()
    }

    fn contract(&self) -> Option<&'static Contract> {
        self.0.contract()
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        self.0.plan(params)
    }

    fn memory_shares(&self, variant: &str) -> MemoryShares {
        self.0.memory_shares(variant)
    }

    fn memory_for_byte(&self) -> u64 {
        self.0.memory_for_byte()
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<Box<dyn Case>, DataError> {
        let bytes = |input: &A::Input| BYTES_OF_INPUT * self.0.work(input).input_bytes;
        let make = || self.0.generate(params, seed);
        let key = InputKey { name: self.0.info().input, params, seed };
        let input = shared_inputs::shared(key, bytes, make)?;
        Ok(Box::new(TypedCase::sharing(self.0, input, params.clone())))
    }

    fn read(&self, files: &InputFiles, options: &Params) -> Result<Box<dyn Case>, DataError> {
        let ReadInput { input, params, notes } = self.0.read_with_notes(files, options)?;
        let case = TypedCase::new(self.0, input, params);
        Ok(Box::new(TypedCase { read_notes: notes, ..case }))
    }

    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        self.0.source_files(files)
    }

    fn output_files(&self) -> Option<OutputFiles> {
        self.0.output_files()
    }

    fn hard_cases(&self, seed: u64) -> Vec<(String, Box<dyn Case>)> {
        let case = |(name, input)| (name, TypedCase::unnamed(self.0, input));
        self.0.hard_inputs(seed).into_iter().map(case).collect()
    }
}

fn info<A: Algorithm>(variant: &Variant<A>) -> VariantInfo {
    VariantInfo {
        name: variant.name,
        summary: variant.summary,
        backend: variant.backend,
        stable: variant.stable,
        semantics_supported: variant.semantics_supported,
        nested: variant.nested,
        native: variant.native,
        plugin: variant.plugin.and_then(PluginVariant::info),
        unavailable_reason: variant.plugin.and_then(PluginVariant::why_absent),
        code: variant.prepare as usize,
    }
}

fn external_info(variant: &'static ExternalVariant) -> VariantInfo {
    VariantInfo {
        name: variant.name,
        summary: variant.summary,
        backend: Backend::Cpu,
        stable: variant.promise().stable,
        semantics_supported: std::slice::from_ref(&variant.semantics),
        nested: None,
        native: None,
        plugin: Some(variant.plugin),
        unavailable_reason: None,
        code: 0,
    }
}

/// All promises that variants can make, for any semantics.
const PROMISES: [(bool, Content); 4] = [
    (true, Content::Whole),
    (false, Content::Whole),
    (true, Content::WithoutAddress),
    (false, Content::WithoutAddress),
];

struct TypedCase<A: Algorithm> {
    task: A,
    input: Arc<A::Input>,
    params: Params,
    answers: Answers<A>,
    work: OnceLock<Work>,
    /// Notes on how the input was read.
    read_notes: Vec<String>,
    notes: OnceLock<Vec<String>>,
    arena: Arena,
    /// Files for external programs.
    exchange: Exchange,
}

impl<A: Algorithm> TypedCase<A> {
    fn new(task: A, input: A::Input, params: Params) -> Self {
        Self::sharing(task, Arc::new(input), params)
    }

    /// A case without parameters.
    fn unnamed(task: A, input: A::Input) -> Box<dyn Case> {
        Box::new(Self::new(task, input, Params::default()))
    }

    fn sharing(task: A, input: Arc<A::Input>, params: Params) -> Self {
        TypedCase {
            task,
            input,
            params,
            answers: Answers::default(),
            work: OnceLock::new(),
            read_notes: Vec::new(),
            notes: OnceLock::new(),
            arena: Arena::default(),
            exchange: Exchange::default(),
        }
    }

    fn check(&self, output: &A::Output, promise: Promise) -> Result<(), CheckError> {
        let reference = self.reference(promise.semantics);
        self.task.check(&self.input, reference.as_ref().as_ref(), output, promise)
    }

    fn reference(&self, semantics: Semantics) -> Arc<Option<A::Output>> {
        self.answers.get(&self.task, &self.input, semantics)
    }

    /// Promises of all variants, with their names.
    fn promises(&self) -> Vec<(&'static str, Promise)> {
        let own = self.task.variants().into_iter();
        let own = own.map(|variant| (variant.name, variant.promise(&self.input)));
        let external = variants_of(self.task.info().name).into_iter();
        own.chain(external.map(|variant| (variant.name, variant.promise()))).collect()
    }

    /// True if an output passes the check for these semantics, with any other promise.
    fn passes(&self, output: &A::Output, semantics: Semantics) -> bool {
        PROMISES.into_iter().any(|(stable, content)| {
            let promise = Promise { stable, content, semantics };
            self.check(output, promise).is_ok()
        })
    }
}

impl<A: Algorithm> Case for TypedCase<A> {
    fn params(&self) -> &Params {
        &self.params
    }

    fn work(&self) -> Work {
        let work = || self.task.work(&self.input);
        self.work.get_or_init(work).clone()
    }

    fn notes(&self) -> Vec<String> {
        let notes = || [self.read_notes.clone(), self.task.notes(&self.input)].concat();
        self.notes.get_or_init(notes).clone()
    }

    fn defects(&self) -> Vec<String> {
        self.task.defects(&self.input)
    }

    fn prepare<'c>(
        &'c self,
        variant: usize,
        target: &Target<'_>,
    ) -> Result<Box<dyn Candidate + 'c>, Unavailable> {
        let own = self.task.variants();
        let Some(&variant) = own.get(variant) else {
            let external = variants_of(self.task.info().name)[variant - own.len()];
            let program = ProgramRun::new(external, self, &self.exchange, target.team)?;
            return Ok(Box::new(program));
        };
        let session = (variant.prepare)(&VariantContext {
            task: &self.task,
            variant,
            input: &self.input,
            answers: Some(&self.answers),
            arena: &self.arena,
            target,
        })?;
        Ok(session)
    }

    fn drop_buffers(&self) {
        self.arena.clear();
    }

    fn take_buffers_from(&mut self, arena: &Arena) {
        self.arena = arena.for_another_input();
    }

    fn write(&self, path: &Path) -> Result<(), DataError> {
        self.task.write(&self.input, path)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Box<dyn Case>> + '_> {
        let smaller = self.task.shrink(&self.input);
        Box::new(smaller.map(|input| TypedCase::unnamed(self.task, input)))
    }

    fn check_reference(&self) -> Result<(), CheckError> {
        let mut checked = Vec::new();
        for (_, promise) in self.promises() {
            if checked.contains(&promise) {
                continue;
            }
            if let Some(right) = self.reference(promise.semantics).as_ref() {
                self.check(right, promise)?;
            }
            checked.push(promise);
        }
        Ok(())
    }

    fn refused_mutants(&self, seed: u64) -> Result<usize, String> {
        let mut refused = 0;
        let mut choose = choices(seed);
        for (name, promise) in self.promises() {
            let reference = self.reference(promise.semantics);
            let Some(right) = reference.as_ref() else {
                continue;
            };
            for (harm, mutant) in self.task.mutants(&self.input, right, &mut choose) {
                if mutant == *right || harm.is_allowed_by(promise) {
                    continue;
                }
                if self.check(&mutant, promise).is_ok() {
                    return Err(format!("{name}: an element {}", harm.words()));
                }
                refused += 1;
            }
        }
        Ok(refused)
    }

    fn rejects_no_op(&self) -> bool {
        let left = self.task.no_op_output(&self.input);
        self.promises().into_iter().all(|(_, Promise { semantics, .. })| {
            let reference = self.reference(semantics);
            reference.as_ref().as_ref() == Some(&left) || !self.passes(&left, semantics)
        })
    }
}

impl<A: Algorithm> InputOfPrograms for TypedCase<A> {
    fn write_input(&self, path: &Path) -> Result<(), DataError> {
        self.task.write(&self.input, path)
    }

    fn write_smallest(&self, path: &Path) -> Result<(), DataError> {
        let first = |input: &A::Input| self.task.shrink(input).next();
        let smallest = first(&self.input).and_then(|half| successors(Some(half), first).last());
        self.task.write(smallest.as_ref().unwrap_or(&self.input), path)
    }

    fn write_right_output(&self, semantics: Semantics, path: &Path) -> Result<(), DataError> {
        let reference = self.reference(semantics);
        let none =
            || DataError::shape(format!("there is no right output by the reference {semantics}"));
        let right = reference.as_ref().as_ref().ok_or_else(none)?;
        self.task.write_output(&self.input, right, 0, path).map(drop)
    }
}
