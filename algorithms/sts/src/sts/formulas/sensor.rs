//! Crossings of the strips of both sides.
//!
//! A strip leaves the top edge of the sensor at x and runs down at an angle. Where it meets the
//! left or right edge it continues at the other edge: a read-out line connects it to the strip that
//! starts there. So a channel is several lines, each displaced by the width of the sensor, and a
//! pair of channels may cross more than once.

use std::ops::RangeInclusive;

use generators_sts::CHANNELS_PER_SIDE;
use generators_sts::setup::{Cuts, Module};

use super::Real;
use crate::kernels::sts_cuda_formulas_rules_h as kernels;

/// Clusters further apart than this many standard deviations are never paired, whatever the cut is.
pub const CLUSTER_PRUNING: f64 = 4.0;

/// Angles below it, in degrees, are none.
const VERTICAL: f64 = 0.001;
/// Sides whose angles differ by less than this, in degrees, do not cross.
const PARALLEL: f64 = 0.5;

/// Margin for rounding errors, far larger than these, relative to the sensor's size.
const ROUNDING: f64 = 1e-4;

/// The lines of a channel, as displacements from the first in widths of the sensor.
pub type Lines = RangeInclusive<i32>;

/// A sensor's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The n side, with segment `m`.
    Front,
    /// The p side, with segment `modules + m`.
    Back,
}

/// The sides with vertical strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strips {
    /// Strips of both sides are parallel and do not cross.
    Parallel,
    /// The front's strips are vertical.
    FrontVertical,
    /// The back's strips are vertical.
    BackVertical,
    /// None.
    BothTilted,
}

/// A point on the sensor, from its centre, in cm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local<R> {
    /// Across the strips.
    pub x: R,
    /// Along them.
    pub y: R,
}

/// Variances and covariance of x and y on the sensor, in cm².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread<R> {
    /// Variance of x.
    pub xx: R,
    /// Variance of y.
    pub yy: R,
    /// Covariance.
    pub xy: R,
}

/// The geometry of one module.
#[derive(Clone, Debug)]
pub struct Sensor<R> {
    strips: Strips,
    /// Width of the active area, in cm.
    pub width: R,
    height: R,
    pitch: R,
    front: Edge<R>,
    back: Edge<R>,
    rotation: [R; 9],
    translation: [R; 3],
}

/// Direction of a side's strips at the top edge.
#[derive(Clone, Copy, Debug)]
struct Edge<R> {
    tangent: R,
    cosine: R,
    lorentz: R,
}

impl<R: Real> Sensor<R> {
    /// The geometry of a module.
    pub fn new(module: &Module) -> Self {
        let front = module.stereo_front;
        let back = module.stereo_back;
        let strips = if (front - back).abs() < PARALLEL {
            Strips::Parallel
        } else if front.abs() < VERTICAL {
            Strips::FrontVertical
        } else if back.abs() < VERTICAL {
            Strips::BackVertical
        } else {
            Strips::BothTilted
        };
        let pitch = R::from_f64(module.pitch);
        Sensor {
            strips,
            width: R::from_f64(f64::from(CHANNELS_PER_SIDE)) * pitch,
            height: R::from_f64(module.height),
            pitch,
            front: Edge::new(front, module.lorentz_front),
            back: Edge::new(back, module.lorentz_back),
            rotation: module.rotation.map(R::from_f64),
            translation: module.translation.map(R::from_f64),
        }
    }

    /// Point where the strip at a position in channels leaves the top edge, in cm from the left
    /// corner; `None` outside the active area.
    #[inline]
    pub fn edge(&self, side: Side, position: R) -> Option<R> {
        let x = self.edge_anywhere(side, position);
        self.has_edge(x).then_some(x)
    }

    /// True if a strip that leaves the top edge at `x` does so in the active area.
    #[inline(always)]
    pub fn has_edge(&self, x: R) -> bool {
        x >= R::from_f64(0.0) && x <= self.width
    }

    /// Point where the strip leaves the top edge, also outside the active area.
    #[inline(always)]
    pub fn edge_anywhere(&self, side: Side, position: R) -> R {
        let whole = position.truncated();
        let fraction = position - R::from_f64(f64::from(whole));
        let strip = match side {
            Side::Front => whole,
            Side::Back => whole - i32::from(CHANNELS_PER_SIDE),
        };
        (R::from_f64(f64::from(strip)) + fraction + R::from_f64(0.5)) * self.pitch
            - self.side(side).lorentz
    }

