//! The pieces of one particle.
//!
//! Most particles leave one leg that crosses some sectors. Those of low momentum curl up
//! (*loopers*) and leave many legs of few pieces: half of them two, with a tail up to
//! some hundreds. Legs follow each other along the drift, with the sign of q/pt turning
//! from one to the next, as it does for a helix that is seen as going outwards. All
//! figures are assumptions that give components of 2 to 6 slice tracks and a long tail.

use std::ops::Range;

use generators_common::random::{Stream, logarithmic, uniform, within};
use rand::Rng;

use super::SliceTrack;

/// The share of particles that curl up.
const LOOPERS: f64 = 0.15;
/// Power of the tail of the number of a looper's legs, and its maximum.
const LEGS_POWER: f64 = 1.2;
const MAX_LEGS: f64 = 300.0;
/// Entry `i`: how many of 20 particles have `i + 1` pieces.
const PIECES_IN_20: [u32; 6] = [3, 7, 4, 3, 2, 1];
/// |q/pt| in c/GeV: particles above 2 curl up in 0.5 T.
const STIFF: Range<f64> = 0.1..2.0;
const CURLING: Range<f64> = 2.0..20.0;
/// Lengths along the drift in cm.
const DRIFT: Range<f64> = 0.0..230.0;
const LENGTH_OF_LEG: Range<f64> = 5.0..60.0;
const PITCH_OF_LOOPS: Range<f64> = 0.5..20.0;
/// Number of clusters on a slice track, at most one per row.
const CLUSTERS: Range<f64> = 12.0..153.0;
/// The momentum is measured to so much.
const RESOLUTION: f64 = 0.02;

/// State of a particle on its path through the chamber.
pub(super) struct Particle {
    q_over_pt: f64,
    legs: usize,
    /// Start of the next leg, and its extent.
    z: f64,
    step: f64,
}

impl Particle {
    pub(super) fn draw(stream: &mut Stream) -> Self {
        let curls = uniform(stream) < LOOPERS;
        let range = if curls { CURLING } else { STIFF };
        let steps = if curls { PITCH_OF_LOOPS } else { LENGTH_OF_LEG };
        Particle {
            q_over_pt: logarithmic(range, stream) * sign(stream),
            legs: if curls { legs(stream) } else { 1 },
            z: within(DRIFT, stream),
            step: within(steps, stream) * sign(stream),
        }
    }

    pub(super) fn legs(&self) -> usize {
        self.legs
    }

    /// True if later legs are at larger z.
    pub(super) fn rises(&self) -> bool {
        self.step > 0.0
    }

    /// The pieces of the next leg, in the order in which it crosses sectors.
    pub(super) fn next_leg(&mut self, stream: &mut Stream) -> Vec<SliceTrack> {
        let pieces = match self.legs {
            1 => pieces(stream),
            _ => 1 + (stream.next_u32() >> 31) as usize,
        };
        let from = self.z;
        let step = self.step / pieces as f64;
        let leg = (0..pieces).map(|piece| {
            let start = from + step * piece as f64;
            self.piece(start, start + step, stream)
        });
        let leg = leg.collect();
        self.z += self.step;
        self.q_over_pt = -self.q_over_pt;
        leg
    }

    fn piece(&self, start: f64, end: f64, stream: &mut Stream) -> SliceTrack {
        let error = 1.0 + RESOLUTION * (2.0 * uniform(stream) - 1.0);
        SliceTrack {
            q_over_pt: (self.q_over_pt * error) as f32,
            zt_min: start.min(end) as f32,
            zt_max: start.max(end) as f32,
            n_clusters: within(CLUSTERS, stream) as u32,
        }
    }
}

fn sign(stream: &mut Stream) -> f64 {
    match stream.next_u32() >> 31 {
        0 => 1.0,
        _ => -1.0,
    }
}

/// Number of legs of a looper.
fn legs(stream: &mut Stream) -> usize {
    let tail = libm::pow(uniform(stream), -1.0 / LEGS_POWER);
    (1.0 + tail).min(MAX_LEGS) as usize
}

/// Number of sectors that a leg crosses.
fn pieces(stream: &mut Stream) -> usize {
    let mut drawn = (uniform(stream) * 20.0) as u32;
    for (more, &share) in PIECES_IN_20.iter().enumerate() {
        if drawn < share {
            return more + 1;
        }
        drawn -= share;
    }
    PIECES_IN_20.len()
}

#[cfg(test)]
mod tests {
    use generators_common::random::stream;

    use super::*;

    #[test]
    fn shares_of_pieces_are_complete() {
        assert_eq!(PIECES_IN_20.iter().sum::<u32>(), 20);
    }

    #[test]
    fn legs_have_a_long_tail() {
        let mut stream = stream(1, [2]);
        let mut legs: Vec<_> = (0..20_000).map(|_| Particle::draw(&mut stream).legs()).collect();
        legs.sort_unstable();
        let single = legs.partition_point(|legs| *legs == 1) as f64 / 20_000.0;
        assert!((single - 0.85).abs() < 0.02, "{single}");
        assert!(legs[19_980] > 20 && legs[19_999] > 100);
    }

    #[test]
    fn legs_turn_and_follow_each_other() {
        let mut stream = stream(1, [3]);
        let mut looper = std::iter::repeat_with(|| Particle::draw(&mut stream))
            .find(|particle| particle.legs() > 3)
            .expect("a looper");
        let mut again = generators_common::random::stream(1, [4]);
        let first = looper.next_leg(&mut again);
        let second = looper.next_leg(&mut again);
        assert!(first[0].q_over_pt * second[0].q_over_pt < 0.0);
        assert_eq!(looper.rises(), second[0].zt_min >= first[0].zt_max);
    }
}
