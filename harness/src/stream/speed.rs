//! Execution of one speed, from its first timeslice to the last result, and search for the highest
//! sustained speed, by bisection.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use reports::stream::short;
use tasks::device::Device;

use super::StreamError;
use super::dispatcher::{Dispatcher, Wrong};
use super::live::{Follower, Live};
use super::plan::StreamPoint;
use super::source::{Emitting, be_on_time};
use super::timeslice_log::TimesliceLog;
use super::workers::{Comparison, Readiness, Workers};
use crate::energy::{EnergyMeters, EnergyWindow, PeriodEnergy};
use crate::platform::clock::now_ns;
use crate::platform::{Interrupt, Utilisation};

/// Interval between checks of workers and signals.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Interval between progress messages.
const MESSAGE_INTERVAL: Duration = Duration::from_secs(5);

/// Context shared by all speeds.
pub(super) struct SpeedContext<'a> {
    pub(super) dispatcher: &'a Dispatcher,
    pub(super) workers: &'a Workers,
    /// CPU for the source alone.
    pub(super) spare_cpu: Option<usize>,
    pub(super) timeout: Duration,
    pub(super) meters: &'a EnergyMeters,
    pub(super) devices: &'a [Device],
    pub(super) interrupt: &'a Interrupt,
    /// Live monitoring.
    pub(super) live: &'a Live,
    /// Transfers log changes to live monitoring.
    pub(super) follower: Option<Follower<'a>>,
    pub(super) report: &'a dyn Fn(&str),
}

/// Result of a speed.
pub(super) struct SpeedResult {
    pub(super) log: TimesliceLog,
    pub(super) begin_ns: u64,
    /// Last time at which timeslices were emitted.
    pub(super) end_ns: u64,
    /// True if the source had real-time priority, or did not need it.
    pub(super) is_on_time: bool,
    pub(super) wrong: Option<Wrong>,
    /// Comparison after the last result, except for streams that ended early.
    pub(super) comparison: Option<Comparison>,
    pub(super) busy: Option<Utilisation>,
    pub(super) energy: PeriodEnergy,
    /// Indices of lost workers, with the reasons.
    pub(super) ends: Vec<(usize, String)>,
    pub(super) was_interrupted: bool,
    /// True if it ended early because too many timeslices waited.
    pub(super) was_overrun: bool,
}

impl SpeedResult {
    /// True if any result was wrong.
    pub(super) fn is_wrong(&self) -> bool {
        self.wrong.is_some() || matches!(self.comparison, Some(Comparison::Wrong(_)))
    }
}

/// Timeslices to emit, and the condition for ending early.
pub(super) struct Stream {
    pub(super) emitting: Emitting,
    pub(super) log: TimesliceLog,
    /// Folder for results, if they are written.
    pub(super) results: Option<PathBuf>,
    /// Number of waiting timeslices at which the speed ends as not sustained.
    pub(super) max_waiting: Option<usize>,
}