    /// The error of a position in channels as one of the edge's, in cm.
    #[inline(always)]
    pub fn edge_error(&self, position_error: R) -> R {
        position_error * self.pitch
    }

    /// An error along the edge as one across the strips.
    #[inline(always)]
    pub fn across(&self, side: Side, edge_error: R) -> R {
        edge_error * self.side(side).cosine
    }

    /// The lines of a strip that leaves the edge at x; `round` rounds a number of widths to an
    /// integer.
    #[inline]
    pub fn lines(&self, side: Side, x: R, round: impl Fn(R) -> i32) -> Lines {
        let [first, last] = self.first_and_last_line(side, x, round);
        first..=last
    }

    /// The first and the last of them.
    #[inline(always)]
    pub fn first_and_last_line(&self, side: Side, x: R, round: impl Fn(R) -> i32) -> [i32; 2] {
        let widths = round((x + self.height * self.side(side).tangent) / self.width);
        [widths.min(0), widths.max(0)]
    }

    /// Does some work that is compiled for each kind of strips.
    #[inline(always)]
    pub fn by_strips<T>(&self, work: impl FnOnce(Strips) -> T) -> T {
        match self.strips {
            Strips::Parallel => work(Strips::Parallel),
            Strips::FrontVertical => work(Strips::FrontVertical),
            Strips::BackVertical => work(Strips::BackVertical),
            Strips::BothTilted => work(Strips::BothTilted),
        }
    }

    /// Crossing of two lines, given the points where they leave the edge; `None` if not on the
    /// active area.
    #[inline]
    pub fn crossing(&self, front: R, back: R) -> Option<Local<R>> {
        let local = self.crossing_anywhere(self.strips, front, back);
        (self.strips != Strips::Parallel && self.has(local)).then_some(local)
    }

    /// Crossing of two lines, also outside the active area, for a sensor with the given strips,
    /// which are not parallel.
    #[inline(always)]
    pub fn crossing_anywhere(&self, strips: Strips, front: R, back: R) -> Local<R> {
        let tan_front = self.front.tangent;
        let tan_back = self.back.tangent;
        let (x, y) = match strips {
            Strips::Parallel | Strips::FrontVertical => {
                (front, self.height - (front - back) / tan_back)
            }
            Strips::BackVertical => (back, self.height - (back - front) / tan_front),
            Strips::BothTilted => (
                (tan_back * front - tan_front * back) / (tan_back - tan_front),
                self.height + (back - front) / (tan_back - tan_front),
            ),
        };
        let half = R::from_f64(2.0);
        Local { x: x - self.width / half, y: y - self.height / half }
    }

    /// True if a point is on the active area.
    #[inline(always)]
    pub fn has(&self, local: Local<R>) -> bool {
        let half = R::from_f64(2.0);
        local.x.abs() <= self.width / half && local.y.abs() <= self.height / half
    }

    /// Range of the differences of lines at the edge, front minus back, outside which they surely
    /// do not cross on the active area.
    pub fn crossing_range(&self) -> RangeInclusive<R> {
        let zero = R::from_f64(0.0);
        if self.strips == Strips::Parallel {
            return R::from_f64(1.0)..=zero;
        }
        let reach = self.height * (self.back.tangent - self.front.tangent);
        let margin = R::from_f64(ROUNDING) * self.width.larger(self.height);
        reach.smaller(zero) - margin..=reach.larger(zero) + margin
    }

    /// Variances of x and y, by the errors of both sides along the edge.
    #[inline]
    pub fn spread(&self, front: R, back: R) -> Spread<R> {
        self.spread_of(self.strips, front, back)
    }

    /// Spread of a crossing for a sensor with strips of kind `strips`.
    #[inline(always)]
    pub fn spread_of(&self, strips: Strips, front: R, back: R) -> Spread<R> {
        let tan_front = self.front.tangent;
        let tan_back = self.back.tangent;
        let both = front * front + back * back;
        match strips {
            Strips::Parallel | Strips::FrontVertical => Spread {
                xx: front * front,
                yy: both / tan_back / tan_back,
                xy: -(front * front) / tan_back,
            },
            Strips::BackVertical => Spread {
                xx: back * back,
                yy: both / tan_front / tan_front,
                xy: -(back * back) / tan_front,
            },
            Strips::BothTilted => {
                let g = R::from_f64(1.0) / (tan_back - tan_front) / (tan_back - tan_front);
                let ff = front * front;
                let bb = back * back;
                Spread {
                    xx: g * (ff * tan_back * tan_back + bb * tan_front * tan_front),
                    yy: g * both,
                    xy: -g * (ff * tan_back + bb * tan_front),
                }
            }
        }
    }

