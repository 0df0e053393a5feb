//! Straight lines through pairs of hits, several at a time.

use crate::velo::model::formulas::phi16;

/// Straight line through two hits, from the first on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    /// Position of the first hit in mm.
    pub from: [f32; 3],
    /// Slope in x.
    pub tx: f32,
    /// Slope in y.
    pub ty: f32,
}

impl Line {
    /// Square of the distance of a position from the line, in mm².
    #[inline]
    pub fn scatter(&self, [x, y, z]: [f32; 3]) -> f32 {
        let d = z - self.from[2];
        let dx = (self.from[0] + self.tx * d) - x;
        let dy = (self.from[1] + self.ty * d) - y;
        dx * dx + dy * dy
    }
}

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
