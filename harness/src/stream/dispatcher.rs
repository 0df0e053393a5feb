//! Dispatcher of timeslices to workers: the log and the workers' input pipes, shared by all
//! threads.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tasks::algorithm::{KINDS, Segments};
use tasks::open_loop::{FrameSums, OpenLoopInfo};

use super::protocol::{Check, Request, ResultDigest, StageResult};
use super::timeslice_log::{Emission, Order, TimesliceLog, TimesliceResult, UnexpectedResult};
use super::timeslice_record::{CheckRecord, Cursor, Delta};
use crate::platform::clock::now_ns;
use crate::request::WhenFull;
use crate::workers::Requests;

/// A result that differs from the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) worker: usize,
    pub(super) number: u64,
    pub(super) problem: String,
}

/// State shared by all threads of a stream.
pub(super) struct Dispatcher {
    state: Mutex<State>,
    changed: Condvar,
    /// Reference results by index of the prepared timeslice.
    expected: Vec<FrameSums>,
    /// Description of the task.
    info: OpenLoopInfo,
    /// One in this number of results is compared with the reference.
    check_every: u64,
}

struct State {
    log: TimesliceLog,
    workers: Vec<WorkerSlot>,
    /// Folder for results, if they are written.
    results: Option<PathBuf>,
    /// First wrong result.
    wrong: Option<Wrong>,
}

/// State of a worker.
#[derive(Default)]
struct WorkerSlot {
    requests: Option<Requests<Request>>,
    /// Start time of its current timeslice.
    since_ns: u64,
    /// Reason for losing it.
    end: Option<String>,
}

impl WorkerSlot {
    /// Sends a line. If the worker is gone, its listener notices.
    fn send(&mut self, request: &Request) {
        let _ = self.requests.as_mut().map(|requests| requests.send(request));
    }
}

impl Dispatcher {
    /// Creates a dispatcher without workers.
    pub(super) fn new(
        workers: usize,
        info: OpenLoopInfo,
        expected: Vec<FrameSums>,
        check_every: u64,
    ) -> Self {
        let state = State {
            log: TimesliceLog::new(0, 0, 0, WhenFull::Wait),
            workers: (0..workers).map(|_| WorkerSlot::default()).collect(),
            results: None,
            wrong: None,
        };
        let changed = Condvar::new();
        Dispatcher { state: Mutex::new(state), changed, expected, info, check_every }
    }

