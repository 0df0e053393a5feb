//! A worker: a process that prepares the variant on all prepared timeslices, and then processes
//! timeslices on request, one after the other. Comparing results has a budget: a small part of the
//! processing time.

use std::cmp::Reverse;
use std::path::Path;
use std::time::{Duration, Instant};

use tasks::algorithm::Segments;
use tasks::axis::Params;
use tasks::device::{Arena, Device, Target};
use tasks::open_loop::{FrameJob, OpenLoop, ProcessedFrame, WriteError};
use text::Untrusted;

use super::plan::variant_of;
use super::protocol::{Check, End, Opening, Request, Response, ResultDigest, unable, wrong};
use super::ring;
use crate::plan::{TeamLayout, TeamSpec};
use crate::platform::Exit;
use crate::platform::clock::now_ns;
use crate::platform::placement::Placement;
use crate::platform::shared_memory::Inherited;
use crate::registry::open_loop_task;
use crate::throughput::StreamGpus;
use crate::workers::{recv, send};

/// Subcommand of the worker process.
pub(crate) const SUBCOMMAND: &str = "stream-worker";

/// Runs of each timeslice before the worker is ready: the first one allocates memory, the second
/// one measures the time.
const FIRST_RUNS: usize = 2;
/// Number of timed digests, of which the fastest counts.
const DIGEST_RUNS: usize = 3;

/// Runs a worker until its standard input is closed, on the timeslices in the shared memory with
/// this file descriptor.
pub(crate) fn work(memory: i32) -> Exit {
    match serve(memory) {
        Ok(()) | Err(End::PeerClosed) => Exit::Success,
        Err(End::Refused(refusal)) => {
            let code = if refusal.is_wrong { Exit::WrongOutput } else { Exit::Failed };
            // If the parent is gone, the message has no receiver.
            let _ = send(&Response::Refused(refusal));
            code
        }
    }
}

fn serve(memory: i32) -> Result<(), End> {
    let Some(Request::Open(opening)) = recv()? else {
        return Err(unable("this subcommand is only started by `bench stream`"));
    };
    if memory <= libc::STDERR_FILENO {
        return Err(unable(format!("--memory {memory} is a standard stream")));
    }
    // SAFETY: this process has opened no descriptors but the standard streams, so none of its
    // objects owns this one.
    let memory = unsafe { Inherited::from_fd(memory) };
    let memory = memory.map_err(|error| unable(format!("no shared memory: {error}")))?;
    let task = open_loop_task(&opening.task);
    let task = task.ok_or_else(|| unable(format!("there is no task {}", opening.task.quoted())))?;
    let frames = ring::attach(memory, task).map_err(unable)?;
    let device: Device = opening.device.parse().map_err(unable)?;
    let variant = variant_of(task, device.backend(), &opening.variant).map_err(unable)?;
    let stage = stage(task, &opening);
    let team = team(&opening).start().map_err(unable)?;
    let gpu = StreamGpus::default().for_stream(device, 0).map_err(unable)?;
    let target = Target { device, gpu, team: &team };
    let arena = Arena::default();
    team.run(|| {
        let jobs = frames.open(variant, stage.as_ref(), &arena, &target).map_err(unable)?;
        let mut jobs: Vec<_> = jobs.into_iter().map(CheckedJob::new).collect();
        send(&ready(&mut jobs)?)?;
        let mut budget = CheckBudget::default();
        while let Some(request) = recv()? {
            match request {
                Request::Open(_) => return Err(unable("it is open already")),
                Request::Compare => send(&compare(&mut jobs)?)?,
                Request::Process { number, data, check, file } => {
                    let checked = jobs.get_mut(data);
                    let checked =
                        checked.ok_or_else(|| unable(format!("there is no timeslice {data}")))?;
                    let ProcessedFrame { begun_ns, ended_ns, stage } =
                        checked.job.process(now_ns)?;
                    budget.worked(ended_ns - begun_ns);
                    let check = if check { checked.check(&mut budget)? } else { None };
                    if let Some(path) = file {
                        checked.write(&path)?;
                    }
                    checked.job.release();
                    let stage = stage.map(Into::into);
                    send(&Response::Done { number, begun_ns, ended_ns, check, stage })?;
                }
            }
        }
        Ok(())
    })
}

