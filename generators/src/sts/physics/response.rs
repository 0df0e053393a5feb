//! The charges that a particle leaves on the strips of a sensor.

use rand::distr::Distribution;

use super::constants::{
    DENSITY_EFFECT_PER_EV, DIFFUSION, LANDAU_WIDTH, LANDAU_WIDTH_EV, LARGEST_DEPOSIT, MAX_STEPS,
    MIN_STEPS, MPV_SHIFT, THICKNESS,
};
use super::sensor::Passage;
use super::strips::{Spread, Strips};
use crate::random::{Landau, Stream};

/// Number of steps along a path for each strip that it crosses.
const STEPS_PER_STRIP: f64 = 2.0;

/// Response of sensors; shared by all of them.
pub(super) struct Response {
    landau: Landau,
    spread: Spread,
    /// For each number of steps: the inverse width, in cm, of the charge clouds that arrive at the
    /// front from each step.
    drifts: Vec<Vec<f32>>,
}

/// Deposits along a path.
struct Deposits {
    steps: usize,
    /// Width of Landau's distribution for a step, in electrons.
    width: f32,
    /// Most probable deposit of a step minus that of the table, in widths.
    shift: f32,
}

impl Response {
    pub(super) fn new() -> Self {
        Response {
            landau: Landau::new(LARGEST_DEPOSIT),
            spread: Spread::new(),
            drifts: (0..=MAX_STEPS).map(drifts).collect(),
        }
    }

    /// Adds the charges of a particle to the strips of both sides. Both have the same deposits:
    /// electrons drift to the front, holes to the back.
    pub(super) fn add(
        &self,
        passage: &Passage,
        ionisation: f64,
        sides: &mut [Strips; 2],
        stream: &mut Stream,
    ) {
        let deposits = Deposits::along(passage, ionisation);
        let mut charges = [0.0; MAX_STEPS];
        let charges = &mut charges[..deposits.steps];
        for charge in &mut *charges {
            let value = self.landau.sample(stream);
            *charge = (deposits.width * (value + deposits.shift)).max(0.0);
        }
        let drifts = self.drifts[deposits.steps].iter();
        let [front, back] = sides;
        self.collect(passage, 0, charges, drifts.clone(), front);
        self.collect(passage, 1, charges, drifts.rev(), back);
    }

    /// The charges of all steps on one side.
    fn collect<'a>(
        &self,
        passage: &Passage,
        side: usize,
        charges: &[f32],
        drifts: impl Iterator<Item = &'a f32>,
        strips: &mut Strips,
    ) {
        let extent = passage.slopes[side] * THICKNESS;
        let middle = strips.begin(passage.strips[side], extent);
        let step = extent as f32 / charges.len() as f32;
        let mut position = middle + 0.5 * (step - extent as f32);
        let pitch = passage.pitch as f32;
        for (charge, drift) in charges.iter().zip(drifts) {
            strips.add(position, pitch * drift, *charge, &self.spread);
            position += step;
        }
    }
}

/// Steps go from the back to the front.
fn drifts(steps: usize) -> Vec<f32> {
    let drift = |step: usize| {
        let to_front = 1.0 - (step as f64 + 0.5) / steps as f64;
        (1.0 / (DIFFUSION * libm::sqrt(to_front))) as f32
    };
    (0..steps).map(drift).collect()
}

impl Deposits {
    fn along(passage: &Passage, ionisation: f64) -> Self {
        let steepest = passage.slopes[0].abs().max(passage.slopes[1].abs());
        let strips = steepest * THICKNESS * STEPS_PER_STRIP;
        let steps = (strips as usize + 1).clamp(MIN_STEPS, MAX_STEPS);
        let length = THICKNESS * passage.obliquity / steps as f64;
        Deposits {
            steps,
            width: (ionisation * LANDAU_WIDTH * length) as f32,
            shift: mpv(ionisation * LANDAU_WIDTH_EV * length) as f32 - Landau::MPV,
        }
    }
}

/// Most probable energy loss in widths, for a width in eV.
pub(super) fn mpv(width_ev: f64) -> f64 {
    libm::log(DENSITY_EFFECT_PER_EV * width_ev) + MPV_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    fn passage(slopes: [f64; 2]) -> Passage {
        Passage {
            strips: [500.3, 400.8],
            slopes: slopes.map(|slope| slope / 0.0058),
            pitch: 0.0058,
            obliquity: libm::sqrt(1.0 + slopes[0] * slopes[0]),
        }
    }

    /// The charges of many particles on both sides, in order.
    fn charges(passage: &Passage, ionisation: f64) -> [Vec<f32>; 2] {
        let response = Response::new();
        let mut sides = [Strips::default(), Strips::default()];
        let mut stream = stream(1, [7]);
        let mut sums = [vec![], vec![]];
        for _ in 0..20_000 {
            response.add(passage, ionisation, &mut sides, &mut stream);
            for (sums, strips) in sums.iter_mut().zip(&sides) {
                sums.push(strips.charges().map(|(_, charge)| charge).sum());
            }
        }
        sums.iter_mut().for_each(|sums| sums.sort_by(f32::total_cmp));
        sums
    }

    /// The middle of the shortest interval with a fifth of all values.
    fn mode(sorted: &[f32]) -> f32 {
        let fifth = sorted.len() / 5;
        let windows = sorted.windows(fifth);
        let narrow = |window: &&[f32]| (window[fifth - 1] - window[0]) as u32;
        let window = windows.min_by_key(narrow).expect("many");
        window[fifth / 2]
    }

    /// 320 µm of silicon: some 25 000 electrons, with a width (full, at half the
    /// maximum) of 4.02 Landau widths or a quarter of that.
    #[test]
    fn the_most_probable_charge_is_that_of_320_micrometres_of_silicon() {
        let [front, back] = charges(&passage([0.0, 0.0]), 1.0);
        let peak = mode(&front);
        assert!((24_000.0..26_500.0).contains(&peak), "{peak}");
        assert!((mode(&back) / peak - 1.0).abs() < 0.02);
        let at = |quantile: usize| front[front.len() * quantile / 100];
        assert!(at(1) > 0.75 * peak, "{}", at(1));
        assert!(at(99) > 2.0 * peak, "{}", at(99));
    }

    #[test]
    fn longer_paths_and_slower_particles_leave_more() {
        let peak = |slope: f64, ionisation| mode(&charges(&passage([slope, 0.0]), ionisation)[0]);
        let usual = peak(0.0, 1.0);
        let oblique = peak(1.0, 1.0) / usual;
        assert!((1.4..1.5).contains(&oblique), "{oblique}");
        let slow = peak(0.0, 2.0) / usual;
        assert!((2.0..2.2).contains(&slow), "{slow}");
    }
}
