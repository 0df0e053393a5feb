//! Tasks whose inputs can be streamed: frames that come when they are due, and are processed by
//! several processes (`bench stream`).
//!
//! A frame is an input of the task, such as a timeslice or a time frame, that holds a known time of
//! the detector. [`StreamedTask`] is what the author of a task implements; [`OpenLoop`] is the same
//! without types, and implemented for each of them by [`TypedTask`](crate::task::TypedTask).
//!
//! | module | holds |
//! |---|---|
//! | `lent` | bytes of memory that processes share, as arrays |
//! | `typed` | what is made of a [`StreamedTask`] |

mod lent;
mod typed;

use std::io;
use std::path::Path;

use generators_common::DataError;
use portable_gpu::DeviceError;

use crate::algorithm::{
    Algorithm, CheckError, Digest, InputFiles, KINDS, SegmentSums, Segments, Semantics, Work,
};
use crate::axis::{Axis, Params};
use crate::device::{Arena, Backend, Target};
use crate::task::Task;

pub use lent::{Lendable, LentBytes};

/// Description of a task that can be streamed, without any data.
#[derive(Clone, Copy, Debug)]
pub struct OpenLoopInfo {
    /// Recommended variant on a CPU.
    pub on_cpu: &'static str,
    /// Recommended variant on a GPU.
    pub on_gpu: &'static str,
    /// Examples in the help of `bench stream`, a line each; `{task}` stands for the task's name.
    pub examples: &'static str,
    /// Flag whose larger values make frames longer, without dashes.
    pub length_flag: &'static str,
    /// Formats the numbers of items of each kind in a result: "5 clusters, 2 hits".
    pub results: fn([u64; KINDS]) -> String,
    /// File that the result of each frame can be written to.
    pub file: Option<FrameFile>,
    /// Processing after the task, on request.
    pub stage: Option<StageInfo>,
}

impl OpenLoopInfo {
    /// The recommended variant.
    pub fn recommended(&self, backend: Backend) -> &'static str {
        match backend {
            Backend::Cpu => self.on_cpu,
            Backend::Cuda | Backend::Wgpu => self.on_gpu,
        }
    }
}

/// File of the result of a frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameFile {
    /// Flag that specifies the folder, without dashes.
    pub flag: &'static str,
    /// The flag's help.
    pub help: &'static str,
    /// File name ending.
    pub ending: &'static str,
    /// Variants whose results have another format, with the reason.
    pub refused: &'static [(&'static str, &'static str)],
}

/// Processing after the task, such as event building.
#[derive(Clone, Copy, Debug)]
pub struct StageInfo {
    /// Flag that enables it, without dashes.
    pub flag: &'static str,
    /// The flag's help.
    pub help: &'static str,
    /// Heading of this flag and of `axes` in the help.
    pub heading: &'static str,
    /// Its parameters.
    pub axes: &'static [Axis],
    /// Formats the numbers of items of each kind in its result.
    pub results: fn([u64; KINDS]) -> String,
}

/// Frames that complete parameters describe.
#[derive(Clone, Debug, PartialEq)]
pub struct FramePlan {
    /// Parameters of one of the frames.
    pub params: Params,
    /// Number of frames that the complete parameters describe.
    pub frames: u32,
    /// Detector time of a frame, in ns.
    pub frame_ns: u64,
}

/// Memory of a stream, relative to that of a frame which is measured with all variants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamMemory {
    /// Share of a prepared frame, while it is generated and in shared memory.
    pub prepared: f64,
    /// Share of the reference, which processes one frame after the other.
    pub reference: f64,
    /// Share of a worker: its buffers for the largest frame, and its output.
    pub worker: f64,
    /// Bytes of tables of each prepared frame in each process.
    pub table_bytes: u64,
    /// Memory of a frame that is measured with all variants, over the bytes of its input; for
    /// frames of files.
    pub over_input: u64,
}

/// Interaction rates of frames, relative to that of the parameters; `None` for exactly that one.
pub type RelativeRate = Option<f64>;

