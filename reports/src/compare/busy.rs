//! What two runs were up against: whether the machine was busy, and differently so for both,
//! and whether they are of one executable.
//!
//! Somebody else's work makes a run slower as a whole: its samples agree with each other, and
//! its visits too. No statistics of one run can tell that from slower code.

use super::measured::Measured;

/// From this share of disturbed samples on a machine is busy.
const DISTURBED: f64 = 0.1;
/// From this share on nothing is left that was not disturbed in some way.
const MOSTLY: f64 = 0.3;
/// A machine is busy if more than this share of its CPUs had work before the run.
const LOADED: f64 = 0.5;
/// Loads are unlike if they differ by more than this share of the CPUs.
const UNLIKE: f64 = 0.25;

/// What two runs were up against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Others used the machine during one of them.
    pub busy: bool,
    /// Many samples were disturbed, and by unlike loads.
    pub unlike: bool,
    /// They are of two executables.
    pub rebuilt: bool,
}

impl Circumstances {
    /// Of two runs, by their samples and by what the system said at their starts.
    pub fn of(base: &Measured, new: &Measured) -> Self {
        let executables = [base, new].map(|run| &run.record.software.fingerprint);
        let (base, new) = (Load::of(base), Load::of(new));
        let differ = base.load.zip(new.load).is_some_and(|(a, b)| (a - b).abs() > UNLIKE);
        Circumstances {
            busy: base.is_busy() || new.is_busy(),
            unlike: differ && base.disturbed.max(new.disturbed) > MOSTLY,
            rebuilt: executables[0] != executables[1],
        }
    }
}

/// What a run was up against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The share of samples that were taken while others used the cores.
    pub disturbed: f64,
    /// Processes that were waiting at the start, for each usable CPU.
    load: Option<f64>,
}

impl Load {
    pub fn of(run: &Measured) -> Self {
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

    /// The share in per cent, if it is worth a word.
    pub fn percent_disturbed(self) -> Option<f64> {
        (self.disturbed > DISTURBED).then_some(100.0 * self.disturbed)
    }
}
