//! Log of what becomes of each timeslice, independent of clocks, threads and processes.
//!
//! Only the log hands out timeslices: to one worker, and to a second one only after the first
//! one has certainly ended. So none is processed twice.

use std::collections::VecDeque;

use super::protocol::StageResult;
use super::timeslice_record::{CheckRecord, Counts, Cursor, Delta, Record, State};
use crate::request::WhenFull;

/// Maximum number of workers per timeslice: one that was lost with this number of workers may be
/// the cause, and is not handed out again.
const MAX_WORKERS: u8 = 2;

/// Result of emitting a timeslice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emission {
    Accepted,
    Dropped,
    /// The queue is full, and the timeslice has to wait.
    QueueFull,
    /// No more timeslices are accepted.
    Closed,
}

/// Assignment of a timeslice to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) worker: usize,
    pub(super) number: u64,
    pub(super) data: usize,
}

/// Result of a worker for a timeslice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimesliceResult {
    pub(super) number: u64,
    pub(super) begun_ns: u64,
    pub(super) ended_ns: u64,
    pub(super) check: Option<CheckRecord>,
    pub(super) stage: Option<StageResult>,
}

/// Error: a result for a timeslice that the worker does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnexpectedResult;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Worker {
    Idle,
    Busy(u64),
    Gone,
}

/// Log of one speed.
#[derive(Debug)]
pub(super) struct TimesliceLog {
    records: Vec<Record>,
    waiting: VecDeque<u64>,
    /// Idle workers, the longest idle one first.
    idle: VecDeque<usize>,
    workers: Vec<Worker>,
    queue: usize,
    when_full: WhenFull,
    is_closed: bool,
    max_waiting: usize,
    /// Number of recorded results, counted separately from the records.
    results: u64,
    /// Indices of timeslices with a final state, in order of reaching it.
    settled: Vec<u32>,
}

impl TimesliceLog {
    /// Creates a log for at most `capacity` timeslices, of which at most `queue` may wait.
    pub(super) fn new(workers: usize, capacity: usize, queue: usize, when_full: WhenFull) -> Self {
        TimesliceLog {
            records: Vec::with_capacity(capacity),
            waiting: VecDeque::with_capacity(queue.min(capacity) + workers),
            idle: (0..workers).collect(),
            workers: vec![Worker::Idle; workers],
            queue,
            when_full,
            is_closed: false,
            max_waiting: 0,
            results: 0,
            settled: Vec::with_capacity(capacity),
        }
    }

    /// Adds the next timeslice, which is due at `due_ns`; `held` if the queue was full before.
    pub(super) fn emit(&mut self, data: usize, due_ns: u64, now_ns: u64, held: bool) -> Emission {
        if self.is_closed || self.has_no_workers() {
            return Emission::Closed;
        }
        // With an idle worker it does not have to wait.
        let is_full = self.waiting.len() >= self.queue && self.idle.is_empty();
        if is_full && self.when_full == WhenFull::Wait {
            return Emission::QueueFull;
        }
        let number = self.records.len() as u64;
        let state = if is_full { State::Dropped } else { State::Waiting };
        let record = Record::new(data, due_ns, state, held);
        self.records.push(Record { emitted_ns: now_ns, ..record });
        if is_full {
            self.settled.push(number as u32);
            return Emission::Dropped;
        }
        self.waiting.push_back(number);
        Emission::Accepted
    }

    /// Hands the timeslice that has waited longest to the worker that has been idle longest, if
    /// both exist.
    pub(super) fn hand_out(&mut self) -> Option<Order> {
        if self.is_closed || self.idle.is_empty() {
            self.max_waiting = self.max_waiting.max(self.waiting.len());
            return None;
        }
        let number = self.waiting.pop_front()?;
        let worker = self.idle.pop_front()?;
        self.workers[worker] = Worker::Busy(number);
        let record = &mut self.records[number as usize];
        record.state = State::WithWorker;
        record.worker = Some(worker as u32);
        record.workers += 1;
        Some(Order { worker, number, data: record.data as usize })
    }

    /// Records a result.
    pub(super) fn record_result(
        &mut self,
        worker: usize,
        result: TimesliceResult,
    ) -> Result<(), UnexpectedResult> {
        if self.workers.get(worker) != Some(&Worker::Busy(result.number)) {
            return Err(UnexpectedResult);
        }
        let record = &mut self.records[result.number as usize];
        record.state = State::Done;
        (record.begun_ns, record.ended_ns) = (result.begun_ns, result.ended_ns);
        record.check = result.check;
        record.stage = result.stage;
        self.results += 1;
        self.settled.push(result.number as u32);
        self.workers[worker] = Worker::Idle;
        self.idle.push_back(worker);
        Ok(())
    }

