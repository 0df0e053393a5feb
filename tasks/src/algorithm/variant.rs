//! A variant of a task, as data.

use std::sync::Arc;

use portable_gpu::Gpu;

use super::session::{CheckError, Runner, RunnerSession, Session};
use super::{Algorithm, Answers, Content, Judge, Promise, Semantics};
use crate::device::{Arena, Backend, InnerTeams, Target, Unavailable};
use crate::native::Native;
use crate::plugin::PluginVariant;

/// A variant: one implementation of a task on one backend.
pub struct Variant<A: Algorithm> {
    /// The variant's name, unique within task and backend.
    pub name: &'static str,
    /// The variant in one line, with its source.
    pub summary: &'static str,
    /// Backend that it runs on.
    pub backend: Backend,
    /// True if it keeps the order of equal items.
    pub stable: bool,
    /// Content that it keeps of each item.
    pub content: Content,
    /// Semantics that it supports, each with its own reference.
    pub semantics_supported: &'static [Semantics],
    /// Semantics of its output for an input: one of the supported ones.
    pub semantics: fn(&A::Input) -> Semantics,
    /// Maximum number of outer threads of a nested team; `None` if nested teams are not supported.
    pub nested: Option<usize>,
    /// Native variant that it is compared with to measure the cost of a portability layer; `None`
    /// if it is native.
    pub native: Option<Native>,
    /// Variant of a plugin; `None` for built-in variants.
    pub plugin: Option<PluginVariant>,
    /// Prepares it for an input.
    pub prepare: Prepare<A>,
}

/// Prepares a variant for an input.
pub type Prepare<A> = for<'a> fn(&VariantContext<'a, '_, A>) -> PrepareResult<'a, A>;

/// A prepared variant, or the reason why it can't run here or on this input.
pub type PrepareResult<'a, A> = Result<Box<dyn Session<A> + 'a>, Unavailable>;

/// Context in which a variant is prepared.
pub struct VariantContext<'a, 'o, A: Algorithm> {
    /// The task.
    pub task: &'a A,
    /// The variant itself.
    pub variant: Variant<A>,
    /// The input.
    pub input: &'a A::Input,
    /// Right answers that the variants of the input share, if its outputs are checked.
    pub answers: Option<&'a Answers<A>>,
    /// Pool of buffers that the variants of an input share.
    pub arena: &'a Arena,
    /// Device and threads.
    pub target: &'o Target<'o>,
}

/// Description of kernels that are written as shaders.
pub const SHADERS: &str = "shaders";

impl<A: Algorithm> Clone for Variant<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Algorithm> Copy for Variant<A> {}

impl<A: Algorithm> Variant<A> {
    /// A CPU variant with exact semantics that keeps the order of equal items and all content.
    pub const fn cpu(name: &'static str, summary: &'static str, prepare: Prepare<A>) -> Self {
        Self::on(Backend::Cpu, name, summary, prepare)
    }

    /// A CUDA variant with exact semantics that keeps the order of equal items and all content.
    pub const fn cuda(name: &'static str, summary: &'static str, prepare: Prepare<A>) -> Self {
        Self::on(Backend::Cuda, name, summary, prepare)
    }

    /// A variant on a backend, with exact semantics that keeps the order of equal items and all
    /// content.
    pub const fn on(
        backend: Backend,
        name: &'static str,
        summary: &'static str,
        prepare: Prepare<A>,
    ) -> Self {
        Variant {
            name,
            summary,
            backend,
            stable: true,
            content: Content::Whole,
            semantics_supported: &[Semantics::Exact],
            semantics: |_| Semantics::Exact,
            nested: None,
            native: None,
            plugin: None,
            prepare,
        }
    }

    /// Its kernels as shaders, for GPUs of any make.
    pub const fn as_shaders(self) -> Self {
        let native = Native { variant: self.name, written_as: SHADERS, differs: "" };
        Variant { backend: Backend::Wgpu, native: Some(native), ..self }
    }