/// A job whose results are compared with the reference.
struct CheckedJob<'a> {
    job: Box<dyn FrameJob + 'a>,
    /// Processing time of the timeslice, in ns.
    work_ns: u64,
    cost: DigestCost,
    /// Number of compared results.
    checks: usize,
}

impl<'a> CheckedJob<'a> {
    /// Wraps a job without measuring yet.
    fn new(job: Box<dyn FrameJob + 'a>) -> Self {
        CheckedJob { job, work_ns: 0, cost: DigestCost::default(), checks: 0 }
    }

    /// Processes the timeslice until its time is known, and measures the cost of digests; returns
    /// the digest of all segments, which has to match that of a copy of the output.
    fn get_ready(&mut self) -> Result<ResultDigest, End> {
        let mut took = self.job.process(now_ns)?;
        for _ in 1..FIRST_RUNS {
            // Release buffers first: a job that keeps its buffers leaves smaller ones for the
            // others.
            self.job.release();
            took = self.job.process(now_ns)?;
        }
        let sums = self.job.sums()?;
        let found = sums.digest(Segments::ALL);
        if self.job.digest(Segments::ALL)? != found {
            return Err(wrong("the digest on the device is not that of the output on the host"));
        }
        let segments = sums.segments();
        let whole_ns = self.digest_ns(Segments::ALL)?;
        // Despite timing noise, the cost of a part must not exceed that of all segments.
        let smallest_ns = self.digest_ns(Segments::every(segments, 0))?.min(whole_ns);
        self.work_ns = took.ended_ns - took.begun_ns;
        let is_in_place = self.job.has_digest_without_copy()?;
        self.cost = DigestCost { smallest_ns, whole_ns, segments, is_in_place };
        self.job.release();
        Ok(found.into())
    }

    /// Time of the fastest of several digests, in ns.
    fn digest_ns(&mut self, segments: Segments) -> Result<u64, End> {
        let mut fastest = Duration::MAX;
        for _ in 0..DIGEST_RUNS {
            let start = Instant::now();
            self.job.digest(segments)?;
            fastest = fastest.min(start.elapsed());
        }
        Ok(fastest.as_nanos() as u64)
    }

    /// Digest of the last result, if the budget allows.
    fn check(&mut self, budget: &mut CheckBudget) -> Result<Option<Check>, End> {
        let Some(segments) = budget.segments(&self.cost, self.checks) else { return Ok(None) };
        self.checks += 1;
        let start = Instant::now();
        let found = self.job.digest(segments)?.into();
        let took_ns = start.elapsed().as_nanos() as u64;
        budget.spent(took_ns);
        Ok(Some(Check { found, stride: segments.stride(), turn: segments.first(), took_ns }))
    }

    /// Writes the last result to a file.
    fn write(&mut self, path: &Path) -> Result<(), End> {
        self.job.write(path).map_err(|error| match error {
            WriteError::Output(error) => wrong(error),
            WriteError::File(error) => unable(format!("{}: {error}", path.escaped())),
        })
    }
}