    /// Records that a worker has ended. Its timeslice goes to another one, before all that wait,
    /// unless it has lost too many workers or the log is closed: then it is lost.
    pub(super) fn lose(&mut self, worker: usize) {
        // Between two speeds a worker has no timeslice.
        let Some(slot) = self.workers.get_mut(worker) else { return };
        let was = std::mem::replace(slot, Worker::Gone);
        self.idle.retain(|&other| other != worker);
        let Worker::Busy(number) = was else { return };
        let record = &mut self.records[number as usize];
        if self.is_closed || record.workers >= MAX_WORKERS {
            record.state = State::Lost;
            self.settled.push(number as u32);
        } else {
            record.state = State::Waiting;
            self.waiting.push_front(number);
        }
    }

    /// Closes the log: waiting timeslices become backlog, and so do those that are due and were
    /// never emitted, given by data index and due time. Workers finish what they have started.
    pub(super) fn close(&mut self, never_emitted: impl Iterator<Item = (usize, u64)>) {
        self.is_closed = true;
        for number in self.waiting.drain(..) {
            self.records[number as usize].state = State::Backlog;
            self.settled.push(number as u32);
        }
        let emitted = self.records.len() as u32;
        let left =
            never_emitted.map(|(data, due_ns)| Record::new(data, due_ns, State::Backlog, true));
        self.records.extend(left);
        self.settled.extend(emitted..self.records.len() as u32);
    }

    /// Number of timeslices emitted, or left as backlog at the end.
    pub(super) fn len(&self) -> u64 {
        self.records.len() as u64
    }

    /// Changes since an update; `is_valid` if all results compared so far were right.
    pub(super) fn delta(&self, cursor: Cursor, is_valid: bool) -> Delta {
        Delta {
            emitted: self.records.get(cursor.emitted..).unwrap_or_default().to_vec(),
            settled: self.settled_since(cursor.settled).copied().collect(),
            waiting: self.waiting.len(),
            busy: self.workers.iter().filter(|worker| matches!(worker, Worker::Busy(_))).count(),
            workers: self.workers.iter().map(|worker| *worker != Worker::Gone).collect(),
            is_valid,
        }
    }

    /// Timeslices with a final state, after the first `known` ones.
    pub(super) fn settled_since(&self, known: usize) -> impl Iterator<Item = &Record> {
        let settled = self.settled.get(known..).unwrap_or_default();
        settled.iter().map(|&number| &self.records[number as usize])
    }

    /// True if the worker has a timeslice.
    pub(super) fn is_busy(&self, worker: usize) -> bool {
        matches!(self.workers.get(worker), Some(Worker::Busy(_)))
    }

    /// True if no workers are left.
    pub(super) fn has_no_workers(&self) -> bool {
        self.workers.iter().all(|worker| *worker == Worker::Gone)
    }

    /// True if the log is closed and all workers are idle.
    pub(super) fn is_over(&self) -> bool {
        let is_busy = |worker: &Worker| matches!(worker, Worker::Busy(_));
        self.is_closed && !self.workers.iter().any(is_busy)
    }