    /// A dispatcher of timeslices of the STS that compares each result.
    #[cfg(test)]
    pub(super) fn for_tests(workers: usize, expected: Vec<FrameSums>) -> Self {
        let task = crate::registry::open_loop_task("sts").expect("known");
        Dispatcher::new(workers, task.open_loop(), expected, 1)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a worker with its input pipe.
    pub(super) fn add_worker(&self, worker: usize, requests: Requests<Request>) {
        self.state().workers[worker] =
            WorkerSlot { requests: Some(requests), ..WorkerSlot::default() };
    }

    /// Starts a new log; all workers are idle. Results are written to the folder, if given.
    pub(super) fn open(&self, log: TimesliceLog, results: Option<PathBuf>) {
        let mut state = self.state();
        state.log = log;
        state.results = results;
        state.wrong = None;
        // Workers lost since the last log.
        for worker in 0..state.workers.len() {
            if state.workers[worker].requests.is_none() {
                state.log.lose(worker);
            }
        }
    }

    /// Starts a log whose workers have no processes.
    #[cfg(test)]
    pub(super) fn open_for_tests(&self, log: TimesliceLog) {
        self.state().log = log;
    }

    /// Takes the log at the end of a speed.
    pub(super) fn take(&self) -> (TimesliceLog, Option<Wrong>) {
        let mut state = self.state();
        let empty = TimesliceLog::new(0, 0, 0, WhenFull::Wait);
        (std::mem::replace(&mut state.log, empty), state.wrong.take())
    }

    /// Emits a timeslice now, and hands it out if a worker is idle.
    pub(super) fn emit(&self, data: usize, due_ns: u64, held: bool) -> Emission {
        let mut state = self.state();
        let emission = state.log.emit(data, due_ns, now_ns(), held);
        self.hand_out(&mut state);
        emission
    }

    /// Waits until the state has changed, at most for `timeout`.
    pub(super) fn wait_for_change(&self, timeout: Duration) {
        let state = self.state();
        // A spurious wake-up is harmless: callers check their condition again.
        drop(self.changed.wait_timeout(state, timeout));
    }

    /// Records a worker's result, and hands it the next timeslice.
    pub(super) fn record_result(
        &self,
        worker: usize,
        outcome: TimesliceResult,
        check: Option<Check>,
    ) -> Result<(), UnexpectedResult> {
        let recorded = |check: Check| CheckRecord {
            stride: check.stride.try_into().unwrap_or(u32::MAX),
            took_ns: check.took_ns,
        };
        let outcome = TimesliceResult { check: check.map(recorded), ..outcome };
        let mut state = self.state();
        state.log.record_result(worker, outcome)?;
        self.hand_out(&mut state);
        let data = state.log.records()[outcome.number as usize].data as usize;
        let problem = check.and_then(|check| self.wrong(data, check.found, check.segments()));
        if let Some(problem) = problem.or_else(|| self.wrong_stage_counts(data, outcome.stage)) {
            let wrong = Wrong { worker, number: outcome.number, problem };
            state.wrong.get_or_insert(wrong);
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Describes the difference between a result and the reference in some segments of prepared
    /// data, if any.
    pub(super) fn wrong(
        &self,
        data: usize,
        found: ResultDigest,
        segments: Segments,
    ) -> Option<String> {
        let expected = ResultDigest::from(self.expected.get(data)?.digest(segments));
        let counts = |found: &ResultDigest| {
            let of_stage = found.stage.map(|it| format!(", {}", self.stage_in_words(it.counts)));
            (self.info.results)(found.counts) + &of_stage.unwrap_or_default()
        };
        match (expected == found, counts(&expected) == counts(&found)) {
            (true, _) => None,
            (_, true) => Some(format!("{}, but not the right ones", counts(&found))),
            _ => Some(format!("{} instead of {}", counts(&found), counts(&expected))),
        }
    }

    /// Describes wrong numbers of a stage's items, which are reported for each timeslice.
    fn wrong_stage_counts(&self, data: usize, stage: Option<StageResult>) -> Option<String> {
        let right = self.expected.get(data)?.stage.as_ref()?.counts();
        let found = stage.unwrap_or_default().counts.map(u64::from);
        if stage.is_some() && found == right {
            return None;
        }
        let [found, right] = [found, right].map(|counts| self.stage_in_words(counts));
        Some(format!("{found} instead of {right}"))
    }

    fn stage_in_words(&self, counts: [u64; KINDS]) -> String {
        self.info.stage.map_or_else(String::new, |stage| (stage.results)(counts))
    }

    fn hand_out(&self, state: &mut State) {
        let ending = self.info.file.map_or("", |file| file.ending);
        state.hand_out(self.check_every, ending);
    }

    /// Sends a request to a worker; has no effect if it is gone.
    pub(super) fn send_request(&self, worker: usize, request: &Request) {
        self.state().workers[worker].send(request);
    }

    /// Records that a worker has ended; an idle one gets its timeslice.
    pub(super) fn lose(&self, worker: usize, end: String) {
        let mut state = self.state();
        let slot = &mut state.workers[worker];
        slot.requests = None;
        slot.end = Some(end);
        state.log.lose(worker);
        self.hand_out(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    /// Closes the input pipes of all workers, which then end.
    pub(super) fn shut_down(&self) {
        self.state().workers.iter_mut().for_each(|slot| slot.requests = None);
    }

    /// Closes the log; see [`TimesliceLog::close`].
    pub(super) fn close(&self, never_emitted: impl FnOnce(u64) -> Vec<(usize, u64)>) {
        let mut state = self.state();
        let left = never_emitted(state.log.len());
        state.log.close(left.into_iter());
    }

    /// Workers that have been busy with one timeslice for longer than `timeout`.
    pub(super) fn hanging(&self, timeout: Duration) -> Vec<usize> {
        let state = self.state();
        let now = now_ns();
        let hangs = |worker: &usize| {
            let busy_for = now.saturating_sub(state.workers[*worker].since_ns);
            state.log.is_busy(*worker) && busy_for > timeout.as_nanos() as u64
        };
        (0..state.workers.len()).filter(hangs).collect()
    }

    /// Indices of lost workers, with the reasons.
    pub(super) fn ends(&self) -> Vec<(usize, String)> {
        let state = self.state();
        let workers = state.workers.iter().enumerate();
        workers.filter_map(|(number, slot)| Some((number, slot.end.clone()?))).collect()
    }

    pub(super) fn has_no_workers(&self) -> bool {
        self.state().log.has_no_workers()
    }

    pub(super) fn is_over(&self) -> bool {
        self.state().log.is_over()
    }

    /// Changes since the last call.
    pub(super) fn delta(&self, cursor: Cursor) -> Delta {
        let state = self.state();
        state.log.delta(cursor, state.wrong.is_none())
    }

    /// Numbers of emitted and of waiting timeslices.
    pub(super) fn progress(&self) -> (u64, usize) {
        let state = self.state();
        (state.log.len(), state.log.waiting())
    }
}

impl State {
    fn hand_out(&mut self, check_every: u64, ending: &str) {
        while let Some(Order { worker, number, data }) = self.log.hand_out() {
            // Hashing the number avoids a correlation with prepared data and workers.
            let check = generators_common::random::mix(number).is_multiple_of(check_every);
            let folder = self.results.as_ref();
            let file = folder.map(|folder| folder.join(format!("{number}.{ending}")));
            let request = Request::Process { number, data, check, file };
            let slot = &mut self.workers[worker];
            slot.since_ns = now_ns();
            slot.send(&request);
        }
    }
}

#[cfg(test)]
mod tests {
    use tasks::algorithm::SegmentSums;

    use super::super::protocol::StageDigest;
    use super::*;

    /// Reference result: 5 clusters, 2 hits, and sums of two sides and a module.
    fn expected(stage: Option<SegmentSums>) -> FrameSums {
        let mut task = SegmentSums::default();
        task.add(0, 5, vec![3, 4]);
        task.add(1, 2, vec![20]);
        FrameSums { task, stage }
    }

    fn check(found: ResultDigest, stride: usize, turn: usize) -> Check {
        Check { found, stride, turn, took_ns: 9 }
    }

    fn outcome(number: u64, stage: Option<StageResult>) -> TimesliceResult {
        TimesliceResult { number, begun_ns: 2, ended_ns: 3, check: None, stage }
    }

    #[test]
    fn wrong_results_are_reported() {
        let right = ResultDigest { counts: [5, 2], sum: 27, stage: None };
        let dispatcher = Dispatcher::for_tests(1, vec![expected(None)]);
        dispatcher.open_for_tests(TimesliceLog::new(1, 4, 4, WhenFull::Wait));
        let record = |number, found| {
            dispatcher.emit(0, 1, false);
            let check = Some(check(found, 1, 0));
            assert_eq!(dispatcher.record_result(0, outcome(number, None), check), Ok(()));
        };
        record(0, right);
        record(1, ResultDigest { sum: 8, ..right });
        record(2, ResultDigest { counts: [5, 3], ..right });
        let (log, wrong) = dispatcher.take();
        assert_eq!(log.counts().checked, 3);
        let problem = "5 clusters, 2 hits, but not the right ones".to_owned();
        assert_eq!(wrong, Some(Wrong { worker: 0, number: 1, problem }), "the first of them");
        let fewer = dispatcher.wrong(0, ResultDigest { counts: [5, 1], ..right }, Segments::ALL);
        assert_eq!(fewer.as_deref(), Some("5 clusters, 1 hits instead of 5 clusters, 2 hits"));
    }

    #[test]
    fn only_digested_segments_are_compared() {
        let dispatcher = Dispatcher::for_tests(1, vec![expected(None)]);
        let wrong = |sum, stride, turn| {
            let found = ResultDigest { counts: [5, 2], sum, stage: None };
            dispatcher.wrong(0, found, check(found, stride, turn).segments()).is_some()
        };
        assert!(!wrong(23, 2, 0) && !wrong(4, 2, 1) && !wrong(4, 2, 3) && !wrong(0, 3, 2));
        assert!(wrong(27, 2, 0) && wrong(5, 2, 1) && wrong(1, 3, 2));
    }

    #[test]
    fn event_counts_are_always_compared() {
        let events = Some(StageDigest { counts: [4, 60], sum: 9 });
        let right = ResultDigest { counts: [5, 2], sum: 27, stage: events };
        let sums = || {
            let mut sums = SegmentSums::default();
            sums.add(0, 4, vec![1, 2, 3, 2]);
            sums.add(1, 60, vec![1]);
            sums
        };
        let problem = |found: Option<ResultDigest>, built: Option<StageResult>| {
            let dispatcher = Dispatcher::for_tests(1, vec![expected(Some(sums()))]);
            dispatcher.open_for_tests(TimesliceLog::new(1, 4, 4, WhenFull::Wait));
            dispatcher.emit(0, 1, false);
            let check = found.map(|found| check(found, 1, 0));
            assert_eq!(dispatcher.record_result(0, outcome(0, built), check), Ok(()));
            dispatcher.take().1.map_or_else(String::new, |wrong| wrong.problem)
        };
        let built = StageResult { counts: [4, 60], took_ns: 1 };
        assert_eq!(problem(Some(right), Some(built)), "");
        assert_eq!(problem(None, Some(built)), "");
        let fewer = problem(None, Some(StageResult { counts: [4, 59], ..built }));
        assert_eq!(fewer, "4 events with 59 digis instead of 4 events with 60 digis");
        assert!(problem(None, None).starts_with("0 events"), "no events are reported");
        let others = Some(StageDigest { counts: [4, 60], sum: 8 });
        let wrong = problem(Some(ResultDigest { stage: others, ..right }), Some(built));
        assert!(wrong.ends_with("4 events with 60 digis, but not the right ones"), "{wrong}");
    }

    #[test]
    fn workers_busy_beyond_the_timeout_hang() {
        let dispatcher = Dispatcher::for_tests(2, Vec::new());
        dispatcher.open_for_tests(TimesliceLog::new(2, 4, 4, WhenFull::Wait));
        dispatcher.emit(0, 1, false);
        assert_eq!(dispatcher.hanging(Duration::from_secs(60)), [0; 0]);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(dispatcher.hanging(Duration::from_millis(1)), [0]);
        dispatcher.lose(0, "ended".to_owned());
        assert_eq!(dispatcher.ends(), [(0, "ended".to_owned())]);
    }
}
