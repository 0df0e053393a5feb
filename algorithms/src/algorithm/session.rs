//! A variant that is ready to run on one input.

use std::borrow::Cow;
use std::error::Error;
use std::marker::PhantomData;
use std::sync::Arc;

use super::{Algorithm, Digest, Given, Metric, Segments, Work};
use crate::device::Buffers;
use crate::device::gpu::{DeviceError, Gpu};
use crate::timing::Stages;

/// What is found when an output is looked at.
pub type Damage = Box<dyn Error + Send + Sync>;

/// A variant that is ready to run on one input.
///
/// Buffers are held from [`Session::reset`] to [`Session::release`] only, for all variants of
/// a point take turns with the same ones. Nothing goes wrong on the host; the errors are those
/// of GPUs and of plugins.
pub trait Session<A: Algorithm>: Send {
    /// Takes buffers and provides fresh input. Not timed.
    fn reset(&mut self) -> Result<(), DeviceError>;
    /// Overwrites every buffer that is not input, so that a check can't see
    /// the right output of an earlier run.
    fn poison(&mut self) -> Result<(), DeviceError>;
    /// Does the work. This is what is timed.
    fn run(&mut self) -> Result<(), DeviceError>;
    /// The stages of the last run, where they are known. Not timed. On a GPU
    /// those since [`Gpu::start_timeline`]: who wants to know calls that before a run.
    fn stages(&mut self) -> Result<Stages, DeviceError>;
    /// Damage that the last run did and that its output does not show. Not timed;
    /// asked for when the output is checked.
    ///
    /// # Errors
    /// What is damaged.
    fn inspect(&mut self) -> Result<(), Damage> {
        Ok(())
    }
    /// What a reader should know of its figures, once the output was checked.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// What runs are given, where variants of the task are given different things.
    fn given(&self) -> Given {
        Given::default()
    }
    /// Further figures, of runs that are made to find them. Asked for once the output was
    /// checked and the buffers were given back, and leaves it so.
    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        Ok(Vec::new())
    }
    /// What a run does, if that is a sample of the work, as all of it would take too long;
    /// its times are no times of the task then. `None` if it does all.
    fn sample(&self) -> Option<Work> {
        None
    }
    /// The digest of the last run's output, found where that lies; `None` if the output has to be
    /// copied for it. Not timed.
    ///
    /// # Errors
    /// What is damaged.
    fn digest(&mut self, _: Segments) -> Result<Option<Digest>, Damage> {
        Ok(None)
    }
    /// The output of the last run, after [`Session::inspect`], which may fetch it; `None`
    /// without buffers.
    fn output(&self) -> Option<Cow<'_, A::Output>>;
    /// Gives the buffers back.
    fn release(&mut self);
    /// Bytes of all buffers that the variant holds during a run, the input
    /// included. What it allocates while running is measured, not asked.
    fn buffer_bytes(&self) -> u64;
}

/// What the author of a variant writes: which buffers there are, and what is done to them. The
/// errors are those of a [`Session`].
pub(crate) trait Runner<A: Algorithm>: Send {
    /// What is held during a run.
    type Buffers: Buffers;

    /// Takes buffers, with any content. Not timed.
    fn allocate(&self) -> Result<Self::Buffers, DeviceError>;

    /// Provides fresh input, if runs change it. Not timed.
    fn load(&mut self, _: &mut Self::Buffers) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Does the work; each choice that depends on the input is made here. On a GPU it is
    /// started: what it started is waited for before the clock stops, and before an error is
    /// told.
    fn run(&mut self, buffers: &mut Self::Buffers) -> Result<(), DeviceError>;

    /// The stages of the last run on the host; those of a GPU are known.
    fn stages(&self, _: &Self::Buffers) -> Stages {
        Stages::new()
    }

    /// See [`Session::inspect`].
    ///
    /// # Errors
    /// What is damaged.
    fn inspect(&mut self, _: &mut Self::Buffers) -> Result<(), Damage> {
        Ok(())
    }

    /// See [`Session::remarks`].
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// See [`Session::given`].
    fn given(&self) -> Given {
        Given::default()
    }

    /// Whether it has further figures: if not, it gets no buffers to find them.
    const HAS_FIGURES: bool = false;

