//! Crossings of particles, as far as hits can reproduce them.

use generators::partition::Partition;
use generators::sts::physics::Truth;

/// The crossings of a timeslice by module, each module in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossings {
    points: Vec<Point>,
    partition: Partition,
}

/// Position and time of a particle's crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// In global coordinates, in cm.
    pub(super) x: f32,
    pub(super) y: f32,
    /// In ns.
    pub(super) time: f64,
    pub(super) traces: Traces,
}

/// Number of sides on which it left most of the charge of a digi or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traces {
    OneSideAtMost,
    BothSides,
}

impl Crossings {
    /// Crossings that left digis in these sides: fronts of all modules, then backs.
    pub fn new(truth: &Truth, sides: &Partition) -> Self {
        let traces = traces(truth, sides);
        let points = truth.crossings().iter().zip(traces);
        let point = |(crossing, traces): (&generators::sts::physics::Crossing, _)| Point {
            x: crossing.x,
            y: crossing.y,
            time: crossing.time_ns,
            traces,
        };
        Crossings { points: points.map(point).collect(), partition: truth.partition().clone() }
    }

    /// Crossings of a module.
    pub(super) fn of_module(&self, module: usize) -> &[Point] {
        &self.points[self.partition.range(module)]
    }
}

fn traces(truth: &Truth, sides: &Partition) -> Vec<Traces> {
    let mut seen = vec![[false; 2]; truth.crossings().len()];
    let fronts = sides.range(sides.segments() / 2).start;
    for (digi, &source) in truth.sources().iter().enumerate() {
        if source != Truth::NOISE {
            seen[source as usize][usize::from(digi >= fronts)] = true;
        }
    }
    let traces = seen.into_iter().map(|sides| match sides {
        [true, true] => Traces::BothSides,
        _ => Traces::OneSideAtMost,
    });
    traces.collect()
}
