//! A variant: one way to do a task, as data.

use std::sync::Arc;

use super::session::{Damage, Runner, RunnerSession, Session};
use super::{Algorithm, Content, Promise, Semantics};
use crate::device::gpu::Gpu;
use crate::device::{Arena, Backend, InnerTeams, Target, Unavailable};
use crate::plugin::PluginVariant;

/// One way to do it, on one backend.
pub struct Variant<A: Algorithm> {
    /// The variant's name, unique within task and backend.
    pub name: &'static str,
    /// The variant in one line, with its source.
    pub summary: &'static str,
    /// Where it runs.
    pub backend: Backend,
    /// Whether it keeps the order of equals.
    pub stable: bool,
    /// What it keeps of each item.
    pub content: Content,
    /// The right answers that it knows, each with a reference of its own.
    pub semantics_supported: &'static [Semantics],
    /// Which right answer it gives to an input: one of those that it knows.
    pub semantics: fn(&A::Input) -> Semantics,
    /// If it can have teams within a team: how many threads the outer one can use.
    pub nested: Option<usize>,
    /// What it is compared with to see what it costs not to be native; `None` if it is native.
    pub native: Option<Native>,
    /// What it is in a plugin; `None` if `bench` has it itself.
    pub(crate) plugin: Option<PluginVariant>,
    /// Gets it ready to run on an input.
    pub open: Open<A>,
}

/// The CUDA variant that does the same, step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    /// Its name.
    pub variant: &'static str,
    /// What is written otherwise: `shaders`, or what a layer over CUDA has in the place of
    /// something native.
    pub written_as: &'static str,
    /// What else differs, and why; empty if nothing does.
    pub differs: &'static str,
}

/// Gets a variant ready to run on an input.
pub type Open<A> = for<'a> fn(&Opening<'a, '_, A>) -> Opened<'a, A>;

/// A variant that is ready, or why it can't run here or not on such an input.
pub type Opened<'a, A> = Result<Box<dyn Session<A> + 'a>, Unavailable>;

/// What a variant is got ready for.
pub struct Opening<'a, 'o, A: Algorithm> {
    /// The task.
    pub task: &'a A,
    /// The variant itself.
    pub variant: Variant<A>,
    /// The input.
    pub input: &'a A::Input,
    /// Where the variants of an input take their buffers from.
    pub arena: &'a Arena,
    /// Where to run.
    pub target: &'o Target<'o>,
}

/// How kernels for GPUs of any make are written.
pub const SHADERS: &str = "shaders";

impl<A: Algorithm> Clone for Variant<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Algorithm> Copy for Variant<A> {}

impl<A: Algorithm> Variant<A> {
    /// A variant for the host: with one right answer, and all that it promises otherwise.
    pub const fn cpu(name: &'static str, summary: &'static str, open: Open<A>) -> Self {
        Self::on(Backend::Cpu, name, summary, open)
    }

    /// The same for GPUs.
    pub const fn cuda(name: &'static str, summary: &'static str, open: Open<A>) -> Self {
        Self::on(Backend::Cuda, name, summary, open)
    }

    pub(crate) const fn on(
        backend: Backend,
        name: &'static str,
        summary: &'static str,
        open: Open<A>,
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
            open,
        }
    }

    /// The same kernels as shaders, for GPUs of any make.
    pub(crate) const fn as_shaders(self) -> Self {
        let native = Native { variant: self.name, written_as: SHADERS, differs: "" };
        Variant { backend: Backend::Wgpu, native: Some(native), ..self }
    }

    /// One that is compared with a native variant of another name than its own.
    pub(crate) const fn beside(self, variant: &'static str) -> Self {
        match self.native {
            Some(native) => Variant { native: Some(Native { variant, ..native }), ..self },
            None => self,
        }
    }

    /// One that can't do all as the native variant does.
    pub(crate) const fn differing(self, differs: &'static str) -> Self {
        match self.native {
            Some(native) => Variant { native: Some(Native { differs, ..native }), ..self },
            None => self,
        }
    }

    /// The same with such a summary.
    pub const fn summary(self, summary: &'static str) -> Self {
        Variant { summary, ..self }
    }

    /// One that can have teams within a team of so many threads at most.
    pub const fn nested(self, most_outer: usize) -> Self {
        Variant { nested: Some(most_outer), ..self }
    }

    /// One that may order equals as it likes.
    pub const fn unstable(self) -> Self {
        Variant { stable: false, ..self }
    }

    /// One that keeps the order of equals.
    pub const fn in_order(self) -> Self {
        Variant { stable: true, ..self }
    }

    /// One that follows the rules of the experiment, and knows no others.
    pub(crate) const fn by_published_rules(self) -> Self {
        self.with_semantics(&[Semantics::Published], |_| Semantics::Published)
    }

    /// One that knows these right answers, and which of them an input wants.
    pub const fn with_semantics(
        self,
        supported: &'static [Semantics],
        semantics: fn(&A::Input) -> Semantics,
    ) -> Self {
        Variant { semantics_supported: supported, semantics, ..self }
    }
}

impl<A: Algorithm> Variant<A> {
    /// What it promises of its output for an input.
    pub fn promise(&self, input: &A::Input) -> Promise {
        Promise { stable: self.stable, content: self.content, semantics: (self.semantics)(input) }
    }

    /// What one run makes of an input, in buffers of its own that were overwritten before.
    ///
    /// # Errors
    /// If it can't run there, or what went wrong.
    pub fn output(
        &self,
        task: &A,
        input: &A::Input,
        target: &Target<'_>,
    ) -> Result<A::Output, Damage> {
        let arena = Arena::default();
        let mut session =
            (self.open)(&Opening { task, variant: *self, input, arena: &arena, target })?;
        target.team.run(|| {
            session.reset()?;
            session.poison()?;
            session.run()
        })?;
        session.inspect()?;
        let output = session.output().ok_or("there was no run")?;
        Ok(output.into_owned())
    }

    /// The same, once it is found to be the reference's.
    ///
    /// # Errors
    /// As above, or what is wrong.
    pub fn checked_output(
        &self,
        task: &A,
        input: &A::Input,
        target: &Target<'_>,
        reference: Option<&A::Output>,
    ) -> Result<A::Output, Damage> {
        let output = self.output(task, input, target)?;
        task.check(input, reference, &output, self.promise(input))?;
        Ok(output)
    }
}

impl<'a, A: Algorithm> Opening<'a, '_, A> {
    /// The threads of the team.
    pub fn threads(&self) -> usize {
        self.target.team.threads()
    }

    /// The teams within the team, if there are any.
    pub(crate) fn inner_teams(&self) -> Option<Arc<InnerTeams>> {
        self.target.team.inner()
    }

    /// The GPU, for variants that are kernels.
    ///
    /// # Errors
    /// If the target is none.
    pub(crate) fn gpu(&self) -> Result<Arc<Gpu>, Unavailable> {
        self.target.required_gpu()
    }

    /// A runner, ready to run here.
    ///
    /// # Errors
    /// None: so that a variant may end with it.
    pub(crate) fn session<R: Runner<A> + 'a>(&self, runner: R) -> Opened<'a, A> {
        Ok(Box::new(RunnerSession::new(runner, self.target.gpu.clone())))
    }
}
