//! Straight lines through pairs of hits, eight at a time.

use super::lanes::{self, LANES, Numbers};
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

/// Lines, with the angle that is expected on each.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
    tx: [f32; LANES],
    ty: [f32; LANES],
    /// Expected angles.
    pub phi: [i32; LANES],
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
        Lines {
            x: from.x.array(),
            y: from.y.array(),
            z: from.z.array(),
            tx: tx.array(),
            ty: ty.array(),
            phi: lanes::phi16(x, y).array(),
        }
    }

    /// One of the lines.
    #[inline]
    pub fn line(&self, lane: usize) -> Line {
        let from = [self.x[lane], self.y[lane], self.z[lane]];
        Line { from, tx: self.tx[lane], ty: self.ty[lane] }
    }
}