    /// See [`Session::figures`]; with buffers.
    fn figures(&mut self, _: &mut Self::Buffers) -> Result<Vec<Metric>, DeviceError> {
        Ok(Vec::new())
    }

    /// See [`Session::sample`].
    fn sample(&self) -> Option<Work> {
        None
    }

    /// See [`Session::digest`].
    ///
    /// # Errors
    /// What is damaged.
    fn digest(&mut self, _: &mut Self::Buffers, _: Segments) -> Result<Option<Digest>, Damage> {
        Ok(None)
    }

    /// The output of the last run.
    fn output<'b>(&'b self, buffers: &'b Self::Buffers) -> Cow<'b, A::Output>;

    /// Told of the buffers before they go back: what the next ones should be like.
    fn note(&mut self, _: &Self::Buffers) {}

    /// Bytes beside the buffers: of the input where a run reads it where it is, on the host,
    /// and of what is kept between runs on a GPU.
    fn input_bytes(&self) -> u64 {
        0
    }
}

/// A runner with its buffers.
pub(super) struct RunnerSession<A: Algorithm, R: Runner<A>> {
    runner: R,
    held: Option<R::Buffers>,
    /// What was held last, in bytes.
    held_bytes: u64,
    gpu: Option<Arc<Gpu>>,
    task: PhantomData<fn() -> A>,
}

impl<A: Algorithm, R: Runner<A>> RunnerSession<A, R> {
    pub(super) fn new(runner: R, gpu: Option<Arc<Gpu>>) -> Self {
        RunnerSession { runner, held: None, held_bytes: 0, gpu, task: PhantomData }
    }

    /// What was taken, and what was taken more in a run that found it too little.
    fn most_bytes(&self) -> u64 {
        self.held_bytes.max(self.held.as_ref().map_or(0, R::Buffers::bytes))
    }

    /// Does something with the runner and its buffers, and waits for what it has started on a
    /// GPU, also if it fails: buffers go to others, and copies that come later would overwrite
    /// what is theirs then.
    fn with_buffers<T>(
        &mut self,
        work: impl FnOnce(&mut R, &mut R::Buffers) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        let held = match &mut self.held {
            Some(held) => held,
            empty => {
                let held = self.runner.allocate()?;
                self.held_bytes = held.bytes();
                empty.insert(held)
            }
        };
        let worked = work(&mut self.runner, held);
        let finished = self.gpu.as_ref().map_or(Ok(()), |gpu| gpu.finish());
        let worked = worked?;
        finished.map(|()| worked)
    }
}

impl<A: Algorithm, R: Runner<A>> Session<A> for RunnerSession<A, R> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.with_buffers(R::load)
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.with_buffers(|runner, held| {
            held.poison()?;
            runner.load(held)
        })
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.with_buffers(R::run)
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        let held = self.held.as_ref();
        let mut stages = held.map_or_else(Stages::new, |held| self.runner.stages(held));
        if let Some(gpu) = &self.gpu {
            stages.extend(gpu.stages()?);
        }
        Ok(stages)
    }

    fn inspect(&mut self) -> Result<(), Damage> {
        let held = self.held.as_mut();
        held.map_or(Ok(()), |held| self.runner.inspect(held))
    }

    fn remarks(&self) -> Vec<String> {
        self.runner.remarks()
    }

    fn given(&self) -> Given {
        self.runner.given()
    }

    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        if !R::HAS_FIGURES {
            return Ok(Vec::new());
        }
        let figures = self.with_buffers(R::figures);
        self.release();
        figures
    }

    fn sample(&self) -> Option<Work> {
        self.runner.sample()
    }

    fn digest(&mut self, segments: Segments) -> Result<Option<Digest>, Damage> {
        let held = self.held.as_mut();
        held.map_or(Ok(None), |held| self.runner.digest(held, segments))
    }

    fn output(&self) -> Option<Cow<'_, A::Output>> {
        let held = self.held.as_ref()?;
        Some(self.runner.output(held))
    }

    fn release(&mut self) {
        self.held_bytes = self.most_bytes();
        if let Some(held) = self.held.take() {
            self.runner.note(&held);
        }
    }

    fn buffer_bytes(&self) -> u64 {
        self.most_bytes() + self.runner.input_bytes()
    }
}
