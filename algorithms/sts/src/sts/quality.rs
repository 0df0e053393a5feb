//! Quality of hits against the simulated truth.
//!
//! A hit belongs to the nearest crossing whose strips are within two of its own on either side, and
//! whose time is near. It is a *ghost* if there is none. A crossing is *found* if a hit belongs to
//! it. Only crossings that left digis on both sides count, because the reconstruction cannot find
//! what the detector did not see.

use generators_common::partition::Partition;
use generators_sts::physics::Truth;
use generators_sts::setup::{Module, Setup};
use parallel::map;

use super::{Hit, OfflineHit, Partitioned};
use tasks::algorithm::metric::{EFFICIENCY, GHOSTS};
use tasks::algorithm::{MetricInfo, Quality};

/// The share of a normal distribution that is within a standard deviation.
const WITHIN_A_DEVIATION: f64 = 0.682_689;
const UM_IN_A_CM: f32 = 1e4;

/// Residuals in x, y and time, then pulls in x and y.
const OFFSETS: [MetricInfo; 5] = [
    MetricInfo::residual("x_residual_um", "µm", "x residual"),
    MetricInfo::residual("y_residual_um", "µm", "y residual"),
    MetricInfo::residual("time_residual_ns", "ns", "time residual"),
    MetricInfo::pull("x_pull", "x pull"),
    MetricInfo::pull("y_pull", "y pull"),
];
/// All figures of hits.
pub(super) const FIGURES: [MetricInfo; 7] =
    [EFFICIENCY, GHOSTS, OFFSETS[0], OFFSETS[1], OFFSETS[2], OFFSETS[3], OFFSETS[4]];

/// Counts of a module.
#[derive(Default)]
struct Tally {
    /// Crossings that left digis on both sides.
    seen: u64,
    /// Those of them with a hit.
    found: u64,
    hits: u64,
    ghosts: u64,
    offsets: [Vec<f32>; OFFSETS.len()],
}

/// Quality of the hits of timeslices: `efficiency`, the share of crossings with a hit among those
/// that left digis on both sides; `ghosts`, the share of hits without a crossing; and the widths of
/// the residuals in x, y and time: the distance within which 68.27 % of hits are, which is the
/// standard deviation of a normal and unbiased distribution. Pulls are residuals in units of the
/// hit's own error: 1 if that is right.
pub fn figures<'a, H>(
    timeslices: impl IntoIterator<Item = (&'a Setup, &'a Crossings, &'a Partitioned<H>)>,
) -> Vec<Quality>
where
    H: Sync + 'a,
    Claim: for<'h> From<&'h H>,
{
    let mut modules = Vec::new();
    for (setup, crossings, hits) in timeslices {
        modules.extend(map(setup.modules().iter().enumerate(), |(index, module)| {
            Tally::of_module(module, crossings.of_module(index), hits.segment(index))
        }));
    }
    metrics(modules)
}

/// The figures of modules: of all their hits, and those of each module as a part.
fn metrics(mut modules: Vec<Tally>) -> Vec<Quality> {
    let mut figures = vec![
        Quality::share_of(&EFFICIENCY, &modules, |module| [module.found, module.seen]),
        Quality::share_of(&GHOSTS, &modules, |module| [module.ghosts, module.hits]),
    ];
    let infos: &'static [MetricInfo] = &OFFSETS;
    figures.extend(infos.iter().enumerate().map(|(index, info)| {
        Quality::width_of(info, &mut modules, |module| &mut module.offsets[index], width)
    }));
    figures
}

