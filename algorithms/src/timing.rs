//! How long the parts of a run took.

use std::borrow::Cow;
use std::time::Instant;

/// A part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTiming {
    /// `kernel` for all kernels together, `h2d`, `d2h`, or the name of a kernel or of
    /// a part of the work on the host; `scope/name` for a part of the stage `scope`.
    pub name: Cow<'static, str>,
    /// How long it took in all its calls, in seconds.
    pub seconds: f64,
    /// How often it was called.
    pub calls: u32,
    /// Bytes that it moved in all its calls; 0 if nobody knows.
    pub bytes: u64,
}

/// The stages of a run.
pub type Stages = Vec<StageTiming>;

impl StageTiming {
    /// A stage that was not called yet.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        StageTiming { name: name.into(), seconds: 0.0, calls: 0, bytes: 0 }
    }

    /// Adds a call.
    pub fn add(&mut self, seconds: f64, bytes: u64) {
        self.seconds += seconds;
        self.calls += 1;
        self.bytes += bytes;
    }
}

/// Takes the times of stages that follow each other on the host.
pub(crate) struct Laps {
    stages: Stages,
    since: Instant,
}

impl Default for Laps {
    fn default() -> Self {
        Laps { stages: Stages::new(), since: Instant::now() }
    }
}

impl Laps {
    /// Forgets all stages; the first one begins now.
    pub(crate) fn start(&mut self) {
        self.stages.clear();
        self.since = Instant::now();
    }

    /// What was done until now belongs to no stage.
    pub(crate) fn skip(&mut self) {
        self.since = Instant::now();
    }

    /// The stage that ends now: another call of it if it was called before.
    pub(crate) fn lap(&mut self, name: &'static str, bytes: u64) {
        let now = Instant::now();
        let known = self.stages.iter().position(|stage| stage.name == name);
        let stage = known.unwrap_or_else(|| {
            self.stages.push(StageTiming::new(name));
            self.stages.len() - 1
        });
        self.stages[stage].add((now - self.since).as_secs_f64(), bytes);
        self.since = now;
    }

    /// The stages of the last run.
    pub(crate) fn stages(&self) -> Stages {
        self.stages.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_of_a_stage_are_its_calls() {
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
}
