//! Straight lines through pairs of hits, several at a time.

use crate::velo::model::formulas::phi16;
use crate::velo::model::search::Line;

/// Coordinates of several hits.
#[derive(Clone, Copy, Debug)]
pub struct Positions<const N: usize> {
    x: [f32; N],
    y: [f32; N],
    z: [f32; N],
}

impl<const N: usize> Positions<N> {
    /// Coordinates of hits one by one.
    #[inline]
    pub fn new(position: impl Fn(usize) -> [f32; 3]) -> Self {
        let mut positions = Positions { x: [0.0; N], y: [0.0; N], z: [0.0; N] };
        for lane in 0..N {
            let [x, y, z] = position(lane);
            positions.x[lane] = x;
            positions.y[lane] = y;
            positions.z[lane] = z;
        }
        positions
    }
}

/// Lines, with the angle that is expected on each.
#[derive(Clone, Copy, Debug)]
pub struct Lines<const N: usize> {
    from: Positions<N>,
    tx: [f32; N],
    ty: [f32; N],
    /// Expected angles.
    pub phi: [i16; N],
}

impl<const N: usize> Lines<N> {
    /// Lines through two hits each, with the angles at distances along the beam from the first.
    #[inline]
    pub fn new(from: Positions<N>, to: &Positions<N>, distances: &[f32; N]) -> Self {
        let mut lines = Lines { from, tx: [0.0; N], ty: [0.0; N], phi: [0; N] };
        for (lane, &distance) in distances.iter().enumerate() {
            let td = 1.0 / (to.z[lane] - from.z[lane]);
            let tx = (to.x[lane] - from.x[lane]) * td;
            let ty = (to.y[lane] - from.y[lane]) * td;
            lines.tx[lane] = tx;
            lines.ty[lane] = ty;
            lines.phi[lane] = phi16(from.x[lane] + tx * distance, from.y[lane] + ty * distance);
        }
        lines
    }

    /// One of the lines.
    #[inline]
    pub fn line(&self, lane: usize) -> Line {
        let from = [self.from.x[lane], self.from.y[lane], self.from.z[lane]];
        Line { from, tx: self.tx[lane], ty: self.ty[lane] }
    }
}
