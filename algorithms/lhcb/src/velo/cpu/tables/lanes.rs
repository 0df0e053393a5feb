//! Eight hits compared with a line at once.

use crate::velo::model::formulas::PHI_TOLERANCE;

/// Hits that are compared at once.
pub const LANES: usize = 8;
/// Tolerance of an angle.
pub const TOLERANCE: i32 = PHI_TOLERANCE as i32;

/// Eight hits.
#[derive(Clone, Copy)]
pub struct Hits<'a> {
    /// x in mm.
    pub x: &'a [f32; LANES],
    /// y in mm.
    pub y: &'a [f32; LANES],
    /// z in mm.
    pub z: &'a [f32; LANES],
    /// Angles.
    pub phi: &'a [i32; LANES],
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// Hits within the tolerance whose squares of distances are below a maximum, as bits.
    pub near: u32,
    /// True if the angle of a hit is opposite.
    pub has_opposite: bool,
}

/// Distance of an angle from another, which wraps.
#[inline]
pub fn distance(phi: i32, expected: i32) -> i32 {
    i32::from((phi - expected) as i16)
}

/// Compares hits with a line at an expected angle.
#[inline]
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
pub fn compare_each(
    hits: Hits<'_>,
    line: &crate::velo::model::search::Line,
    expected: i32,
    max_scatter: f32,
) -> Compared {
    let mut compared = Compared { near: 0, has_opposite: false };
    for lane in 0..LANES {
        let distance = distance(hits.phi[lane], expected);
        let scatter = line.scatter([hits.x[lane], hits.y[lane], hits.z[lane]]);
        let is_near = distance.abs() <= TOLERANCE && scatter < max_scatter;
        compared.near |= u32::from(is_near) << lane;
        compared.has_opposite |= distance == i32::from(i16::MIN);
    }
    compared
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub use compare_each as compare;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub use avx2::compare;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{Compared, Hits, TOLERANCE};
    use crate::velo::model::search::Line;

    /// Compares hits with a line at an expected angle.
    #[inline]
    pub fn compare(hits: Hits<'_>, line: &Line, expected: i32, max_scatter: f32) -> Compared {
        // SAFETY: the arrays have the size of the vectors, and the CPU has the instructions: this is
        // compiled for CPUs that do.
        unsafe {
            let phi = _mm256_loadu_si256(hits.phi.as_ptr().cast());
            let difference = _mm256_sub_epi32(phi, _mm256_set1_epi32(expected));
            let distance = _mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(difference));
            let magnitude = _mm256_abs_epi32(distance);
            let is_inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(TOLERANCE + 1), magnitude);
            let opposite = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(i16::MAX as i32));
            let x = _mm256_loadu_ps(hits.x.as_ptr());
            let y = _mm256_loadu_ps(hits.y.as_ptr());
            let z = _mm256_loadu_ps(hits.z.as_ptr());
            let [from_x, from_y, from_z] = line.from.map(|number| _mm256_set1_ps(number));
            let d = _mm256_sub_ps(z, from_z);
            let on_line =
                |from, slope| _mm256_add_ps(from, _mm256_mul_ps(_mm256_set1_ps(slope), d));
            let dx = _mm256_sub_ps(on_line(from_x, line.tx), x);
            let dy = _mm256_sub_ps(on_line(from_y, line.ty), y);
            let scatter = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
            let is_small = _mm256_cmp_ps::<_CMP_LT_OQ>(scatter, _mm256_set1_ps(max_scatter));
            let near = _mm256_and_ps(is_small, _mm256_castsi256_ps(is_inside));
            Compared {
                near: _mm256_movemask_ps(near) as u32,
                has_opposite: _mm256_movemask_ps(_mm256_castsi256_ps(opposite)) != 0,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::velo::model::search::Line;

    #[test]
    fn vectors_do_what_single_hits_do() {
        let line = Line { from: [1.0, 2.0, 3.0], tx: 0.25, ty: -0.5 };
        let z: [f32; LANES] = std::array::from_fn(|lane| 10.0 + lane as f32);
        let x = z.map(|z| 1.0 + 0.25 * (z - 3.0) + 0.01 * (z - 12.0));
        let y = z.map(|z| 2.0 - 0.5 * (z - 3.0));
        for expected in [0, 469, -30000, 32767] {
            for offset in [-470, -469, 0, 469, 470, 32768] {
                let phi = std::array::from_fn(|lane| {
                    i32::from((expected + offset * i32::from(lane % 2 == 1)) as i16)
                });
                let hits = Hits { x: &x, y: &y, z: &z, phi: &phi };
                let each = compare_each(hits, &line, expected, 0.0005);
                assert_eq!(compare(hits, &line, expected, 0.0005), each);
                assert!(each.near != 0 && each.near != 0xFF);
            }
        }
    }
}