/// Processes all timeslices once more, and digests copies of the complete outputs.
fn compare(jobs: &mut [CheckedJob<'_>]) -> Result<Response, End> {
    let found = jobs.iter_mut().map(|CheckedJob { job, .. }| {
        job.process(now_ns)?;
        let sums = job.sums()?;
        job.release();
        Ok(sums.digest(Segments::ALL).into())
    });
    Ok(Response::Compared { found: found.collect::<Result<_, End>>()? })
}

/// Parameters of the stage after the task, if it is enabled.
fn stage(task: &dyn OpenLoop, opening: &Opening) -> Option<Params> {
    let given = opening.stage.as_ref()?;
    let axes = task.open_loop().stage?.axes.iter();
    Some(axes.filter_map(|axis| Some((axis.name, given.get(axis.name)?.as_str()))).collect())
}

fn team(opening: &Opening) -> TeamSpec {
    let layout = TeamLayout { threads: opening.threads, placement: Placement::None, inner: None };
    TeamSpec { layout, cpus: opening.cpus.clone() }
}

/// Processes each timeslice for checking and timing. The largest is first, so that its buffers are
/// large enough for all others.
fn ready(jobs: &mut [CheckedJob<'_>]) -> Result<Response, End> {
    let mut all = vec![ResultDigest::default(); jobs.len()];
    let mut largest_first: Vec<usize> = (0..jobs.len()).collect();
    largest_first.sort_by_key(|&index| Reverse(jobs[index].job.input_bytes()));
    for index in largest_first {
        all[index] = jobs[index].get_ready()?;
    }
    let took_ns = jobs.iter().map(|checked| checked.work_ns).collect();
    Ok(Response::Ready { found: all, took_ns })
}

/// Ratio of processing time to time for digests: 2 % of a worker's time.
const WORK_PER_CHECK: u64 = 50;

/// Cost of a digest of a prepared timeslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct DigestCost {
    /// Cost for one segment, in ns.
    pub(super) smallest_ns: u64,
    /// Cost for all segments, in ns.
    pub(super) whole_ns: u64,
    pub(super) segments: usize,
    /// True if digests are computed from the result in place. Then counts alone cost nothing;
    /// otherwise the output is copied for them, too.
    pub(super) is_in_place: bool,
}

/// Time that a worker has spent on processing and on digests.
#[derive(Clone, Copy, Debug, Default)]
struct CheckBudget {
    worked_ns: u64,
    spent_ns: u64,
}

impl CheckBudget {
    /// Adds the processing time of a timeslice.
    pub(super) fn worked(&mut self, ns: u64) {
        self.worked_ns += ns;
    }

    /// Adds the time of a digest.
    pub(super) fn spent(&mut self, ns: u64) {
        self.spent_ns += ns;
    }

    /// Segments for the digest of a result, after `turn` earlier digests: the number that the budget
    /// allows, and different ones each time until all are covered. Counts alone if there is no time
    /// for a segment; `None` if there is no time for counts either.
    pub(super) fn segments(&self, cost: &DigestCost, turn: usize) -> Option<Segments> {
        match self.stride(cost) {
            Some(stride) => Some(Segments::every(stride, turn)),
            None => cost.is_in_place.then_some(Segments::NONE),
        }
    }

    fn stride(&self, cost: &DigestCost) -> Option<usize> {
        let left_ns = (self.worked_ns / WORK_PER_CHECK).saturating_sub(self.spent_ns);
        let sparsest = cost.segments.max(1);
        if left_ns >= cost.whole_ns {
            return Some(1);
        }
        let more_ns = left_ns.checked_sub(cost.smallest_ns).filter(|&more_ns| more_ns > 0)?;
        let stride = (cost.whole_ns - cost.smallest_ns).div_ceil(more_ns);
        Some(sparsest.min(stride as usize))
    }
}

#[cfg(test)]
mod tests {
    use portable_gpu::emulator;
    use tasks::device::{Backend, Team};

    use super::super::data::{Data, Variation};
    use super::*;
    use crate::platform::shared_memory::SharedMemory;

    /// The default parameters of the stage.
    fn stage(task: &dyn OpenLoop) -> Option<Params> {
        let mut params = Params::default();
        params.complete(task.open_loop().stage?.axes);
        Some(params)
    }

    /// Digests that a worker computes from shared memory, with a variant on a device.
    fn found_by(
        task: &dyn OpenLoop,
        device: Device,
        variant: &str,
        memory: SharedMemory,
    ) -> Vec<ResultDigest> {
        let frames = ring::attach(memory.into_inherited(), task).expect("timeslices");
        let variant = variant_of(task, device.backend(), variant).expect("known");
        let team = Team::new(1).expect("a thread");
        let gpu = StreamGpus::default().for_stream(device, 0).expect("usable");
        let target = Target { device, gpu, team: &team };
        let arena = Arena::default();
        team.run(|| {
            let jobs = frames.open(variant, stage(task).as_ref(), &arena, &target);
            let mut jobs: Vec<_> = jobs.expect("ready").into_iter().map(CheckedJob::new).collect();
            match ready(&mut jobs) {
                Ok(Response::Ready { found, .. }) => found,
                _ => panic!("not ready"),
            }
        })
    }

    /// Asserts that recommended variants find in shared memory what the reference finds.
    fn assert_found(task: &dyn OpenLoop, given: &[(&'static str, &str)]) -> Vec<ResultDigest> {
        let params = task.plan(given.iter().copied().collect()).expect("sensible").params;
        let variation = Variation { ring: 2, jitter: 0.0, has_pauses: true, seed: 1 };
        let data = Data::simulated(task, &params, &variation).expect("made");
        let expected = data.expected(Default::default(), stage(task).as_ref()).expect("few");
        let expected: Vec<ResultDigest> =
            expected.iter().map(|expected| expected.digest(Segments::ALL).into()).collect();
        let has_emulator = emulator::unavailable().is_none();
        for device in [Device::Cpu, Device::Emulator] {
            if device.backend() == Backend::Cpu || has_emulator {
                let memory = ring::share(&*data.frames).expect("memory");
                let variant = task.open_loop().recommended(device.backend());
                let found = found_by(task, device, variant, memory);
                assert_eq!(found, expected, "{given:?} {device}");
            }
        }
        expected
    }

    #[test]
    fn workers_match_the_reference() {
        for from in ["digis", "raw"] {
            let task = open_loop_task("sts").expect("known");
            let given = [("preset", "mcbm-2024"), ("scale", "0.0001"), ("from", from)];
            let found = assert_found(task, &given);
            assert!(found[0].stage.is_some_and(|it| it.counts[0] > 0), "{found:?}");
        }
    }

    #[test]
    fn workers_match_the_reference_of_another_task() {
        let task = open_loop_task("tpc").expect("known");
        let found = assert_found(task, &[("sectors", "1"), ("orbits", "1")]);
        assert!(found[0].counts[0] > 100 && found[0].stage.is_none(), "{found:?}");
    }

    const COST: DigestCost =
        DigestCost { smallest_ns: 10, whole_ns: 1000, segments: 24, is_in_place: true };
    const WORK_NS: u64 = 10_000;

    /// Time for digests relative to processing time if each result is compared, and the strides.
    fn shares(cost: DigestCost, results: usize) -> (f64, Vec<Option<usize>>) {
        let mut budget = CheckBudget::default();
        let strides = (0..results).map(|_| {
            budget.worked(WORK_NS);
            let stride = budget.stride(&cost);
            if let Some(stride) = stride {
                let of_segments = (cost.whole_ns - cost.smallest_ns) / stride as u64;
                budget.spent(cost.smallest_ns + of_segments);
            }
            stride
        });
        let strides: Vec<_> = strides.collect();
        (budget.spent_ns as f64 / budget.worked_ns as f64, strides)
    }

    #[test]
    fn digests_take_two_percent_and_cover_what_there_is_time_for() {
        let (share, strides) = shares(COST, 1000);
        assert!(share <= 0.0201, "{share}");
        // A digest of all segments would take a tenth.
        assert!(strides.iter().all(|stride| (4..=7).contains(&stride.expect("time"))));
        let (_, cheap) = shares(DigestCost { whole_ns: 100, ..COST }, 10);
        assert_eq!(cheap, [Some(1); 10]);
    }

    #[test]
    fn unspent_time_is_available_to_later_results() {
        let mut budget = CheckBudget::default();
        budget.worked(5 * WORK_NS);
        assert_eq!(budget.segments(&COST, 7), Some(Segments::ALL));
    }

    #[test]
    fn some_results_are_compared_if_not_even_a_segment_fits() {
        let dear = DigestCost { smallest_ns: 1000, whole_ns: 1100, ..COST };
        let (share, strides) = shares(dear, 1000);
        assert!(share <= 0.0201, "{share}");
        let compared = strides.iter().flatten().count();
        assert!((150..=200).contains(&compared), "{compared}");
        let spent = CheckBudget { worked_ns: 50, spent_ns: 1 };
        assert_eq!(spent.segments(&dear, 3), Some(Segments::NONE), "counts cost nothing");
        assert_eq!(spent.segments(&DigestCost { is_in_place: false, ..dear }, 3), None);
    }

    #[test]
    fn a_slow_digest_uses_time_of_the_next() {
        let mut budget = CheckBudget::default();
        budget.worked(WORK_NS);
        budget.spent(1_000_000);
        assert_eq!(budget.segments(&COST, 25), Some(Segments::NONE));
    }
}