    /// Sets the native variant that it is compared with, if that has another name.
    pub const fn compared_with(self, variant: &'static str) -> Self {
        match self.native {
            Some(native) => Variant { native: Some(Native { variant, ..native }), ..self },
            None => self,
        }
    }

    /// Sets the description of functions that the native variant has and this one does not.
    pub const fn differing(self, differs: &'static str) -> Self {
        match self.native {
            Some(native) => Variant { native: Some(Native { differs, ..native }), ..self },
            None => self,
        }
    }

    /// Sets the summary.
    pub const fn summary(self, summary: &'static str) -> Self {
        Variant { summary, ..self }
    }

    /// Supports nested teams of at most `max_outer` outer threads.
    pub const fn nested(self, max_outer: usize) -> Self {
        Variant { nested: Some(max_outer), ..self }
    }

    /// Does not keep the order of equal items.
    pub const fn unstable(self) -> Self {
        Variant { stable: false, ..self }
    }

    /// Keeps the order of equal items.
    pub const fn in_order(self) -> Self {
        Variant { stable: true, ..self }
    }

    /// Has the published semantics only.
    pub const fn by_published_rules(self) -> Self {
        self.with_semantics(&[Semantics::Published], |_| Semantics::Published)
    }

    /// Sets the supported semantics, and those of its output for an input.
    pub const fn with_semantics(
        self,
        supported: &'static [Semantics],
        semantics: fn(&A::Input) -> Semantics,
    ) -> Self {
        Variant { semantics_supported: supported, semantics, ..self }
    }
}

impl<A: Algorithm> Variant<A> {
    /// Promise about its output for an input.
    pub fn promise(&self, input: &A::Input) -> Promise {
        Promise { stable: self.stable, content: self.content, semantics: (self.semantics)(input) }
    }

    /// Runs once on an input, with separate buffers that were poisoned before, and returns the
    /// output.
    ///
    /// # Errors
    /// If it can't run there, or fails.
    pub fn output(
        &self,
        task: &A,
        input: &A::Input,
        target: &Target<'_>,
    ) -> Result<A::Output, CheckError> {
        let arena = Arena::default();
        let mut session = (self.prepare)(&VariantContext {
            task,
            variant: *self,
            input,
            answers: None,
            arena: &arena,
            target,
        })?;
        target.team.run(|| {
            session.reset()?;
            session.poison()?;
            session.run()
        })?;
        session.inspect()?;
        let output = session.output().ok_or("there was no run")?;
        Ok(output.into_owned())
    }

    /// Runs once on an input and checks the output; returns it if it is right.
    ///
    /// # Errors
    /// If it can't run there, fails, or its output is wrong.
    pub fn checked_output(
        &self,
        task: &A,
        input: &A::Input,
        target: &Target<'_>,
        reference: Option<&A::Output>,
    ) -> Result<A::Output, CheckError> {
        let output = self.output(task, input, target)?;
        task.check(input, reference, &output, self.promise(input))?;
        Ok(output)
    }
}

impl<'a, A: Algorithm> VariantContext<'a, '_, A> {
    /// Threads of the team.
    pub fn threads(&self) -> usize {
        self.target.team.threads()
    }

    /// The inner teams, if the team is nested.
    pub fn inner_teams(&self) -> Option<Arc<InnerTeams>> {
        self.target.team.inner()
    }

    /// Returns the GPU, for variants that have kernels.
    pub fn gpu(&self) -> Result<Arc<Gpu>, Unavailable> {
        self.target.required_gpu()
    }

    /// Prepares a runner for the target.
    pub fn session<R: Runner<A> + 'a>(&self, runner: R) -> PrepareResult<'a, A> {
        let judge = Judge {
            task: self.task,
            input: self.input,
            answers: self.answers,
            promise: self.variant.promise(self.input),
        };
        Ok(Box::new(RunnerSession::new(runner, self.target.gpu.clone(), judge)))
    }
}