    pub(super) fn workers_lost(&self) -> usize {
        self.workers.iter().filter(|worker| **worker == Worker::Gone).count()
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn max_waiting(&self) -> usize {
        self.max_waiting
    }

    pub(super) fn records(&self) -> &[Record] {
        &self.records
    }

    pub(super) fn counts(&self) -> Counts {
        Counts::of_records(&self.records)
    }

    /// True if, at the end, every timeslice has one of the four final states, and the number of
    /// completed ones equals the number of recorded results.
    pub(super) fn is_balanced(&self) -> bool {
        let Counts { due, done, lost, dropped, backlog, .. } = self.counts();
        due == done + lost + dropped + backlog && done == self.results
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(workers: usize, queue: usize, when_full: WhenFull) -> TimesliceLog {
        TimesliceLog::new(workers, 100, queue, when_full)
    }

    fn emit(log: &mut TimesliceLog, count: u64) -> Vec<Emission> {
        let due = |number: u64| 1000 * (number + 1);
        let first = log.len();
        let all = first..first + count;
        all.map(|number| log.emit(0, due(number), due(number) + 1, false)).collect()
    }

    fn handed(log: &mut TimesliceLog) -> Vec<(usize, u64)> {
        let orders = std::iter::from_fn(|| log.hand_out());
        orders.map(|order| (order.worker, order.number)).collect()
    }

    fn done(number: u64) -> TimesliceResult {
        TimesliceResult { number, begun_ns: 1, ended_ns: 2, check: None, stage: None }
    }

    #[test]
    fn events_of_a_repeated_timeslice_are_counted_once() {
        let mut log = log(2, 8, WhenFull::Wait);
        emit(&mut log, 1);
        assert_eq!(handed(&mut log), [(0, 0)]);
        let with = |events| TimesliceResult {
            stage: Some(StageResult { counts: [events, 10 * events], took_ns: 1 }),
            ..done(0)
        };
        log.lose(0);
        assert_eq!(handed(&mut log), [(1, 0)]);
        assert_eq!(log.record_result(0, with(7)), Err(UnexpectedResult));
        assert_eq!(log.record_result(1, with(3)), Ok(()));
        assert_eq!(log.record_result(1, with(9)), Err(UnexpectedResult));
        let stage: Vec<_> = log.settled_since(0).map(|record| record.stage).collect();
        assert_eq!(stage, [with(3).stage]);
    }

    #[test]
    fn longest_waiting_timeslices_go_to_longest_idle_workers() {
        let mut log = log(2, 8, WhenFull::Wait);
        assert_eq!(emit(&mut log, 3), [Emission::Accepted; 3]);
        assert_eq!(handed(&mut log), [(0, 0), (1, 1)]);
        assert_eq!(log.record_result(1, done(1)), Ok(()));
        assert_eq!(handed(&mut log), [(1, 2)]);
        assert_eq!(log.record_result(0, done(0)), Ok(()));
        assert_eq!(log.record_result(1, done(2)), Ok(()));
        emit(&mut log, 1);
        assert_eq!(handed(&mut log), [(0, 3)], "it has been idle for longer");
        log.close(std::iter::empty());
        assert!(!log.is_over());
        assert_eq!(log.record_result(0, done(3)), Ok(()));
        assert!(log.is_over() && log.is_balanced());
        assert_eq!(log.counts(), Counts { due: 4, emitted: 4, done: 4, ..Counts::default() });
    }

    #[test]
    fn results_of_other_workers_are_refused() {
        let mut log = log(2, 8, WhenFull::Wait);
        emit(&mut log, 2);
        handed(&mut log);
        assert_eq!(log.record_result(0, done(1)), Err(UnexpectedResult));
        assert_eq!(log.record_result(0, done(0)), Ok(()));
        assert_eq!(log.record_result(0, done(0)), Err(UnexpectedResult), "twice");
        assert_eq!(log.record_result(7, done(0)), Err(UnexpectedResult));
    }

    #[test]
    fn a_timeslice_of_a_lost_worker_is_handed_out_once_more() {
        let mut log = log(3, 8, WhenFull::Wait);
        emit(&mut log, 4);
        assert_eq!(handed(&mut log), [(0, 0), (1, 1), (2, 2)]);
        log.lose(0);
        assert_eq!(log.record_result(0, done(0)), Err(UnexpectedResult), "too late");
        assert_eq!(log.record_result(1, done(1)), Ok(()));
        assert_eq!(handed(&mut log), [(1, 0)], "before the one that waits");
        log.lose(1);
        assert_eq!(log.record_result(2, done(2)), Ok(()));
        assert_eq!(handed(&mut log), [(2, 3)]);
        assert_eq!(log.record_result(2, done(3)), Ok(()));
        log.close(std::iter::empty());
        assert!(log.is_over() && log.is_balanced());
        let counts =
            Counts { due: 4, emitted: 4, done: 3, lost: 1, repeated: 1, ..Counts::default() };
        assert_eq!((log.counts(), log.workers_lost()), (counts, 2));
    }

    #[test]
    fn without_workers_waiting_timeslices_are_backlog() {
        let mut log = log(1, 8, WhenFull::Wait);
        emit(&mut log, 2);
        handed(&mut log);
        log.lose(0);
        assert!(log.has_no_workers());
        assert_eq!(emit(&mut log, 1), [Emission::Closed]);
        log.close(std::iter::empty());
        assert!(log.is_over() && log.is_balanced());
        assert_eq!(log.counts().backlog, 2);
    }

    #[test]
    fn a_full_queue_drops_or_holds_back() {
        for (when_full, refused) in
            [(WhenFull::Drop, Emission::Dropped), (WhenFull::Wait, Emission::QueueFull)]
        {
            let mut log = log(1, 2, when_full);
            emit(&mut log, 1);
            handed(&mut log);
            assert_eq!(emit(&mut log, 3), [Emission::Accepted, Emission::Accepted, refused]);
            log.hand_out();
            assert_eq!(log.max_waiting(), 2);
            assert_eq!(log.record_result(0, done(0)), Ok(()));
            assert_eq!(handed(&mut log).len(), 1);
            assert_eq!(emit(&mut log, 1), [Emission::Accepted]);
            // Two of those that were held back were due.
            let held = if when_full == WhenFull::Wait { 2 } else { 0 };
            log.close((0..held).map(|due| (0, due)));
            log.lose(0);
            assert!(log.is_over() && log.is_balanced());
            let Counts { due, emitted, dropped, backlog, lost, held: late, .. } = log.counts();
            assert_eq!((late, lost), (held, 1), "its worker was lost after the end");
            assert_eq!(due - emitted, held);
            assert_eq!(dropped, if when_full == WhenFull::Drop { 1 } else { 0 });
            assert_eq!(backlog, 2 + held);
        }
    }
}
