//! Straight lines through pairs of hits, eight at a time.

use super::lanes::{Integers, Numbers, phi32};
use crate::velo::model::search::Line;

/// Positions of eight hits.
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    /// x in mm.
    pub x: Numbers,
    /// y in mm.
    pub y: Numbers,
    /// z in mm.
    pub z: Numbers,
}

/// Eight lines, from a hit on, with the angle that is expected on each; or one of them in all lanes.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// Start positions.
    pub from: Positions,
    /// Slopes in x.
    pub tx: Numbers,
    /// Slopes in y.
    pub ty: Numbers,
    /// Expected angles, in the high 16 bits.
    pub phi: Integers,
}

impl Lines {
    /// Lines through two hits each, with the angles at distances along the beam from the first.
    #[inline]
    pub fn new(from: Positions, to: Positions, distances: Numbers) -> Self {
        let td = Numbers::splat(1.0).over(to.z.minus(from.z));
        let tx = to.x.minus(from.x).times(td);
        let ty = to.y.minus(from.y).times(td);
        let x = from.x.plus(tx.times(distances));
        let y = from.y.plus(ty.times(distances));
        Lines { from, tx, ty, phi: phi32(x, y) }
    }

    /// One of the lines in all lanes.
    #[inline]
    pub fn broadcast(&self, lane: usize) -> Lines {
        let Positions { x, y, z } = &self.from;
        Lines {
            from: Positions { x: x.broadcast(lane), y: y.broadcast(lane), z: z.broadcast(lane) },
            tx: self.tx.broadcast(lane),
            ty: self.ty.broadcast(lane),
            phi: self.phi.broadcast(lane),
        }
    }

    /// The line of a lane.
    pub fn line(&self, lane: usize) -> Line {
        let number = |numbers: Numbers| numbers.array()[lane];
        let from = [number(self.from.x), number(self.from.y), number(self.from.z)];
        Line { from, tx: number(self.tx), ty: number(self.ty) }
    }
}
