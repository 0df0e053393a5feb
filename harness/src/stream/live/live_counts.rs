//! Current counts of all speeds, from changes of the log, shared with threads that publish them,
//! and their periodic update.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use reports::export::live::LiveStream;

use crate::stream::data::Content;
use crate::stream::dispatcher::Dispatcher;
use crate::stream::timeslice_log::TimesliceLog;
use crate::stream::timeslice_record::{Cursor, Delta, Record, State};

/// Counts of all speeds so far.
#[derive(Debug, Default)]
pub(super) struct LiveCounts(Mutex<Vec<LiveStream>>);

impl LiveCounts {
    fn streams(&self) -> MutexGuard<'_, Vec<LiveStream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies all counts, so that formatting them blocks no writer.
    pub(super) fn all(&self) -> Vec<LiveStream> {
        self.streams().clone()
    }

    /// Adds a speed; returns its index.
    pub(super) fn put(&self, stream: LiveStream) -> usize {
        let mut streams = self.streams();
        streams.push(stream);
        streams.len() - 1
    }

    /// Updates a speed, waiting for readers.
    pub(super) fn change(&self, index: usize, change: impl FnOnce(&mut LiveStream)) {
        self.streams().get_mut(index).map(change);
    }

    /// Updates a speed unless a reader holds the lock: readers have low priority and may take long.
    pub(super) fn try_change(&self, index: usize, change: impl FnOnce(&mut LiveStream)) {
        let mut streams = match self.0.try_lock() {
            Ok(streams) => streams,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        streams.get_mut(index).map(change);
    }
}

const NS: f64 = 1e-9;

/// Adds changes to the counts of a speed.
fn add_delta(stream: &mut LiveStream, delta: &Delta, content: &Content<'_>) {
    for record in delta.emitted.iter().filter(|record| record.emitted_ns > 0) {
        stream.emitted += 1;
        if !record.was_held {
            stream.lateness.add(since(record.due_ns, record.emitted_ns));
        }
    }
    for record in &delta.settled {
        stream.repeated += u64::from(record.workers > 1);
        stream.checked += u64::from(record.check.is_some());
        match record.state {
            State::Done => add_done(stream, record, content),
            State::Lost => stream.lost += 1,
            State::Dropped => stream.dropped += 1,
            State::Backlog => stream.left += 1,
            // These are not final states.
            State::Waiting | State::WithWorker => {}
        }
    }
    (stream.waiting, stream.in_work) = (delta.waiting as u64, delta.busy as u64);
    stream.is_valid = delta.is_valid;
    for (worker, &is_there) in stream.workers.iter_mut().zip(&delta.workers) {
        worker.is_there = is_there;
    }
}

fn add_done(stream: &mut LiveStream, record: &Record, content: &Content<'_>) {
    let data = record.data as usize;
    let size = content.sizes.get(data).copied().unwrap_or_default();
    let found = content.expected.get(data).copied().unwrap_or_default();
    stream.done += 1;
    stream.digis += size.items;
    stream.bytes += size.bytes;
    stream.clusters += found.counts[0];
    stream.hits += found.counts[1];
    if let Some(stage) = record.stage {
        stream.events += u64::from(stage.counts[0]);
        stream.event_digis += u64::from(stage.counts[1]);
        stream.building_s += stage.took_ns as f64 * NS;
    }
    let busy_s = since(record.begun_ns, record.ended_ns);
    stream.latency.add(since(record.due_ns, record.ended_ns));
    stream.work.add(busy_s);
    let worker = record.worker.and_then(|worker| stream.workers.get_mut(worker as usize));
    if let Some(worker) = worker {
        worker.done += 1;
        worker.busy_s += busy_s;
    }
}

fn since(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 * NS
}

/// Follows a speed. It runs in the thread that monitors workers, and not in the source or in
/// listeners of workers.
pub(in crate::stream) struct Follower<'a> {
    pub(super) live_counts: &'a LiveCounts,
    /// Index of the speed in the live counts.
    pub(super) index: usize,
    pub(super) content: Content<'a>,
    pub(super) cursor: Cell<Cursor>,
}

impl Follower<'_> {
    /// Counts changes of a dispatcher. `due` is the number of timeslices due by now; `None` if emission
    /// is about to end early, in which case the log has the number.
    pub(in crate::stream) fn look(&self, dispatcher: &Dispatcher, due: Option<u64>) {
        self.live_counts.try_change(self.index, |stream| {
            let delta = dispatcher.delta(self.cursor.get());
            self.cursor.set(delta.after(self.cursor.get()));
            add_delta(stream, &delta, &self.content);
            let due = due.filter(|_| !delta.has_no_workers()).unwrap_or_default();
            stream.due = stream.due.max(due).max(self.cursor.get().emitted as u64);
        });
    }

    /// Counts the rest of a log at the end.
    pub(in crate::stream) fn end(&self, log: &TimesliceLog, is_valid: bool) {
        let delta = log.delta(self.cursor.get(), is_valid);
        self.live_counts.change(self.index, |stream| {
            add_delta(stream, &delta, &self.content);
            stream.due = log.len();
            stream.is_running = false;
        });
    }
}

