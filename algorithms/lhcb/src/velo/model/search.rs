//! Settings of the search by triplets, and the lines and fits of its tracks, each operation rounded on its own.

use super::formulas::phi16;

/// Candidates for the first hit of a triplet in the last pair of modules.
pub const FIRST_HITS_AT_END: usize = 8;
/// Candidates for the first hit of a triplet in all others.
pub const FIRST_HITS: usize = 4;
/// Largest scatter of a hit, in mm².
pub const MAX_SCATTER: f32 = 0.08;
/// Maximum number of hits of a track.
pub const MAX_HITS: usize = 26;
/// Largest chi2 of a track of three hits.
pub const MAX_CHI2: f32 = 20.0;
/// Weight of a hit: 1 / (0.0125 mm)².
const WEIGHT: f32 = 6400.0;

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
    /// The line through two positions.
    #[inline]
    pub fn new(from: [f32; 3], to: [f32; 3]) -> Line {
        let td = 1.0 / (to[2] - from[2]);
        Line { from, tx: (to[0] - from[0]) * td, ty: (to[1] - from[1]) * td }
    }

    /// Angle at a distance along the beam from its start.
    #[inline]
    pub fn phi_at(&self, distance: f32) -> i16 {
        phi16(self.from[0] + self.tx * distance, self.from[1] + self.ty * distance)
    }

    /// Square of the distance of a hit, in mm².
    #[inline]
    pub fn scatter(&self, hit: [f32; 3]) -> f32 {
        let d = hit[2] - self.from[2];
        let dx = (self.from[0] + self.tx * d) - hit[0];
        let dy = (self.from[1] + self.ty * d) - hit[1];
        dx * dx + dy * dy
    }
}

/// Chi2 of a straight line through hits, with sums in the order of the hits.
pub fn chi2(hits: [[f32; 3]; 3]) -> f32 {
    let w = WEIGHT;
    let [mut s0, mut sx, mut sz, mut sxz, mut sz2, mut sy, mut syz] = [0.0_f32; 7];
    for [x, y, z] in hits {
        s0 += w;
        sx += w * x;
        sz += w * z;
        sxz += (w * x) * z;
        sz2 += (w * z) * z;
        sy += w * y;
        syz += (w * y) * z;
    }
    let den = 1.0 / (sz2 * s0 - sz * sz);
    let tx = (sxz * s0 - sx * sz) * den;
    let x0 = (sx * sz2 - sxz * sz) * den;
    let ty = (syz * s0 - sy * sz) * den;
    let y0 = (sy * sz2 - syz * sz) * den;
    let mut chi = 0.0;
    for [x, y, z] in hits {
        let dx = (x0 + tx * z) - x;
        let dy = (y0 + ty * z) - y;
        chi += (dx * dx) * w + (dy * dy) * w;
    }
    chi * 0.5
}
