//! Times of the parts of a run.

use std::borrow::Cow;
use std::time::Instant;

/// A part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTiming {
    /// `kernel` for all kernels together, `h2d`, `d2h`, or the name of a kernel or of a part of the
    /// host's work; `scope/name` for a part of the stage `scope`.
    pub name: Cow<'static, str>,
    /// Total time of all calls in seconds.
    pub seconds: f64,
    /// Number of calls.
    pub calls: u32,
    /// Bytes moved by all calls; 0 if unknown.
    pub bytes: u64,
    /// Start of the first call in seconds: on the host from the start of the run, on a GPU from its
    /// first copy or kernel. Unknown for times of workers that are added up.
    pub start_s: Option<f64>,
}

/// The stages of a run.
pub type Stages = Vec<StageTiming>;

impl StageTiming {
    /// A stage without calls.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        StageTiming { name: name.into(), seconds: 0.0, calls: 0, bytes: 0, start_s: None }
    }

    /// Adds a call.
    pub fn add(&mut self, seconds: f64, bytes: u64) {
        self.seconds += seconds;
        self.calls += 1;
        self.bytes += bytes;
    }
}

/// Times consecutive stages on the host.
pub struct Laps {
    stages: Stages,
    origin: Instant,
    since: Instant,
}

impl Default for Laps {
    fn default() -> Self {
        let now = Instant::now();
        Laps { stages: Stages::new(), origin: now, since: now }
    }
}

impl Laps {
    /// Discards all stages, and starts the first one now.
    pub fn start(&mut self) {
        self.stages.clear();
        self.origin = Instant::now();
        self.since = self.origin;
    }

    /// Starts the next stage now; the time before belongs to no stage.
    pub fn skip(&mut self) {
        self.since = Instant::now();
    }

    /// Ends a stage now: another call of it if it was called before.
    pub fn lap(&mut self, name: &'static str, bytes: u64) {
        let now = Instant::now();
        let known = self.stages.iter().position(|stage| stage.name == name);
        let stage = known.unwrap_or_else(|| {
            let start_s = Some((self.since - self.origin).as_secs_f64());
            self.stages.push(StageTiming { start_s, ..StageTiming::new(name) });
            self.stages.len() - 1
        });
        self.stages[stage].add((now - self.since).as_secs_f64(), bytes);
        self.since = now;
    }

    /// Returns the stages of the last run.
    pub fn stages(&self) -> Stages {
        self.stages.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_with_the_same_name_are_calls_of_one_stage() {
        let mut laps = Laps::default();
        laps.lap("of an earlier run", 1);
        laps.start();
        for name in ["clear", "fill", "clear"] {
            laps.lap(name, 10);
        }
        let stages = laps.stages();
        let calls: Vec<_> = stages.iter().map(|s| (&*s.name, s.calls, s.bytes)).collect();
        assert_eq!(calls, [("clear", 2, 20), ("fill", 1, 10)]);
    }

    #[test]
    fn a_stage_starts_with_its_first_call() {
        let mut laps = Laps::default();
        laps.start();
        laps.lap("first", 0);
        std::thread::sleep(std::time::Duration::from_millis(2));
        laps.skip();
        laps.lap("second", 0);
        laps.lap("first", 0);
        let [first, second] = &laps.stages()[..] else { panic!("two stages") };
        assert_eq!(first.start_s, Some(0.0));
        assert!(second.start_s.is_some_and(|start| start >= 2e-3), "{second:?}");
    }
}