impl Stream {
    /// Emits all timeslices and waits for the results.
    pub(super) fn run(self, context: &SpeedContext<'_>) -> Result<SpeedResult, StreamError> {
        let Stream { emitting, log, results, max_waiting } = self;
        context.dispatcher.open(log, results);
        let usage = context.workers.usage();
        let mut energy = context.meters.begin(context.devices);
        let stop = AtomicBool::new(false);
        let (end_ns, is_on_time, busy, energy) = thread::scope(|scope| {
            let dispatcher = context.dispatcher;
            let spare_cpu = context.spare_cpu;
            let stop = &stop;
            let source = Builder::new().spawn_scoped(scope, move || {
                let is_on_time = be_on_time(spare_cpu, emitting.schedule.between_ns());
                (emitting.run(dispatcher, stop), is_on_time)
            });
            let source = source.map_err(StreamError::Source)?;
            let energy_so_far = Some(&mut energy);
            watch(context, &emitting, stop, max_waiting, energy_so_far, || source.is_finished());
            // The source does not panic; if it did, no timeslice would be due.
            let (end_ns, is_on_time) = source.join().unwrap_or((emitting.begin_ns, true));
            let seconds = end_ns.saturating_sub(emitting.begin_ns) as f64 * 1e-9;
            let busy = context.workers.usage().since(&usage, seconds);
            let energy = context.meters.end(energy);
            watch(context, &emitting, stop, None, None, || context.dispatcher.is_over());
            Ok::<_, StreamError>((end_ns, is_on_time, busy, energy))
        })?;
        let (log, wrong) = context.dispatcher.take();
        let was_interrupted = context.interrupt.asked();
        let is_whole = !was_interrupted && wrong.is_none();
        let comparison = is_whole.then(|| context.workers.compare());
        if let Some(follower) = &context.follower {
            follower.end(&log, wrong.is_none());
        }
        Ok(SpeedResult {
            // The CPU time of lost workers is unknown.
            busy: busy.filter(|_| log.workers_lost() == 0),
            begin_ns: emitting.begin_ns,
            ends: context.dispatcher.ends(),
            was_overrun: stop.into_inner() && !was_interrupted,
            was_interrupted,
            log,
            end_ns,
            is_on_time,
            wrong,
            comparison,
            energy,
        })
    }
}

/// Monitors workers that hang and interrupts by the user, until all is over.
fn watch(
    context: &SpeedContext<'_>,
    emitting: &Emitting,
    stop: &AtomicBool,
    max_waiting: Option<usize>,
    mut energy: Option<&mut EnergyWindow<'_>>,
    is_over: impl Fn() -> bool,
) {
    let mut last_message = Instant::now();
    while !is_over() {
        thread::sleep(POLL_INTERVAL);
        energy.iter_mut().for_each(|energy| energy.update());
        for worker in context.dispatcher.hanging(context.timeout) {
            context.workers.end(worker);
        }
        let (timeslices, waiting) = context.dispatcher.progress();
        if context.interrupt.asked() || max_waiting.is_some_and(|max| waiting >= max) {
            stop.store(true, Ordering::Relaxed);
        }
        if let Some(follower) = &context.follower {
            let goes_on = !stop.load(Ordering::Relaxed);
            follower.look(context.dispatcher, goes_on.then(|| emitting.due_by(now_ns())));
        }
        if let Some(problem) = context.live.problem() {
            (context.report)(&problem);
        }
        if last_message.elapsed() >= MESSAGE_INTERVAL {
            last_message = Instant::now();
            (context.report)(&format!("{timeslices} timeslices, {waiting} waiting"));
        }
    }
}

/// Initial guess of a search, relative to the throughput of undisturbed workers.
const GUESS: f64 = 0.8;

/// Ratio at which the search stops: speeds that differ by less are considered equal.
const RESOLUTION: f64 = 1.05;
/// Maximum number of doublings or halvings before the search gives up.
const MAX_STEPS: usize = 12;

/// Bounds of the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    /// Highest speed that was sustained; `None` if none was.
    pub(super) kept_up: Option<f64>,
    /// Lowest speed that was not sustained; `None` if all were.
    pub(super) failed: Option<f64>,
}

/// Searches for the limit from an initial guess, up to a maximum speed. `keeps_up` measures a
/// speed; `None` ends the search.
pub(super) fn search_limit<E>(
    guess: f64,
    max_speed: f64,
    mut keeps_up: impl FnMut(f64) -> Result<Option<bool>, E>,
) -> Result<Limit, E> {
    let mut limit = Limit { kept_up: None, failed: None };
    let mut speed = guess.min(max_speed);
    for _ in 0..MAX_STEPS {
        match keeps_up(speed)? {
            None => return Ok(limit),
            Some(true) => limit.kept_up = Some(speed),
            Some(false) => limit.failed = Some(speed),
        }
        speed = match (limit.kept_up, limit.failed) {
            (Some(low), Some(high)) if high / low <= RESOLUTION => return Ok(limit),
            (Some(low), Some(high)) => (low * high).sqrt(),
            (Some(low), None) if low >= max_speed => return Ok(limit),
            (Some(low), None) => max_speed.min(2.0 * low),
            (None, Some(high)) => high / 2.0,
            (None, None) => return Ok(limit),
        };
    }
    Ok(limit)
}

