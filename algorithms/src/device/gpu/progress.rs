//! What was started on a device, and what of it is known to have ended: memory may be used
//! again when nothing that was started still uses it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::engine::BESIDE;

/// All queues, that of [`Gpu::exchange`](super::Gpu::exchange) included.
const QUEUES: usize = BESIDE as usize + 2;
/// Where the other half of an exchange goes.
const BACK: usize = QUEUES - 1;

/// How much was started in each queue so far.
pub(super) type Moment = [u64; QUEUES];

/// See the module.
#[derive(Default)]
pub(super) struct Progress {
    started: [AtomicU64; QUEUES],
    ended: [AtomicU64; QUEUES],
    chosen: AtomicUsize,
    recording: AtomicBool,
}

/// Until when something is in use, unless it was waited for.
#[derive(Default)]
pub(super) struct Uses([AtomicU64; QUEUES]);

impl Progress {
    /// What is started from now on goes to a queue.
    pub(super) fn choose(&self, queue: u32) {
        self.chosen.store(queue as usize, Ordering::Relaxed);
    }

    /// What is started from now on is recorded and not done.
    pub(super) fn set_recording(&self, recording: bool) {
        self.recording.store(recording, Ordering::Relaxed);
    }

    /// Something is about to be started in the chosen queue; `used` is in use until it ends.
    pub(super) fn start(&self, used: Option<&Uses>) {
        self.start_in(self.chosen.load(Ordering::Relaxed), used);
    }

    /// The same, in the queue of the other direction.
    pub(super) fn start_back(&self, used: Option<&Uses>) {
        self.start_in(BACK, used);
    }

    fn start_in(&self, queue: usize, used: Option<&Uses>) {
        if self.recording.load(Ordering::Relaxed) {
            return;
        }
        let number = self.started[queue].fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(Uses(until)) = used {
            until[queue].store(number, Ordering::Relaxed);
        }
    }

    pub(super) fn now(&self) -> Moment {
        self.started.each_ref().map(|count| count.load(Ordering::Relaxed))
    }

    /// All that was started until then has ended.
    pub(super) fn all_ended(&self, until: &Moment) {
        for (ended, until) in self.ended.iter().zip(until) {
            ended.fetch_max(*until, Ordering::Relaxed);
        }
    }

    /// What was started in the chosen queue until then has ended.
    pub(super) fn chosen_ended(&self, until: &Moment) {
        let queue = self.chosen.load(Ordering::Relaxed);
        self.ended[queue].fetch_max(until[queue], Ordering::Relaxed);
    }

    /// Whether all that was started until then has ended.
    pub(super) fn has_passed(&self, moment: &Moment) -> bool {
        (0..QUEUES).all(|queue| self.passed_in(queue, moment))
    }

    /// The same, but for what goes before anything that is started in the chosen queue.
    pub(super) fn has_passed_elsewhere(&self, moment: &Moment) -> bool {
        let chosen = self.chosen.load(Ordering::Relaxed);
        (0..QUEUES).all(|queue| queue == chosen || self.passed_in(queue, moment))
    }

    fn passed_in(&self, queue: usize, moment: &Moment) -> bool {
        self.ended[queue].load(Ordering::Relaxed) >= moment[queue]
    }
}

impl Uses {
    pub(super) fn until(&self) -> Moment {
        self.0.each_ref().map(|until| until.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_passes_when_all_its_queues_were_waited_for() {
        let progress = Progress::default();
        let used = Uses::default();
        assert!(progress.has_passed(&used.until()));
        progress.start(Some(&used));
        progress.choose(1);
        progress.start(None);
        let then = progress.now();
        assert!(!progress.has_passed(&used.until()));
        progress.chosen_ended(&then);
        assert!(!progress.has_passed(&used.until()), "another queue");
        progress.choose(0);
        assert!(progress.has_passed_elsewhere(&then));
        progress.start(Some(&used));
        progress.chosen_ended(&then);
        assert!(progress.has_passed(&then) && !progress.has_passed(&used.until()));
        progress.all_ended(&progress.now());
        assert!(progress.has_passed(&used.until()));
    }

    #[test]
    fn what_is_recorded_is_not_started() {
        let (progress, used) = (Progress::default(), Uses::default());
        progress.set_recording(true);
        progress.start(Some(&used));
        assert!(progress.has_passed(&used.until()));
    }
}