    /// A point on the sensor in global coordinates.
    #[inline(always)]
    pub fn global(&self, local: Local<R>) -> [R; 3] {
        let row = |axis: usize| {
            let [a, b] = [self.rotation[3 * axis], self.rotation[3 * axis + 1]];
            self.translation[axis] + a * local.x + b * local.y
        };
        [row(0), row(1), row(2)]
    }

    /// Variances of the global coordinates, and the covariance of x and y.
    #[inline(always)]
    pub fn rotated(&self, spread: Spread<R>) -> ([R; 3], R) {
        let entry = |row: usize, column: usize| {
            let [a, b] = [self.rotation[3 * row], self.rotation[3 * row + 1]];
            let [c, d] = [self.rotation[3 * column], self.rotation[3 * column + 1]];
            a * c * spread.xx + (a * d + b * c) * spread.xy + b * d * spread.yy
        };
        // A variance of nothing may come out below it.
        let variance = |axis| entry(axis, axis).larger(R::from_f64(0.0));
        ([variance(0), variance(1), variance(2)], entry(0, 1))
    }

    /// Tangent and cosine of the angle of a side's strips.
    pub(in crate::sts) fn angle(&self, side: Side) -> [R; 2] {
        let edge = self.side(side);
        [edge.tangent, edge.cosine]
    }

    #[inline(always)]
    fn side(&self, side: Side) -> &Edge<R> {
        match side {
            Side::Front => &self.front,
            Side::Back => &self.back,
        }
    }
}

impl Sensor<f32> {
    /// The sensor as kernels read it, without an address.
    pub(in crate::sts) fn for_kernels(&self) -> kernels::Sensor {
        let edge = |edge: &Edge<f32>| kernels::Edge {
            tangent: edge.tangent,
            cosine: edge.cosine,
            lorentz: edge.lorentz,
        };
        kernels::Sensor {
            strips: match self.strips {
                Strips::Parallel => kernels::PARALLEL,
                Strips::FrontVertical => kernels::FRONT_VERTICAL,
                Strips::BackVertical => kernels::BACK_VERTICAL,
                Strips::BothTilted => kernels::BOTH_TILTED,
            },
            width: self.width,
            height: self.height,
            pitch: self.pitch,
            front: edge(&self.front),
            back: edge(&self.back),
            rotation: self.rotation,
            translation: self.translation,
            address: 0,
        }
    }
}

impl<R: Real> Edge<R> {
    fn new(stereo: f64, lorentz: f64) -> Self {
        let angle = R::from_f64(stereo) * R::from_f64(std::f64::consts::PI / 180.0);
        Edge { tangent: angle.tangent(), cosine: angle.cosine(), lorentz: R::from_f64(lorentz) }
    }
}

/// The standard deviation of the time of a hit, in ns, by those of its clusters.
#[inline]
pub fn pair_time_error<R: Real>(front: R, back: R) -> R {
    R::from_f64(0.5) * (front * front + back * back).sqrt()
}

/// The time cut of two clusters with these errors, in ns; below 0 if nothing passes. `latest_error`
/// is the largest of the back's. (The pruning is wider than the cut for the default cuts only;
/// others may be limited by it.)
#[inline]
pub fn time_cut<R: Real>(cuts: &Cuts, front: R, back: R, latest_error: R) -> R {
    let deviation = |error: R| (front * front + error * error).sqrt();
    let pruned = R::from_f64(CLUSTER_PRUNING) * deviation(latest_error);
    let cut = if cuts.time_cut_cluster_abs > 0.0 {
        R::from_f64(cuts.time_cut_cluster_abs)
    } else if cuts.time_cut_cluster_sig > 0.0 {
        R::from_f64(cuts.time_cut_cluster_sig) * deviation(back)
    } else {
        R::from_f64(-1.0)
    };
    pruned.smaller(cut)
}