/// Speed that workers would sustain if they did not disturb each other.
pub(super) fn guess(readiness: &Readiness, workers: usize, timeslice_ns: u64) -> f64 {
    let alone = workers as f64 * timeslice_ns as f64 * 1e-9 / readiness.took_s;
    if alone.is_finite() && alone > 0.0 { GUESS * alone } else { 1.0 }
}

/// Note on the limit of a device.
pub(super) fn words_of_limit(point: &StreamPoint, limit: &Limit, length: Duration) -> String {
    let times = |speed: f64| format!("{} times", short(speed));
    let length = humantime::format_duration(length);
    let result = match (limit.kept_up, limit.failed) {
        (Some(low), Some(high)) => format!(
            "keeps up with {} the detector's rate for {length}, and with {} no more",
            times(low),
            times(high)
        ),
        (Some(low), None) => format!(
            "keeps up with {} the detector's rate for {length}; more was not tried",
            times(low)
        ),
        (None, Some(high)) => format!("does not keep up with {} the detector's rate", times(high)),
        (None, None) => "was not tried at any speed".to_owned(),
    };
    format!("{} on {}: {result}", point.identity.variant, point.device_set)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_SPEED: f64 = 1e4;

    /// Result of a search, and the number of speeds tried.
    fn found(guess: f64, limit: f64) -> (Limit, usize) {
        let mut tried = 0;
        let searched = search_limit(guess, MAX_SPEED, |speed| {
            tried += 1;
            Ok::<_, ()>(Some(speed <= limit))
        });
        (searched.expect("no failure"), tried)
    }

    #[test]
    fn the_limit_is_found_from_above_and_from_below() {
        for (guess, limit) in [(1.0, 1.7), (1.0, 0.3), (8.0, 0.9), (1.0, 1.0), (0.9, 30.0)] {
            let (found, tried) = found(guess, limit);
            let low = found.kept_up.expect("some");
            let high = found.failed.expect("some");
            assert!(low <= limit && limit < high && high / low <= RESOLUTION, "{limit}: {found:?}");
            assert!(tried <= 11, "{limit}: {tried}");
        }
    }

    #[test]
    fn searches_without_a_limit_end() {
        let (all, _) = found(1.0, f64::INFINITY);
        assert!(all.kept_up.is_some() && all.failed.is_none());
        let (none, _) = found(1.0, 0.0);
        assert!(none.kept_up.is_none() && none.failed.is_some());
    }

    #[test]
    fn the_maximum_speed_is_respected() {
        for guess in [1.0, 50.0] {
            let mut fastest = 0.0;
            let searched = search_limit(guess, 20.0, |speed| {
                fastest = speed.max(fastest);
                Ok::<_, ()>(Some(true))
            });
            assert_eq!(searched, Ok(Limit { kept_up: Some(20.0), failed: None }));
            assert_eq!(fastest, 20.0);
        }
    }

    #[test]
    fn an_interrupt_keeps_what_is_known() {
        let mut tries = [Some(true), Some(false), None].into_iter();
        let limit = search_limit(1.0, MAX_SPEED, |_| Ok::<_, ()>(tries.next().flatten()))
            .expect("no failure");
        assert_eq!(limit, Limit { kept_up: Some(1.0), failed: Some(2.0) });
        let failed = search_limit(1.0, MAX_SPEED, |_| Err::<Option<bool>, _>("broken"));
        assert_eq!(failed, Err("broken"));
    }

    #[test]
    fn the_guess_is_the_undisturbed_throughput() {
        let ready = |took_s| Readiness { seconds: 1.0, took_s };
        assert!((guess(&ready(0.025), 2, 50_000_000) - 3.2).abs() < 1e-9);
        assert_eq!(guess(&ready(0.0), 2, 50_000_000), 1.0);
    }
}
