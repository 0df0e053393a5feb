//! A variant that is prepared for an input.

use std::borrow::Cow;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use generators_common::DataError;
use portable_gpu::timing::Stages;
use portable_gpu::{DeviceError, Gpu};
use text::Untrusted;

use super::{Algorithm, Digest, InputState, Judge, Metric, Quality, Segments, Work};
use crate::device::Buffers;

/// Error found in an output.
pub type CheckError = Box<dyn Error + Send + Sync>;

/// A variant that is ready to be checked and measured, whatever its task.
///
/// Buffers are held from [`Candidate::reset`] to [`Candidate::release`] only, because all variants
/// of a point share them. CPU variants do not fail; the errors are those of GPUs and of plugins.
pub trait Candidate: Send {
    /// Takes buffers and provides fresh input. Not timed.
    fn reset(&mut self) -> Result<(), DeviceError>;
    /// Overwrites every buffer that is not input, so that a check can't see the right output of an
    /// earlier run.
    fn poison(&mut self) -> Result<(), DeviceError>;
    /// Does the work. Timed.
    fn run(&mut self) -> Result<(), DeviceError>;
    /// Returns the stages of the last run, if they are known. Not timed. On a GPU these are the
    /// stages since [`Gpu::start_timeline`], which must be called before the run.
    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(Stages::new())
    }
    /// Returns the time of the last run in seconds as the candidate knows it, which counts instead of
    /// that of a clock around [`Candidate::run`]; `None` if it knows none. Not timed.
    fn own_seconds(&mut self) -> Result<Option<f64>, DeviceError> {
        Ok(None)
    }
    /// Computes the right answer that its output is compared with, unless it is known already, so
    /// that this time is not attributed to the check.
    fn find_reference(&self) {}
    /// Checks the output of the last run.
    ///
    /// # Errors
    /// The first error that is found.
    fn check(&mut self) -> Result<(), CheckError>;
    /// Remarks on the variant's figures for readers, once the output was checked.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// State of the data at the start of runs, if it differs between variants of the task.
    fn given(&self) -> InputState {
        InputState::default()
    }
    /// Further metrics, from runs that are made to measure them. Called after the output was
    /// checked and the buffers were released, and leaves them released.
    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        Ok(Vec::new())
    }
    /// Work of a run that does a sample only, because all of the work would take too long; its
    /// times are then not comparable with others of the task. `None` if a run does all of the work.
    fn sample(&self) -> Option<Work> {
        None
    }
    /// Quality of the output that was checked last; see [`Algorithm::quality`].
    fn quality(&self) -> Vec<Quality> {
        Vec::new()
    }
    /// Writes the output of the last run; see [`Algorithm::write_output`].
    ///
    /// # Errors
    /// If the file can't be written; it is then as it was.
    fn write_output(&mut self, _file: usize, path: &Path) -> Result<usize, DataError> {
        Err(DataError::Shape(format!("{}: this output is in no file", path.escaped())))
    }
    /// Releases the buffers.
    fn release(&mut self);
    /// Bytes of all buffers that the variant holds during a run, including the input. Allocations
    /// during a run are measured separately.
    fn buffer_bytes(&self) -> u64;
}

/// A candidate whose output can be read.
pub trait Session<A: Algorithm>: Candidate {
    /// Checks for errors of the last run that its output does not show. Not timed; called when the
    /// output is checked.
    ///
    /// # Errors
    /// The error that was found.
    fn inspect(&mut self) -> Result<(), CheckError>;
    /// Returns the digest of the last run's output, computed where that lies; `None` if the output
    /// has to be copied for it. Not timed.
    ///
    /// # Errors
    /// The error that was found.
    fn digest(&mut self, segments: Segments) -> Result<Option<Digest>, CheckError>;
    /// Returns the output of the last run, after [`Session::inspect`], which may copy it; `None` if
    /// no buffers are held.
    fn output(&self) -> Option<Cow<'_, A::Output>>;
}

/// Interface that the author of a variant implements: its buffers, and the operations on them. The
/// errors are those of a [`Candidate`].
pub trait Runner<A: Algorithm>: Send {
    /// Buffers of a run.
    type Buffers: Buffers;

    /// Allocates buffers, with arbitrary contents. Not timed.
    fn allocate(&self) -> Result<Self::Buffers, DeviceError>;

    /// Provides fresh input, if runs change it. Not timed.
    fn load(&mut self, _: &mut Self::Buffers) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Overwrites buffers, and provides fresh input again. Not timed.
    fn poison(&mut self, buffers: &mut Self::Buffers) -> Result<(), DeviceError> {
        buffers.poison()?;
        self.load(buffers)
    }

    /// Does the work; each decision that depends on the input is made here. On a GPU the work may
    /// be asynchronous: it is awaited before the timer stops, and before an error is returned.
    fn run(&mut self, buffers: &mut Self::Buffers) -> Result<(), DeviceError>;

    /// Returns the stages of the last run on the host; those of a GPU are recorded automatically.
    fn stages(&self, _: &Self::Buffers) -> Stages {
        Stages::new()
    }

    /// See [`Session::inspect`].
    fn inspect(&mut self, _: &mut Self::Buffers) -> Result<(), CheckError> {
        Ok(())
    }

    /// See [`Candidate::remarks`].
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// See [`Candidate::given`].
    fn given(&self) -> InputState {
        InputState::default()
    }

