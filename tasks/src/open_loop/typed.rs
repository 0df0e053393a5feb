//! Wraps a streamed task, with its types, as one without.

use std::path::Path;

use generators_common::DataError;
use portable_gpu::DeviceError;

use super::{
    FrameDigest, FrameJob, FramePlan, FrameStage, FrameSums, Frames, LentBytes, OpenLoop,
    OpenLoopInfo, ProcessedFrame, RelativeRate, StageCounts, StreamMemory, StreamedTask,
    WriteError,
};
use crate::algorithm::{
    CheckError, InputFiles, SegmentSums, Segments, Semantics, Session, VariantContext, Work,
};
use crate::axis::Params;
use crate::device::{Arena, Target};
use crate::task::TypedTask;

impl<A: StreamedTask> OpenLoop for TypedTask<A> {
    fn open_loop(&self) -> OpenLoopInfo {
        self.0.open_loop()
    }

    fn frame(&self, params: &Params) -> Result<FramePlan, DataError> {
        self.0.frame(params)
    }

    fn stated_frame_ns(&self, files: &InputFiles) -> Result<Option<u64>, DataError> {
        self.0.stated_frame_ns(files)
    }

    fn stream_memory(
        &self,
        params: Option<&Params>,
        variants: &[&str],
        has_stage: bool,
    ) -> StreamMemory {
        self.0.stream_memory(params, variants, has_stage)
    }

    fn check_stage(&self, stage: &Params) -> Result<(), DataError> {
        self.0.check_stage(stage)
    }

    fn generate_frames(
        &self,
        plan: &FramePlan,
        rates: &[RelativeRate],
        seed: u64,
    ) -> Result<Box<dyn Frames>, DataError> {
        let frame = |(rate, seed): (&RelativeRate, u64)| self.0.generate_frame(plan, *rate, seed);
        let seeds = (0..).map(|number: u64| seed.wrapping_add(number));
        let frames = rates.iter().zip(seeds).map(frame).collect::<Result<_, _>>()?;
        Ok(Box::new(TypedFrames { task: self.0, frames }))
    }

    fn read_frames(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<Box<dyn Frames>, DataError> {
        let (input, _) = self.0.read(files, options)?;
        Ok(Box::new(TypedFrames { task: self.0, frames: self.0.split(input) }))
    }

    fn attach_frames(
        &self,
        description: &[u8],
        arrays: Vec<Vec<LentBytes>>,
    ) -> Result<Box<dyn Frames>, String> {
        let frames = self.0.attach(description, arrays)?;
        Ok(Box::new(TypedFrames { task: self.0, frames }))
    }
}

struct TypedFrames<A: StreamedTask> {
    task: A,
    frames: Vec<A::Input>,
}

impl<A: StreamedTask> Frames for TypedFrames<A> {
    fn works(&self) -> Vec<Work> {
        self.frames.iter().map(|frame| self.task.work(frame)).collect()
    }

    fn semantics(&self, variant: usize) -> Semantics {
        let variants = self.task.variants();
        let of_variant = variants.get(variant).zip(self.frames.first());
        of_variant.map_or_else(Semantics::default, |(variant, frame)| (variant.semantics)(frame))
    }

    fn expected(
        &self,
        semantics: Semantics,
        stage: Option<&Params>,
    ) -> Result<Vec<FrameSums>, DataError> {
        let expected = |frame: &A::Input| {
            let right = self.task.reference(frame, semantics);
            let right = right.expect("streamed tasks have references");
            let stage = stage.map(|params| self.task.expected_of_stage(frame, params));
            let task = self.task.sums(&right, Segments::ALL);
            Ok(FrameSums { task, stage: stage.transpose()? })
        };
        self.frames.iter().map(expected).collect()
    }

    fn describe(&self) -> Result<Vec<u8>, String> {
        self.task.describe(&self.frames)
    }

    fn arrays(&self) -> Vec<Vec<&[u8]>> {
        self.frames.iter().map(|frame| self.task.arrays(frame)).collect()
    }

    fn open<'a>(
        &'a self,
        variant: usize,
        stage: Option<&Params>,
        arena: &'a Arena,
        target: &Target<'_>,
    ) -> Result<Vec<Box<dyn FrameJob + 'a>>, String> {
        let variants = self.task.variants();
        let variant = *variants.get(variant).ok_or("there is no such variant")?;
        let threads = target.team.threads();
        let open = |input: &'a A::Input| {
            let task = &self.task;
            let context = VariantContext { task, variant, input, answers: None, arena, target };
            let session = (variant.prepare)(&context).map_err(|error| error.to_string())?;
            let stage = stage.map(|params| self.task.stage(input, params, arena, threads));
            let stage = stage.transpose().map_err(|error| error.to_string())?;
            let input_bytes = self.task.arrays(input).iter().map(|bytes| bytes.len()).sum();
            let job: Box<dyn FrameJob + 'a> =
                Box::new(TypedJob { task: &self.task, input_bytes, session, stage });
            Ok(job)
        };
        self.frames.iter().map(open).collect()
    }
}

struct TypedJob<'a, A: StreamedTask> {
    task: &'a A,
    input_bytes: usize,
    session: Box<dyn Session<A> + 'a>,
    stage: Option<A::Stage<'a>>,
}

impl<A: StreamedTask> TypedJob<'_, A> {
    /// Sums of some segments of a copy of the task's last output.
    fn copied_sums(&mut self, segments: Segments) -> Result<SegmentSums, CheckError> {
        self.session.inspect()?;
        let output = self.session.output().ok_or("there was no output")?;
        Ok(self.task.sums(&output, segments))
    }
}

impl<A: StreamedTask> FrameJob for TypedJob<'_, A> {
    fn input_bytes(&self) -> usize {
        self.input_bytes
    }

    fn process(&mut self, now_ns: fn() -> u64) -> Result<ProcessedFrame, DeviceError> {
        let begun_ns = now_ns();
        self.session.reset()?;
        self.session.run()?;
        let task_ns = now_ns();
        let Some(stage) = &mut self.stage else {
            return Ok(ProcessedFrame { begun_ns, ended_ns: task_ns, stage: None });
        };
        stage.run();
        let ended_ns = now_ns();
        let stage = StageCounts { counts: stage.counts(), took_ns: ended_ns - task_ns };
        Ok(ProcessedFrame { begun_ns, ended_ns, stage: Some(stage) })
    }

    fn sums(&mut self) -> Result<FrameSums, CheckError> {
        let task = self.copied_sums(Segments::ALL)?;
        Ok(FrameSums { task, stage: self.stage.as_ref().map(FrameStage::sums) })
    }

    fn digest(&mut self, segments: Segments) -> Result<FrameDigest, CheckError> {
        let task = match self.session.digest(segments)? {
            Some(digest) => digest,
            None => self.copied_sums(segments)?.digest(Segments::ALL),
        };
        let stage = self.stage.as_ref().map(|stage| stage.digest(segments));
        Ok(FrameDigest { task, stage })
    }

    fn has_digest_without_copy(&mut self) -> Result<bool, CheckError> {
        Ok(self.session.digest(Segments::NONE)?.is_some())
    }

    fn write(&mut self, path: &Path) -> Result<(), WriteError> {
        self.session.inspect()?;
        let output = self.session.output().ok_or("there was no output");
        let output = output.map_err(CheckError::from)?;
        Ok(self.task.write_frame(&output, path)?)
    }

    fn release(&mut self) {
        self.session.release();
        self.stage.iter_mut().for_each(FrameStage::release);
    }
}
