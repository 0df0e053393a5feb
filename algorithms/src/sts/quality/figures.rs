//! Efficiency, ghosts, residuals and pulls.

use generators::sts::setup::{Module, Setup};

use super::Crossings;
use super::crossings::{Point, Traces};
use super::matching::{Claim, Strips};
use crate::algorithm::metric::{EFFICIENCY, GHOSTS};
use crate::algorithm::{Metric, MetricInfo, Relation};
use crate::parallel::map;
use crate::sts::Partitioned;

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
pub(crate) const FIGURES: [MetricInfo; 7] =
    [EFFICIENCY, GHOSTS, OFFSETS[0], OFFSETS[1], OFFSETS[2], OFFSETS[3], OFFSETS[4]];

/// Counts of a module.
#[derive(Default)]
struct Tally {
    /// Crossings that left digis on both sides.
    seen: usize,
    /// Those of them with a hit.
    found: usize,
    hits: usize,
    ghosts: usize,
    offsets: [Vec<f32>; OFFSETS.len()],
}

/// Quality of the hits of timeslices: `efficiency`, the share of crossings with a hit among those
/// that left digis on both sides; `ghosts`, the share of hits without a crossing; and the widths of
/// the residuals in x, y and time: the distance within which 68.27 % of hits are, which is the
/// standard deviation of a normal and unbiased distribution. Pulls are residuals in units of the
/// hit's own error: 1 if that is right.
pub fn figures<'a, H>(
    timeslices: impl IntoIterator<Item = (&'a Setup, &'a Crossings, &'a Partitioned<H>)>,
) -> Vec<Metric>
where
    H: Sync + 'a,
    Claim: for<'h> From<&'h H>,
{
    let mut sum = Tally::default();
    for (setup, crossings, hits) in timeslices {
        let tallies = map(setup.modules().iter().enumerate(), |(index, module)| {
            Tally::of_module(module, crossings.of_module(index), hits.segment(index))
        });
        tallies.into_iter().for_each(|tally| sum.add(tally));
    }
    sum.metrics()
}

impl Tally {
    fn of_module<H>(module: &Module, crossings: &[Point], hits: &[H]) -> Self
    where
        Claim: for<'h> From<&'h H>,
    {
        let strips = Strips::new(module);
        let mut is_found = vec![false; crossings.len()];
        let mut tally = Tally { hits: hits.len(), ..Tally::default() };
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
            tally.found += usize::from(is_found);
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

    fn add(&mut self, other: Tally) {
        self.seen += other.seen;
        self.found += other.found;
        self.hits += other.hits;
        self.ghosts += other.ghosts;
        for (offsets, others) in self.offsets.iter_mut().zip(other.offsets) {
            offsets.extend(others);
        }
    }

    fn metrics(mut self) -> Vec<Metric> {
        let share = |part: usize, whole: usize| part as f64 / whole as f64;
        let shares =
            [(&EFFICIENCY, share(self.found, self.seen)), (&GHOSTS, share(self.ghosts, self.hits))];
        let infos: &'static [MetricInfo] = &OFFSETS;
        let widths = infos.iter().zip(self.offsets.iter_mut().map(|offsets| width(offsets)));
        let figures = shares.into_iter().chain(widths);
        let metric = |(info, value)| Metric::new(info, value, Relation::Itself);
        figures.map(metric).collect()
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
