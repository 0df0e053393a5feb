//! Assignment of hits to crossings.

use generators::sts::setup::Module;

use super::crossings::Point;
use crate::sts::{Hit, OfflineHit};

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
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) dx: f64,
    pub(super) dy: f64,
    /// In ns.
    pub(super) time: f64,
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
pub(super) struct Strips {
    /// From global coordinates in the sensor's plane to those along its edge and its
    /// height.
    rotation: [f64; 4],
    tangents: [f64; 2],
    pitch: f64,
}

impl Strips {
    pub(super) fn new(module: &Module) -> Self {
        let [a, b, _, c, d, ..] = module.rotation;
        let angles = [module.stereo_front, module.stereo_back];
        Strips {
            rotation: [a, c, b, d],
            tangents: angles.map(|angle| angle.to_radians().tan()),
            pitch: module.pitch,
        }
    }

    /// Index of the nearest crossing that is near enough, if there is one.
    pub(super) fn nearest(&self, hit: &Claim, crossings: &[Point]) -> Option<usize> {
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

#[cfg(test)]
mod tests {
    use generators::sts::setup::Setup;

    use super::super::crossings::Traces;
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