/// A task whose inputs can be streamed.
pub trait OpenLoop: Task {
    /// Description without any data.
    fn open_loop(&self) -> OpenLoopInfo;
    /// See [`StreamedTask::frame`].
    ///
    /// # Errors
    /// If no data can have these parameters.
    fn frame(&self, params: &Params) -> Result<FramePlan, DataError>;
    /// See [`StreamedTask::stated_frame_ns`].
    ///
    /// # Errors
    /// If the files can't be read.
    fn stated_frame_ns(&self, files: &InputFiles) -> Result<Option<u64>, DataError>;
    /// See [`StreamedTask::stream_memory`].
    fn stream_memory(
        &self,
        params: Option<&Params>,
        variants: &[&str],
        has_stage: bool,
    ) -> StreamMemory;
    /// See [`StreamedTask::check_stage`].
    ///
    /// # Errors
    /// If a value is out of range.
    fn check_stage(&self, stage: &Params) -> Result<(), DataError>;
    /// Generates a frame for each rate, by seeds that follow each other.
    ///
    /// # Errors
    /// If no data can have these parameters.
    fn generate_frames(
        &self,
        plan: &FramePlan,
        rates: &[RelativeRate],
        seed: u64,
    ) -> Result<Box<dyn Frames>, DataError>;
    /// Reads all frames of files.
    ///
    /// # Errors
    /// If the files can't be read, or the options make no sense.
    fn read_frames(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<Box<dyn Frames>, DataError>;
    /// Frames in shared memory, without copies: see [`Frames::describe`] and [`Frames::arrays`].
    ///
    /// # Errors
    /// If the memory does not hold frames of this task.
    fn attach_frames(
        &self,
        description: &[u8],
        arrays: Vec<Vec<LentBytes>>,
    ) -> Result<Box<dyn Frames>, String>;
}

/// Frames of one detector: at least one.
pub trait Frames: Send + Sync {
    /// Work of each frame.
    fn works(&self) -> Vec<Work>;
    /// Semantics of the results of a variant, by its index among those of the task.
    fn semantics(&self, variant: usize) -> Semantics;
    /// Expected result of each frame; with that of the stage if it is enabled by its parameters.
    ///
    /// # Errors
    /// If the stage can't process these frames.
    fn expected(
        &self,
        semantics: Semantics,
        stage: Option<&Params>,
    ) -> Result<Vec<FrameSums>, DataError>;
    /// All that is to be known of the frames in addition to their arrays.
    ///
    /// # Errors
    /// If they can't be streamed together.
    fn describe(&self) -> Result<Vec<u8>, String>;
    /// Arrays of each frame, as bytes.
    fn arrays(&self) -> Vec<Vec<&[u8]>>;
    /// Prepares a variant, by its index among those of the task, on each frame; and the stage if it
    /// is enabled by its parameters. All jobs share the buffers of an arena.
    ///
    /// # Errors
    /// If the variant can't run here or on a frame.
    fn open<'a>(
        &'a self,
        variant: usize,
        stage: Option<&Params>,
        arena: &'a Arena,
        target: &Target<'_>,
    ) -> Result<Vec<Box<dyn FrameJob + 'a>>, String>;
}

/// A variant and the stage after it, ready on a frame.
pub trait FrameJob {
    /// Bytes of the frame's arrays.
    fn input_bytes(&self) -> usize;
    /// Processes the frame, from fresh buffers to the result; `now_ns` is the clock.
    ///
    /// # Errors
    /// Those of GPUs and of plugins.
    fn process(&mut self, now_ns: fn() -> u64) -> Result<ProcessedFrame, DeviceError>;
    /// Sums of all segments of the last result, computed from a copy of the output.
    ///
    /// # Errors
    /// The error that was found in the output.
    fn sums(&mut self) -> Result<FrameSums, CheckError>;
    /// Digest of the last result, computed where it lies if the variant supports that.
    ///
    /// # Errors
    /// The error that was found in the output.
    fn digest(&mut self, segments: Segments) -> Result<FrameDigest, CheckError>;
    /// True if digests of the last result are computed without copying its output.
    ///
    /// # Errors
    /// The error that was found in the output.
    fn has_digest_without_copy(&mut self) -> Result<bool, CheckError>;
    /// Writes the last result to a [`FrameFile`].
    ///
    /// # Errors
    /// If the output is wrong, or the file can't be written.
    fn write(&mut self, path: &Path) -> Result<(), WriteError>;
    /// Releases the buffers for reuse.
    fn release(&mut self);
}

/// Error while the result of a frame is written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An error in the output.
    #[error(transparent)]
    Output(#[from] CheckError),
    /// The file can't be written.
    #[error(transparent)]
    File(#[from] io::Error),
}

/// Duration of a run, on the caller's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessedFrame {
    /// Begin of the task.
    pub begun_ns: u64,
    /// End of the task, or of the stage if it is enabled.
    pub ended_ns: u64,
    /// Result of the stage, if it is enabled.
    pub stage: Option<StageCounts>,
}

/// Size of a stage's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// Number of items of each kind.
    pub counts: [u32; KINDS],
    /// Duration of the stage, in ns.
    pub took_ns: u64,
}

/// Sums of all segments of a frame's result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameSums {
    /// Result of the task.
    pub task: SegmentSums,
    /// Result of the stage, if it is enabled.
    pub stage: Option<SegmentSums>,
}

impl FrameSums {
    /// Digest of some of the segments.
    pub fn digest(&self, segments: Segments) -> FrameDigest {
        FrameDigest {
            task: self.task.digest(segments),
            stage: self.stage.as_ref().map(|stage| stage.digest(segments)),
        }
    }

    /// Largest number of segments of any kind.
    pub fn segments(&self) -> usize {
        let of_stage = self.stage.as_ref().map_or(0, SegmentSums::segments);
        self.task.segments().max(of_stage)
    }
}