#[cfg(test)]
mod tests {
    use reports::export::live::LiveStream;
    use tasks::algorithm::SegmentSums;
    use tasks::open_loop::FrameSums;

    use super::*;
    use crate::request::WhenFull;
    use crate::stream::data::Size;
    use crate::stream::protocol::{Check, ResultDigest, StageResult};
    use crate::stream::timeslice_log::TimesliceResult;

    const MS: u64 = 1_000_000;
    const SIZES: [Size; 2] = [Size { items: 10, bytes: 80 }, Size { items: 1, bytes: 8 }];
    const FOUND: [ResultDigest; 2] = [
        ResultDigest { counts: [5, 2], sum: 0, stage: None },
        ResultDigest { counts: [1, 0], sum: 0, stage: None },
    ];

    /// Reference result without sums.
    fn expected(found: ResultDigest) -> FrameSums {
        let mut task = SegmentSums::default();
        for (kind, items) in found.counts.into_iter().enumerate() {
            task.add(kind, items as usize, Vec::new());
        }
        FrameSums { task, stage: None }
    }

    /// Records a result for a worker.
    fn finish(dispatcher: &Dispatcher, worker: usize, number: u64) {
        let begun_ns = number * MS;
        let ended_ns = begun_ns + 2 * MS;
        let stage = Some(StageResult { counts: [2, 7], took_ns: MS });
        let outcome = TimesliceResult { number, begun_ns, ended_ns, check: None, stage };
        let found = FOUND[(number % 2) as usize];
        let check = Check { found, stride: 1, turn: 0, took_ns: 1 };
        dispatcher.record_result(worker, outcome, Some(check)).expect("its own");
    }

    /// Two workers and a queue of two: all final states, with an update after each step.
    fn followed(live_counts: &LiveCounts) -> (LiveStream, TimesliceLog) {
        let dispatcher = Dispatcher::for_tests(2, FOUND.map(expected).to_vec());
        dispatcher.open_for_tests(TimesliceLog::new(2, 16, 2, WhenFull::Drop));
        let content = Content { sizes: &SIZES, expected: &FOUND };
        let index = live_counts.put(LiveStream::new("time-sweep", "cpu", 1.0, 0.05, 2));
        let follower = Follower { live_counts, index, content, cursor: Cell::default() };
        for number in 0..6 {
            // At the last one, two are with workers and two wait.
            dispatcher.emit(number % 2, number as u64 * MS, number == 3);
            follower.look(&dispatcher, Some(number as u64 + 1));
            if number == 2 {
                finish(&dispatcher, 0, 0);
            }
        }
        let cursor = live_counts.all().remove(index);
        assert_eq!((cursor.emitted, cursor.done, cursor.dropped, cursor.waiting), (6, 1, 1, 2));
        assert_eq!((cursor.in_work, cursor.backlog()), (2, 2));
        dispatcher.lose(1, "ended".to_owned());
        finish(&dispatcher, 0, 2);
        follower.look(&dispatcher, None);
        dispatcher.close(|emitted| vec![(0, emitted * MS)]);
        finish(&dispatcher, 0, 1);
        let (log, wrong) = dispatcher.take();
        follower.end(&log, wrong.is_none());
        (live_counts.all().remove(index), log)
    }

    #[test]
    fn live_counts_match_the_log_at_the_end() {
        let (stream, log) = followed(&LiveCounts::default());
        let counts = log.counts();
        assert!(log.is_balanced() && !stream.is_running && stream.is_valid);
        assert_eq!((stream.due, stream.emitted), (counts.due, counts.emitted));
        assert_eq!((stream.done, stream.dropped), (counts.done, counts.dropped));
        assert_eq!((stream.lost, stream.left), (counts.lost, counts.backlog));
        assert_eq!((stream.repeated, stream.checked), (counts.repeated, counts.checked));
        assert_eq!((counts.repeated, counts.backlog), (1, 3));
        assert_eq!((stream.backlog(), stream.in_work, stream.waiting), (3, 0, 0));
        assert_eq!((stream.digis, stream.hits), (21, 4), "of two and one of the prepared ones");
        assert_eq!((stream.events, stream.event_digis), (6, 21), "each of three, once");
        assert!((stream.building_s - 0.003).abs() < 1e-9);
        assert_eq!((stream.latency.count(), stream.lateness.count()), (3, 5));
        let workers: Vec<_> = stream.workers.iter().map(|it| (it.is_there, it.done)).collect();
        assert_eq!(workers, [(true, 3), (false, 0)]);
        assert!((stream.workers[0].busy_s - 0.006).abs() < 1e-9);
    }

    #[test]
    fn readers_do_not_block_updates() {
        let live_counts = LiveCounts::default();
        let index = live_counts.put(LiveStream::new("time-sweep", "cpu", 1.0, 0.05, 2));
        live_counts.change(index, |_| {
            let mut is_changed = false;
            live_counts.try_change(index, |_| is_changed = true);
            assert!(!is_changed);
        });
        live_counts.try_change(index, |stream| stream.done = 1);
        assert_eq!(live_counts.all()[index].done, 1);
    }
}
