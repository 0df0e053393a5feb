//! Calibration of the rate of particles to an occupancy.

use super::simulation::Simulation;
use crate::tpc::geometry::PADS_IN_SECTOR;
use crate::tpc::time::time_bins_of;

/// Heartbeat frames that a load is tried on: neither the first one nor neighbours.
pub(super) const TRIED_FRAMES: [u32; 3] = [3, 7, 11];
/// Number of tried rates; each is about ten times closer.
const STEPS: usize = 3;
/// A rate that fills some pads, but not all.
const FIRST_RATE_HZ: f64 = 2e6;
/// Fewer crossings than these differ too much from frame to frame.
const MIN_EXPONENT: f64 = 0.05;
/// Keep a rate finite.
const MIN_MEASURED: f64 = 1e-6;
const NEARLY_FULL: f64 = 0.999;
/// Maximum factor by which a rate is raised in one step, because all pads may have been full.
const MAX_STEP: f64 = 10.0;

/// The rate of small collisions at which a share `occupancy` of pads and time bins has a sample.
///
/// Crossings at random positions fill a share `1 - exp(-rate x)`, as long as they overlap by chance
/// only: `x` is found by simulation. Where crossings are rare, more of them are simulated.
pub(super) fn rate_of(occupancy: f64, simulation: &mut Simulation) -> f64 {
    let wanted = exponent(occupancy) - exponent(simulation.noise);
    let tried = wanted.max(MIN_EXPONENT);
    let mut rate = FIRST_RATE_HZ;
    for _ in 0..STEPS {
        simulation.collisions.rate_hz = rate;
        let found = exponent(measure(simulation)) - exponent(simulation.noise);
        rate *= (tried / found.max(MIN_MEASURED)).min(MAX_STEP);
    }
    rate * (wanted / tried).max(0.0)
}

fn exponent(occupancy: f64) -> f64 {
    -libm::log1p(-occupancy.min(NEARLY_FULL))
}

/// The share of pads and time bins with a sample, in some frames of one sector.
fn measure(simulation: &Simulation) -> f64 {
    let mut buffers = simulation.buffers();
    let mut samples = 0;
    let mut cells = 0;
    for frame in TRIED_FRAMES {
        simulation
            .frame(0, frame, &mut buffers, |_, endpoint_samples| samples += endpoint_samples.len());
        cells += PADS_IN_SECTOR * time_bins_of(frame).len();
    }
    samples as f64 / cells as f64
}
