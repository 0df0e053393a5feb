//! Conditions of two runs: whether the machine was busy, and differently in both, and whether they
//! are of one executable.
//!
//! Load by other processes makes a run slower as a whole: its samples agree with each other, and
//! its blocks too. No statistics of one run can distinguish that from slower code.

use super::measured::Measured;

/// Share of disturbed samples from which on a machine counts as busy.
const DISTURBED: f64 = 0.1;
/// Share of disturbed samples from which on the whole run counts as disturbed.
const MOSTLY_DISTURBED: f64 = 0.3;
/// Load per CPU before the run above which a machine counts as busy.
const LOADED: f64 = 0.5;
/// Difference of the loads per CPU above which loads count as different.
const UNLIKE: f64 = 0.25;

/// Conditions of two runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunConditions {
    /// Other processes used the machine during one of them.
    pub busy: bool,
    /// Many samples were disturbed, and the loads differed.
    pub unlike: bool,
    /// They are of two executables.
    pub rebuilt: bool,
}

impl RunConditions {
    /// Conditions by the samples and the load averages at the starts of both runs.
    pub fn new(base: &Measured, new: &Measured) -> Self {
        let executables = [base, new].map(|run| &run.record.software.fingerprint);
        let base = Load::from_run(base);
        let new = Load::from_run(new);
        let differ = base.load.zip(new.load).is_some_and(|(a, b)| (a - b).abs() > UNLIKE);
        RunConditions {
            busy: base.is_busy() || new.is_busy(),
            unlike: differ && base.disturbed.max(new.disturbed) > MOSTLY_DISTURBED,
            rebuilt: executables[0] != executables[1],
        }
    }
}

/// Load by other processes during a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The share of samples that were taken while other processes used the cores.
    pub disturbed: f64,
    /// Waiting processes at the start, per usable CPU.
    load: Option<f64>,
}

impl Load {
    pub fn from_run(run: &Measured) -> Self {
        let points = run.points.iter();
        let samples = points.filter_map(|point| point.samples.as_ref().ok());
        let count = |(all, disturbed), samples: &super::Samples| {
            (all + samples.all.samples(), disturbed + samples.disturbed)
        };
        let (all, disturbed) = samples.fold((0, 0), count);
        let environment = &run.record.environment;
        let cpus = environment.usable_threads.max(1) as f64;
        Load {
            disturbed: disturbed as f64 / all.max(1) as f64,
            load: environment.load_1min.map(|load| load / cpus),
        }
    }

    fn is_busy(self) -> bool {
        self.disturbed > DISTURBED || self.load.is_some_and(|load| load > LOADED)
    }

    /// The share in per cent, if it is significant.
    pub fn percent_disturbed(self) -> Option<f64> {
        (self.disturbed > DISTURBED).then_some(100.0 * self.disturbed)
    }
}