    /// True if there are further metrics; if not, no buffers are allocated for them.
    fn has_figures(&self) -> bool {
        false
    }

    /// See [`Candidate::figures`]; called with buffers.
    fn figures(&mut self, _: &mut Self::Buffers) -> Result<Vec<Metric>, DeviceError> {
        Ok(Vec::new())
    }

    /// See [`Candidate::sample`].
    fn sample(&self) -> Option<Work> {
        None
    }

    /// See [`Session::digest`].
    fn digest(&mut self, _: &mut Self::Buffers, _: Segments) -> Result<Option<Digest>, CheckError> {
        Ok(None)
    }

    /// Returns the output of the last run.
    fn output<'b>(&'b self, buffers: &'b Self::Buffers) -> Cow<'b, A::Output>;

    /// Releases the buffers, and notes how the next ones should be allocated.
    fn release(&mut self, _: Self::Buffers) {}

    /// Bytes in addition to the buffers: of the input if a run reads it on the host directly, and
    /// of data that is kept between runs on a GPU.
    fn input_bytes(&self) -> u64 {
        0
    }
}

/// A runner with its buffers.
pub struct RunnerSession<'a, A: Algorithm, R: Runner<A>> {
    runner: R,
    buffers: Option<R::Buffers>,
    /// Bytes of the buffers that were allocated last.
    allocated_bytes: u64,
    gpu: Option<Arc<Gpu>>,
    judge: Judge<'a, A>,
    /// Quality of the output that was checked last.
    quality: Vec<Quality>,
}

impl<'a, A: Algorithm, R: Runner<A>> RunnerSession<'a, A, R> {
    /// A session without buffers yet; `gpu` is the device of the runner.
    pub fn new(runner: R, gpu: Option<Arc<Gpu>>, judge: Judge<'a, A>) -> Self {
        RunnerSession { runner, buffers: None, allocated_bytes: 0, gpu, judge, quality: Vec::new() }
    }

    /// Bytes of the buffers: the larger of the allocated size and the size after runs that had to
    /// enlarge them.
    fn max_bytes(&self) -> u64 {
        self.allocated_bytes.max(self.buffers.as_ref().map_or(0, R::Buffers::bytes))
    }

    /// Calls `work` with the runner and its buffers, and waits for its GPU work, also if it fails:
    /// the buffers are reused by others, and later copies would overwrite their data.
    fn with_buffers<T>(
        &mut self,
        work: impl FnOnce(&mut R, &mut R::Buffers) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        let buffers = match &mut self.buffers {
            Some(buffers) => buffers,
            empty => {
                let buffers = self.runner.allocate()?;
                self.allocated_bytes = buffers.bytes();
                empty.insert(buffers)
            }
        };
        let worked = work(&mut self.runner, buffers);
        let finished = self.gpu.as_ref().map_or(Ok(()), |gpu| gpu.finish());
        let worked = worked?;
        finished.map(|()| worked)
    }
}

impl<A: Algorithm, R: Runner<A>> Candidate for RunnerSession<'_, A, R> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.with_buffers(R::load)
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.with_buffers(R::poison)
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.with_buffers(R::run)
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        let buffers = self.buffers.as_ref();
        let mut stages = buffers.map_or_else(Stages::new, |buffers| self.runner.stages(buffers));
        if let Some(gpu) = &self.gpu {
            stages.extend(gpu.stages()?);
        }
        Ok(stages)
    }

    fn find_reference(&self) {
        self.judge.find_reference();
    }

    fn check(&mut self) -> Result<(), CheckError> {
        self.inspect()?;
        let output = self.output().ok_or("there was no run")?;
        self.judge.check(&output)?;
        self.quality = self.judge.quality(&output);
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        [self.runner.remarks(), self.judge.remarks()].concat()
    }

    fn given(&self) -> InputState {
        self.runner.given()
    }

    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        if !self.runner.has_figures() {
            return Ok(Vec::new());
        }
        let figures = self.with_buffers(R::figures);
        self.release();
        figures
    }

    fn sample(&self) -> Option<Work> {
        self.runner.sample()
    }

    fn quality(&self) -> Vec<Quality> {
        self.quality.clone()
    }

    fn write_output(&mut self, file: usize, path: &Path) -> Result<usize, DataError> {
        let no_run = || DataError::Shape("there was no run whose output can be written".to_owned());
        let output = self.output().ok_or_else(no_run)?;
        self.judge.write_output(&output, file, path)
    }

    fn release(&mut self) {
        self.allocated_bytes = self.max_bytes();
        if let Some(buffers) = self.buffers.take() {
            self.runner.release(buffers);
        }
    }

    fn buffer_bytes(&self) -> u64 {
        self.max_bytes() + self.runner.input_bytes()
    }
}

impl<A: Algorithm, R: Runner<A>> Session<A> for RunnerSession<'_, A, R> {
    fn inspect(&mut self) -> Result<(), CheckError> {
        let buffers = self.buffers.as_mut();
        buffers.map_or(Ok(()), |buffers| self.runner.inspect(buffers))
    }

    fn digest(&mut self, segments: Segments) -> Result<Option<Digest>, CheckError> {
        let buffers = self.buffers.as_mut();
        buffers.map_or(Ok(None), |buffers| self.runner.digest(buffers, segments))
    }

    fn output(&self) -> Option<Cow<'_, A::Output>> {
        let buffers = self.buffers.as_ref()?;
        Some(self.runner.output(buffers))
    }
}
