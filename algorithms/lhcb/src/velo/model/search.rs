//! Settings of the search by triplets, and the lines and fits of its tracks, each operation rounded on its own.

use super::formulas::{UNITS_PER_RADIAN, phi16};

/// Candidates for the first hit of a triplet in the last pair of modules.
pub const FIRST_HITS_AT_END: usize = 8;
/// Candidates for the first hit of a triplet in all others.
pub const FIRST_HITS: usize = 4;
/// Maximum number of hits of a track.
pub const MAX_HITS: usize = 26;
/// Largest chi2 of a track of three hits.
pub const MAX_CHI2: f32 = 20.0;
/// Weight of a hit: 1 / (0.0125 mm)².
const WEIGHT: f32 = 6400.0;

/// Cuts on the hits that a line may be continued with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchCuts {
    /// Half width of the window of angles around a line, in units of π / 32768.
    pub phi_tolerance: i16,
    /// Hits have a smaller scatter, in mm².
    pub max_scatter: f32,
}

impl SearchCuts {
    /// Those of the experiment: 0.045 rad and 0.08 mm².
    pub const EXPERIMENT: SearchCuts = SearchCuts { phi_tolerance: 469, max_scatter: 0.08 };
    /// Largest half width of a window: a quarter of a turn. Variants look at hits up to a bucket of
    /// angles before the window, which must not be at its end too.
    pub const MAX_PHI_TOLERANCE: i16 = 1 << 14;

    /// Rounds an angle in mrad down to a half width of windows; `None` if it is out of range.
    pub fn phi_tolerance(mrad: f64) -> Option<i16> {
        let units = (mrad / 1000.0 * f64::from(UNITS_PER_RADIAN)).floor();
        let allowed = 0.0..=f64::from(Self::MAX_PHI_TOLERANCE);
        allowed.contains(&units).then_some(units as i16)
    }

    /// True if an angle is in the window around another one. The difference wraps; the largest of
    /// all counts as none.
    #[inline]
    pub fn is_near(self, phi: i16, expected: i16) -> bool {
        phi.wrapping_sub(expected).wrapping_abs() <= self.phi_tolerance
    }

    /// First angle of the window around an angle.
    #[inline]
    pub fn first_phi(self, expected: i16) -> i16 {
        expected.wrapping_sub(self.phi_tolerance)
    }
}

impl Default for SearchCuts {
    fn default() -> Self {
        SearchCuts::EXPERIMENT
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tolerance_of_the_experiment_is_45_mrad() {
        let experiment = SearchCuts::EXPERIMENT;
        assert_eq!(SearchCuts::phi_tolerance(45.0), Some(experiment.phi_tolerance));
        assert_eq!(SearchCuts::phi_tolerance(0.0), Some(0));
        assert_eq!(SearchCuts::phi_tolerance(1570.8), Some(SearchCuts::MAX_PHI_TOLERANCE));
        for mrad in [-0.1, 1571.0, f64::NAN, f64::INFINITY] {
            assert_eq!(SearchCuts::phi_tolerance(mrad), None, "{mrad}");
        }
    }

    #[test]
    fn windows_wrap_at_pi() {
        let cuts = SearchCuts::EXPERIMENT;
        assert!(cuts.is_near(i16::MIN, 0), "the largest distance counts as inside");
        assert!(cuts.is_near(-32760, 32760) && !cuts.is_near(0, 470));
        assert_eq!(cuts.first_phi(-32768), 32299);
    }
}