/// Digest of a frame's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameDigest {
    /// Digest of the task's result.
    pub task: Digest,
    /// Digest of the stage's result, if it is enabled.
    pub stage: Option<Digest>,
}

/// A task whose inputs can be streamed, with its types: the trait that its author implements. Each
/// input is a frame, and [`Algorithm::reference`] always has an answer.
pub trait StreamedTask: Algorithm {
    /// Processing after the task; [`NoStage`] if there is none.
    type Stage<'a>: FrameStage + 'a;

    /// Description without any data.
    fn open_loop(&self) -> OpenLoopInfo;

    /// The frames that complete parameters describe.
    ///
    /// # Errors
    /// If no data can have these parameters.
    fn frame(&self, params: &Params) -> Result<FramePlan, DataError>;

    /// Generates a frame. The interaction rate is relative to that of the parameters.
    ///
    /// # Errors
    /// If no data can have these parameters.
    fn generate_frame(
        &self,
        plan: &FramePlan,
        rate: RelativeRate,
        seed: u64,
    ) -> Result<Self::Input, DataError>;

    /// The frames of an input that was read from files.
    fn split(&self, input: Self::Input) -> Vec<Self::Input> {
        vec![input]
    }

    /// Detector time of a frame that files state, in ns; `None` if they do not.
    ///
    /// # Errors
    /// If the files can't be read.
    fn stated_frame_ns(&self, _: &InputFiles) -> Result<Option<u64>, DataError> {
        Ok(None)
    }

    /// Memory of a stream with these variants: of generated frames if there are parameters.
    fn stream_memory(
        &self,
        params: Option<&Params>,
        variants: &[&str],
        has_stage: bool,
    ) -> StreamMemory;

    /// All that is to be known of frames in addition to their arrays.
    ///
    /// # Errors
    /// If they can't be streamed together.
    fn describe(&self, frames: &[Self::Input]) -> Result<Vec<u8>, String>;

    /// Arrays of a frame, as bytes.
    fn arrays<'i>(&self, frame: &'i Self::Input) -> Vec<&'i [u8]>;

    /// Frames of their arrays, which are not copied, and of what [`StreamedTask::describe`] has
    /// returned.
    ///
    /// # Errors
    /// If they do not fit together.
    fn attach(
        &self,
        description: &[u8],
        arrays: Vec<Vec<LentBytes>>,
    ) -> Result<Vec<Self::Input>, String>;

    /// Sums of the covered segments of an output, without gaps between them. Outputs that the check
    /// accepts as equal have equal sums.
    fn sums(&self, output: &Self::Output, segments: Segments) -> SegmentSums;

    /// Writes an output to [`OpenLoopInfo::file`].
    ///
    /// # Errors
    /// If the file can't be written, or the output has another format.
    fn write_frame(&self, _: &Self::Output, _: &Path) -> io::Result<()> {
        Err(io::Error::other("results of this task are not written"))
    }

    /// Checks the parameters of the stage.
    ///
    /// # Errors
    /// If a value is out of range.
    fn check_stage(&self, _: &Params) -> Result<(), DataError> {
        Ok(())
    }

    /// Prepares the stage on a frame, for a team of `threads` threads.
    ///
    /// # Errors
    /// If it can't process this frame, or there is no stage.
    fn stage<'a>(
        &self,
        _frame: &'a Self::Input,
        _stage: &Params,
        _arena: &'a Arena,
        _threads: usize,
    ) -> Result<Self::Stage<'a>, DataError> {
        Err(no_stage())
    }

    /// Sums of the expected result of the stage.
    ///
    /// # Errors
    /// As [`StreamedTask::stage`].
    fn expected_of_stage(
        &self,
        _frame: &Self::Input,
        _stage: &Params,
    ) -> Result<SegmentSums, DataError> {
        Err(no_stage())
    }
}

fn no_stage() -> DataError {
    DataError::Shape("this task has no stage after it".to_owned())
}

/// Processing of a frame after the task, by the host.
pub trait FrameStage {
    /// Does the work. Timed.
    fn run(&mut self);
    /// Number of items of each kind in the last result.
    fn counts(&self) -> [u32; KINDS];
    /// Sums of all segments of the last result.
    fn sums(&self) -> SegmentSums;
    /// Digest of some segments of the last result.
    fn digest(&self, segments: Segments) -> Digest;
    /// Releases the buffers for reuse.
    fn release(&mut self);
}

/// The stage of tasks that have none.
#[derive(Clone, Copy, Debug)]
pub enum NoStage {}

impl FrameStage for NoStage {
    fn run(&mut self) {
        match *self {}
    }

    fn counts(&self) -> [u32; KINDS] {
        match *self {}
    }

    fn sums(&self) -> SegmentSums {
        match *self {}
    }

    fn digest(&self, _: Segments) -> Digest {
        match *self {}
    }

    fn release(&mut self) {
        match *self {}
    }
}