impl Tally {
    fn of_module<H>(module: &Module, crossings: &[Point], hits: &[H]) -> Self
    where
        Claim: for<'h> From<&'h H>,
    {
        let strips = Strips::new(module);
        let mut is_found = vec![false; crossings.len()];
        let mut tally = Tally { hits: hits.len() as u64, ..Tally::default() };
        for hit in hits.iter().map(Claim::from) {
            match strips.nearest(&hit, crossings) {
                Some(index) => {
                    is_found[index] = true;
                    tally.take(&hit, &crossings[index]);
                }
                None => tally.ghosts += 1,
            }
        }
        let both_sides = |(point, _): &(&Point, &bool)| point.traces == Traces::BothSides;
        for (_, &is_found) in crossings.iter().zip(&is_found).filter(both_sides) {
            tally.seen += 1;
            tally.found += u64::from(is_found);
        }
        tally
    }

    /// Adds the residuals of a hit.
    fn take(&mut self, hit: &Claim, point: &Point) {
        let x = (hit.x - f64::from(point.x)) as f32;
        let y = (hit.y - f64::from(point.y)) as f32;
        let dx = hit.dx as f32;
        let dy = hit.dy as f32;
        let time = (hit.time - point.time) as f32;
        let values = [x * UM_IN_A_CM, y * UM_IN_A_CM, time, x / dx, y / dy];
        for (offsets, value) in self.offsets.iter_mut().zip(values) {
            offsets.push(value.abs());
        }
    }
}

/// The distance within which 68.27 % of the offsets are, as within a standard deviation of a normal
/// distribution; NaN if there are none.
fn width(offsets: &mut [f32]) -> f64 {
    let index = (WITHIN_A_DEVIATION * offsets.len() as f64) as usize;
    if index >= offsets.len() {
        return f64::NAN;
    }
    let (_, width, _) = offsets.select_nth_unstable_by(index, f32::total_cmp);
    f64::from(*width)
}

/// Largest distance of a hit and its crossing on either side, in strips. Centres of clusters are
/// off by a part of a strip; further away, another particle is the reason.
const REACH_STRIPS: f64 = 2.0;
/// Largest time difference in ns: six standard deviations of the time of a digi, of which a hit has
/// two or more.
const REACH_NS: f64 = 30.0;

/// Position, time and errors of a hit of either reconstruction.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Global coordinates in cm, and their standard deviations.
    x: f64,
    y: f64,
    dx: f64,
    dy: f64,
    /// In ns.
    time: f64,
}

impl From<&Hit> for Claim {
    fn from(hit: &Hit) -> Self {
        Claim {
            x: hit.x.into(),
            y: hit.y.into(),
            dx: hit.dx.into(),
            dy: hit.dy.into(),
            time: hit.time.into(),
        }
    }
}

impl From<&OfflineHit> for Claim {
    fn from(hit: &OfflineHit) -> Self {
        Claim { x: hit.x, y: hit.y, dx: hit.dx, dy: hit.dy, time: hit.time }
    }
}

/// Distances of a hit from crossings in strips, that is where the strips of either side leave the
/// edge.
struct Strips {
    /// From global coordinates in the sensor's plane to those along its edge and its
    /// height.
    rotation: [f64; 4],
    tangents: [f64; 2],
    pitch: f64,
}

impl Strips {
    fn new(module: &Module) -> Self {
        let [a, b, _, c, d, ..] = module.rotation;
        let angles = [module.stereo_front, module.stereo_back];
        Strips {
            rotation: [a, c, b, d],
            tangents: angles.map(|angle| angle.to_radians().tan()),
            pitch: module.pitch,
        }
    }

    /// Index of the nearest crossing that is near enough, if there is one.
    fn nearest(&self, hit: &Claim, crossings: &[Point]) -> Option<usize> {
        let start = crossings.partition_point(|point| point.time < hit.time - REACH_NS);
        let near = crossings[start..].iter();
        let near = near.take_while(|point| point.time <= hit.time + REACH_NS);
        let distances = near.enumerate().filter_map(|(index, point)| {
            let distance = self.distance(hit, point)?;
            Some((start + index, distance))
        });
        let nearest = distances.min_by(|(_, a), (_, b)| a.total_cmp(b));
        nearest.map(|(index, _)| index)
    }

