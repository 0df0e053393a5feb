//! Specification of a paired run, and its result.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use reports::compare::Thresholds;
use reports::record::{Point, RunRecord, SummaryRow};

use super::PairedError;
use super::child::Side;
use super::points::InputOrder;
use super::side_plugins::SidePlugins;
use crate::measure::Start;

/// An executable with a display name.
#[derive(Clone, Debug)]
pub(crate) struct Executable {
    pub(crate) bench: PathBuf,
    pub(crate) name: String,
}

impl Executable {
    pub(crate) fn new(bench: PathBuf, name: &str) -> Self {
        let name = name.to_owned();
        Executable { bench, name }
    }

    /// Executable of this process.
    pub(crate) fn this_process(name: &str) -> io::Result<Self> {
        Ok(Executable::new(std::env::current_exe()?, name))
    }
}

/// Specification of a paired run: new side and base.
pub(crate) struct Against<'a> {
    pub(crate) base: Executable,
    pub(crate) base_plugins: SidePlugins,
    pub(crate) new: Executable,
    pub(crate) new_plugins: SidePlugins,
    /// Rows of the new side for points that must not be measured on either side, because the trial
    /// of their plugin failed.
    pub(crate) refused: Vec<SummaryRow>,
    pub(crate) inputs: Vec<InputOrder>,
    /// Fraction by which the new side of a point is slowed down; used by self-tests.
    pub(crate) slowdown: &'a dyn Fn(&Point) -> f64,
    /// Metadata of the run, except for the software.
    pub(crate) record: RunRecord,
    pub(crate) out: PathBuf,
    pub(crate) start: Start,
    pub(crate) thresholds: Thresholds,
    pub(crate) started: Instant,
    pub(crate) budget: Option<Duration>,
    pub(crate) quiet: bool,
}

impl Against<'_> {
    /// Executable of a side, and its plugins.
    pub(super) fn side(&self, side: Side) -> (&Executable, &SidePlugins) {
        match side {
            Side::Base => (&self.base, &self.base_plugins),
            Side::New => (&self.new, &self.new_plugins),
        }
    }
}

/// Result of a paired run. Measured rows are in the folders, even after a failure.
pub(crate) struct PairedResult {
    /// Folder of the new side; that of the base is in it.
    pub(crate) folder: PathBuf,
    pub(crate) base: PathBuf,
    pub(crate) interrupted: bool,
    /// Number of points without results because time ran out.
    pub(crate) left_out: usize,
    /// Error that ended it early.
    pub(crate) failure: Option<PairedError>,
}
