//! The run that a profiler records.

use std::env;
use std::path::PathBuf;

use portable_gpu::Gpu;
use portable_gpu::cuda::ProfilerRange;
use portable_gpu::cuda::cupti::{Cupti, CuptiError, KernelCounting};

use super::{FORBIDDEN, report};

/// Variable with the file to which this process writes the counts of its profiled run.
pub(super) const REPORT_VARIABLE: &str = "RECOBENCH_KERNEL_COUNTS";

/// A run while it is recorded; counts are written when it ends.
pub(crate) struct ProfiledRun<'g> {
    gpu: &'g Gpu,
    recording: Recording,
}

enum Recording {
    /// By a profiler that waits for it, if the driver permits.
    Outside(#[expect(dead_code, reason = "ends when it is dropped")] Option<ProfilerRange>),
    /// By CUPTI in this process, to this file.
    Here { report: PathBuf, counting: Option<Result<KernelCounting, CuptiError>> },
}

impl<'g> ProfiledRun<'g> {
    /// Begins to record what a GPU is given.
    pub(crate) fn start(gpu: &'g Gpu) -> Self {
        let recording = match env::var_os(REPORT_VARIABLE) {
            None => Recording::Outside(ProfilerRange::start(gpu)),
            Some(report) => {
                let counting = Cupti::open().and_then(|cupti| cupti.count(gpu, report::METRICS));
                Recording::Here { report: report.into(), counting: Some(counting) }
            }
        };
        ProfiledRun { gpu, recording }
    }
}

impl Drop for ProfiledRun<'_> {
    fn drop(&mut self) {
        let Recording::Here { report, counting } = &mut self.recording else { return };
        let Some(counting) = counting.take() else { return };
        let counted = counting.and_then(|counting| counting.finish(self.gpu));
        let counted = counted.map_err(|error| match error {
            CuptiError::Forbidden => FORBIDDEN.to_owned(),
            error => error.to_string(),
        });
        let text = counted.and_then(|it| report::write(&it).map_err(|error| error.to_string()));
        let text = text.unwrap_or_else(|reason| report::failed(&reason));
        // Without a report, the process that reads it says so.
        let _ = files::write(report, text);
    }
}