    /// The square of the distance in strips; `None` if it is beyond reach on a side.
    fn distance(&self, hit: &Claim, point: &Point) -> Option<f64> {
        let x = hit.x - f64::from(point.x);
        let y = hit.y - f64::from(point.y);
        let [a, b, c, d] = self.rotation;
        let across = a * x + b * y;
        let along = c * x + d * y;
        let strips = |tangent: f64| (across + along * tangent) / self.pitch;
        let [front, back] = self.tangents.map(strips);
        let is_near = front.abs() <= REACH_STRIPS && back.abs() <= REACH_STRIPS;
        is_near.then_some(front * front + back * back)
    }
}

/// The crossings of a timeslice by module, each module in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossings {
    points: Vec<Point>,
    partition: Partition,
}

/// Position and time of a particle's crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    /// In global coordinates, in cm.
    x: f32,
    y: f32,
    /// In ns.
    time: f64,
    traces: Traces,
}

/// Number of sides on which it left most of the charge of a digi or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Traces {
    OneSideAtMost,
    BothSides,
}

impl Crossings {
    /// Crossings that left digis in these sides: fronts of all modules, then backs.
    pub fn new(truth: &Truth, sides: &Partition) -> Self {
        let traces = traces(truth, sides);
        let points = truth.crossings().iter().zip(traces);
        let point = |(crossing, traces): (&generators_sts::physics::Crossing, _)| Point {
            x: crossing.x,
            y: crossing.y,
            time: crossing.time_ns,
            traces,
        };
        Crossings { points: points.map(point).collect(), partition: truth.partition().clone() }
    }

    /// Crossings of a module.
    fn of_module(&self, module: usize) -> &[Point] {
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

#[cfg(test)]
mod tests {
    use generators_sts::setup::Setup;

    use super::*;

    fn point(x: f32, y: f32, time: f64) -> Point {
        Point { x, y, time, traces: Traces::BothSides }
    }

    fn hit(x: f64, y: f64, time: f64) -> Claim {
        Claim { x, y, dx: 1e-3, dy: 1e-2, time }
    }

    fn strips() -> Strips {
        Strips::new(&Setup::regular(1).expect("sensible").modules()[0])
    }

    #[test]
    fn the_nearest_of_those_in_reach_is_it() {
        let crossings = [
            point(0.0, 0.0, 50.0),
            point(0.0, 0.0, 100.0),
            point(0.004, 0.0, 105.0),
            point(0.0, 0.0, 140.0),
        ];
        assert_eq!(strips().nearest(&hit(0.003, 0.0, 104.0), &crossings), Some(2));
        assert_eq!(strips().nearest(&hit(0.001, 0.0, 104.0), &crossings), Some(1));
        assert_eq!(strips().nearest(&hit(0.0, 0.0, 300.0), &crossings), None);
    }

    #[test]
    fn strips_reach_further_along_than_across() {
        let crossings = [point(0.0, 0.0, 100.0)];
        let is_found = |x, y| strips().nearest(&hit(x, y, 100.0), &crossings).is_some();
        assert!(is_found(0.0115, 0.0) && !is_found(0.0117, 0.0));
        assert!(is_found(0.0, 0.08) && !is_found(0.0, 0.1));
    }

    #[test]
    fn sensors_that_are_flipped_count_alike() {
        let mut module = Setup::regular(1).expect("sensible").modules()[0].clone();
        module.rotation = [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0];
        let flipped = Strips::new(&module);
        let crossings = [point(0.0, 0.0, 100.0)];
        let claims = [hit(0.011, 0.05, 100.0), hit(-0.011, 0.05, 100.0)];
        let found = |strips: &Strips| claims.map(|hit| strips.nearest(&hit, &crossings).is_some());
        assert_eq!(found(&strips()), [false, true]);
        assert_eq!(found(&flipped), [true, false]);
    }
}
