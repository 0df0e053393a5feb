//! The charges that a particle leaves on neighbouring strips of a sensor.

use generators_common::random::{Landau, Stream, normal_below};
use rand::distr::Distribution;

use super::constants::{
    CROSSTALK, DENSITY_EFFECT_PER_EV, DIFFUSION, LANDAU_WIDTH, LANDAU_WIDTH_EV, LARGEST_DEPOSIT,
    MAX_STEPS, MIN_CHARGE, MIN_STEPS, MPV_SHIFT, THICKNESS,
};
use super::sensor::Passage;

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

/// Strips that one particle may leave charge on.
const ROOM: usize = 64;
/// Strips on either side of the path that charge spreads to.
const MARGIN: f64 = 2.0;
/// Shifts strips such that none is negative: strips of the back cross the sensor's
/// edge.
const SHIFT: f64 = 1024.0;

/// Extent of charge clouds in standard deviations.
const REACH: f64 = 3.0;
const BINS_PER_DEVIATION: f64 = 32.0;

/// The parts of a charge cloud beyond an edge, by the distance to it.
pub(super) struct Spread {
    beyond: Vec<f32>,
}

/// Charges from one particle, strip by strip.
pub(super) struct Strips {
    first: usize,
    length: usize,
    charges: [f32; ROOM],
}

impl Spread {
    pub(super) fn new() -> Self {
        let bins = (REACH * BINS_PER_DEVIATION) as usize;
        let beyond = |bin: usize| normal_below(-(bin as f64 + 0.5) / BINS_PER_DEVIATION) as f32;
        Spread { beyond: (0..bins).map(beyond).collect() }
    }

    /// The part of a cloud beyond an edge at this distance in standard deviations.
    #[inline]
    fn beyond(&self, deviations: f32) -> f32 {
        let bin = (deviations * BINS_PER_DEVIATION as f32) as i32;
        self.beyond.get(bin as usize).copied().unwrap_or(0.0)
    }
}

impl Default for Strips {
    fn default() -> Self {
        Strips { first: 0, length: 0, charges: [0.0; ROOM] }
    }
}

impl Strips {
    /// Empties the strips around a path: its middle and its extent, in strips. Returns
    /// where the middle is, counted from the first of these strips.
    pub(super) fn begin(&mut self, middle: f64, extent: f64) -> f32 {
        let half = 0.5 * extent.abs() + MARGIN;
        let shifted = middle + SHIFT;
        self.first = (shifted - half) as usize;
        self.length = ((2.0 * half) as usize + 2).min(ROOM);
        self.charges[..self.length].fill(0.0);
        (shifted - self.first as f64) as f32
    }

    /// Adds a cloud of charge at a position, counted as in [`Strips::begin`]. `strip_width` is the
    /// width of a strip in standard deviations of the cloud: several, so that only the nearer edge
    /// matters.
    #[inline]
    pub(super) fn add(&mut self, position: f32, strip_width: f32, charge: f32, spread: &Spread) {
        let strip = position as i32 as usize;
        let from_left = position - strip as f32;
        let (to_edge, neighbour) = if from_left < 0.5 {
            (from_left, strip.wrapping_sub(1))
        } else {
            (1.0 - from_left, strip + 1)
        };
        let beyond = charge * spread.beyond(to_edge * strip_width);
        // A path is cut off at the capacity.
        if strip < self.length && neighbour < self.length {
            self.charges[strip] += charge - beyond;
            self.charges[neighbour] += beyond;
        }
    }

    /// The strips with their charges, after crosstalk. Strip 0 starts at the sensor's left corner;
    /// there may be negative ones.
    #[inline]
    pub(super) fn charges(&self) -> impl Iterator<Item = (i32, f32)> {
        let charges = &self.charges[..self.length];
        let at = |strip: usize| charges.get(strip).copied().unwrap_or(0.0);
        let first = self.first as i32 - SHIFT as i32;
        (0..self.length).filter_map(move |strip| {
            let own = at(strip);
            let neighbours = at(strip.wrapping_sub(1)) + at(strip + 1);
            let charge = own + CROSSTALK * (neighbours - 2.0 * own);
            (charge > MIN_CHARGE).then_some((first + strip as i32, charge))
        })
    }
}

#[cfg(test)]
mod tests {
    use generators_common::random::stream;

    use super::*;

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

    /// The charges of clouds, given by position and width in strips.
    fn charges_strips(middle: f64, clouds: &[(f32, f32)]) -> Vec<(i32, f32)> {
        let mut strips = Strips::default();
        let begin = strips.begin(middle, 2.0);
        for (position, width) in clouds {
            strips.add(begin + position, 1.0 / width, 20_000.0, &Spread::new());
        }
        strips.charges().collect()
    }

    #[test]
    fn neighbours_see_a_little_of_a_narrow_cloud() {
        let crosstalk = 20_000.0 * CROSSTALK;
        let expected = [(9, crosstalk), (10, 20_000.0 - 2.0 * crosstalk), (11, crosstalk)];
        assert_eq!(charges_strips(10.0, &[(0.5, 0.05)]), expected);
    }

    #[test]
    fn a_cloud_at_an_edge_is_shared() {
        let shared = charges_strips(10.0, &[(1.0, 0.1)]);
        assert_eq!(shared.len(), 4, "{shared:?}");
        assert!((shared[1].1 / shared[2].1 - 1.0).abs() < 0.05, "{shared:?}");
        let sum: f32 = shared.iter().map(|(_, charge)| charge).sum();
        assert!((sum - 20_000.0).abs() < 1.0, "{sum}");
        let off_edge = charges_strips(10.0, &[(1.1, 0.1)]);
        let of = |wanted: i32| off_edge.iter().find(|(strip, _)| *strip == wanted).map(|c| c.1);
        let less = of(10).expect("shared");
        let more = of(11).expect("shared");
        assert!(less < 0.3 * more, "{off_edge:?}");
    }

    #[test]
    fn strips_before_the_corner_count_too() {
        let charges = charges_strips(-200.5, &[(0.0, 0.05)]);
        assert_eq!(charges[1].0, -201);
    }
}
