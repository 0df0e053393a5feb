//! One speed, from its first timeslice to the last result.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use super::StreamError;
use super::desk::{Desk, Wrong};
use super::ledger::Ledger;
use super::live::{Follower, Live};
use super::source::{Emitting, be_on_time};
use super::workers::{Comparison, Workers};
use crate::platform::energy::{Energy, EnergyCounters};
use crate::platform::monotonic::now_ns;
use crate::platform::{CpuTimes, Interrupt, usable_threads};

/// Between two looks at workers and signals.
const LOOK: Duration = Duration::from_millis(10);
/// Between two words on how far it is.
const WORDS: Duration = Duration::from_secs(5);

/// What a speed has in common with all others.
pub(super) struct Surroundings<'a> {
    pub(super) desk: &'a Desk,
    pub(super) workers: &'a Workers,
    /// A CPU for the source alone.
    pub(super) spare_cpu: Option<usize>,
    pub(super) timeout: Duration,
    pub(super) counters: &'a EnergyCounters,
    pub(super) interrupt: &'a Interrupt,
    /// Those who are told of it.
    pub(super) live: &'a Live,
    /// Who looks for what they are told.
    pub(super) follower: Option<Follower<'a>>,
    pub(super) tell: &'a dyn Fn(&str),
}

/// What came of a speed.
pub(super) struct Ran {
    pub(super) ledger: Ledger,
    pub(super) begin_ns: u64,
    /// The last moment at which timeslices came.
    pub(super) end_ns: u64,
    /// Whether the source went before all others, or need not.
    pub(super) is_on_time: bool,
    pub(super) wrong: Option<Wrong>,
    /// The end of the comparison after the last result, but for streams that were ended before.
    pub(super) comparison: Option<Comparison>,
    pub(super) busy: Option<Busy>,
    pub(super) energy: Energy,
    /// How workers were lost, with their numbers.
    pub(super) ends: Vec<(usize, String)>,
    pub(super) was_interrupted: bool,
    /// Whether it ended early, as too many timeslices waited.
    pub(super) was_overrun: bool,
}

impl Ran {
    /// Whether any result was wrong.
    pub(super) fn is_wrong(&self) -> bool {
        self.wrong.is_some() || matches!(self.comparison, Some(Comparison::Wrong(_)))
    }
}

/// The shares of the CPUs' time that workers had, and others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Busy {
    pub(super) workers: f64,
    pub(super) others: Option<f64>,
}

/// What is emitted, and when that may end early.
pub(super) struct Stream {
    pub(super) emitting: Emitting,
    pub(super) ledger: Ledger,
    /// The folder for hits, if they are to be written.
    pub(super) hits: Option<PathBuf>,
    /// So many waiting timeslices end it: it falls short.
    pub(super) most_waiting: Option<usize>,
}

impl Stream {
    /// Emits all and waits for the results.
    ///
    /// # Errors
    /// If the system gives no thread for the source.
    pub(super) fn run(self, around: &Surroundings<'_>) -> Result<Ran, StreamError> {
        let Stream { emitting, ledger, hits, most_waiting } = self;
        around.desk.open(ledger, hits);
        let before = (CpuTimes::now(), around.workers.cpu_time(), around.counters.read());
        let stop = AtomicBool::new(false);
        let (end_ns, is_on_time, busy, energy) = thread::scope(|scope| {
            let (desk, spare_cpu, stop) = (around.desk, around.spare_cpu, &stop);
            let source = Builder::new().spawn_scoped(scope, move || {
                let is_on_time = be_on_time(spare_cpu, emitting.schedule.between_ns());
                (emitting.run(desk, stop), is_on_time)
            });
            let source = source.map_err(StreamError::Source)?;
            watch(around, &emitting, stop, most_waiting, || source.is_finished());
            // It does nothing that panics; if it did, nothing was due.
            let (end_ns, is_on_time) = source.join().unwrap_or((emitting.begin_ns, true));
            let seconds = end_ns.saturating_sub(emitting.begin_ns) as f64 * 1e-9;
            let busy = busy(around.workers, &before.0, before.1, seconds);
            let energy = around.counters.since(&before.2);
            watch(around, &emitting, stop, None, || around.desk.is_over());
            Ok::<_, StreamError>((end_ns, is_on_time, busy, energy))
        })?;
        let (ledger, wrong) = around.desk.take();
        let was_interrupted = around.interrupt.asked();
        let is_whole = !was_interrupted && wrong.is_none();
        let comparison = is_whole.then(|| around.workers.compare());
        if let Some(follower) = &around.follower {
            follower.end(&ledger, wrong.is_none());
        }
        Ok(Ran {
            // The time of those that were lost is not known.
            busy: busy.filter(|_| ledger.workers_lost() == 0),
            begin_ns: emitting.begin_ns,
            ends: around.desk.ends(),
            was_overrun: stop.into_inner() && !was_interrupted,
            was_interrupted,
            ledger,
            end_ns,
            is_on_time,
            wrong,
            comparison,
            energy,
        })
    }
}

/// Looks after workers that hang and users who want an end, until it is over.
fn watch(
    around: &Surroundings<'_>,
    emitting: &Emitting,
    stop: &AtomicBool,
    most_waiting: Option<usize>,
    is_over: impl Fn() -> bool,
) {
    let mut told = Instant::now();
    while !is_over() {
        thread::sleep(LOOK);
        for worker in around.desk.hanging(around.timeout) {
            around.workers.end(worker);
        }
        let (timeslices, waiting) = around.desk.progress();
        if around.interrupt.asked() || most_waiting.is_some_and(|most| waiting >= most) {
            stop.store(true, Ordering::Relaxed);
        }
        if let Some(follower) = &around.follower {
            let goes_on = !stop.load(Ordering::Relaxed);
            follower.look(around.desk, goes_on.then(|| emitting.due_by(now_ns())));
        }
        if let Some(problem) = around.live.problem() {
            (around.tell)(&problem);
        }
        if told.elapsed() >= WORDS {
            told = Instant::now();
            (around.tell)(&format!("{timeslices} timeslices, {waiting} waiting"));
        }
    }
}

/// How busy the CPUs were since an earlier moment.
fn busy(
    workers: &Workers,
    before: &Option<CpuTimes>,
    workers_before: Duration,
    seconds: f64,
) -> Option<Busy> {
    let (_, others) = CpuTimes::now()?.since(before.as_ref()?);
    let own_workers = workers.cpu_time().saturating_sub(workers_before);
    let all = seconds * usable_threads() as f64;
    // To this process its workers are others.
    let others = others.map(|others| others.saturating_sub(own_workers).as_secs_f64() / all);
    (all > 0.0).then(|| Busy { workers: own_workers.as_secs_f64() / all, others })
}
