//! The constants of the simulation, and their sources.
//!
//! Lengths are in mm, times in time bins, momenta in GeV/c, charges in quarters of an ADC unit.
//! `docs/tpc-pages.md` lists the sources: (a) the technical design report of the TPC's upgrade,
//! CERN-LHCC-2013-020; (b) ALICE, Phys. Rev. Lett. 116 (2016) 222302 and Phys. Lett. B 753 (2016)
//! 319, for multiplicities; (c) our choice.

use std::ops::Range;

use crate::geometry::REGIONS;
use crate::time::{BC_PER_ORBIT, BC_PER_TIME_BIN, TIME_BIN_US};

/// Time bins of an orbit.
pub(super) const ORBIT: f64 = BC_PER_ORBIT as f64 / BC_PER_TIME_BIN as f64;
/// Seconds of an orbit.
pub(super) const ORBIT_S: f64 = ORBIT * TIME_BIN_US * 1e-6;

/// From the central electrode to the pads (a).
pub(super) const DRIFT_LENGTH: f64 = 2497.0;
/// Drift velocity, in mm a time bin: 25.8 mm/µs (a).
pub(super) const DRIFT_VELOCITY: f64 = 25.8 * TIME_BIN_US;
/// Time bins for each mm of drift.
pub(super) const BINS_PER_MM: f64 = 1.0 / DRIFT_VELOCITY;
/// Time bins from the central electrode to the pads.
pub(super) const DRIFT_TIME: f64 = DRIFT_LENGTH * BINS_PER_MM;
/// Square of the diffusion for each mm of drift: 0.209 mm for a root of a cm, along
/// and across (a).
pub(super) const DIFFUSION_VARIANCE: f64 = 0.209 * 0.209 / 10.0;
/// Square of the width of the pad response without diffusion, in pads (a).
pub(super) const PAD_VARIANCE: f64 = 0.4 * 0.4;
/// Square of the shaper's width in time bins: 160 ns peaking time (a).
pub(super) const SHAPER_VARIANCE: f64 = 0.4 * 0.4;

/// Radius of curvature for each GeV/c, at 0.5 T.
pub(super) const RADIUS_PER_MOMENTUM: f64 = 1e3 / (0.299_792_458 * 0.5);
/// Spread of the vertices along the beam (b).
pub(super) const VERTEX_SPREAD: f64 = 60.0;
/// Half the azimuth of a sector.
pub(super) const HALF_SECTOR: f64 = std::f64::consts::PI / 18.0;
/// Pseudorapidity up to which tracks cross rows of one side (c).
pub(super) const PSEUDORAPIDITY: f64 = 1.5;
/// Sectors of one side.
pub(super) const SECTORS_OF_SIDE: f64 = 18.0;
/// Half the mean transverse momentum (b).
pub(super) const MOMENTUM_SLOPE: f64 = 0.3;
/// Masses of pions and protons, and how many protons and kaons there are (c).
pub(super) const PION_MASS: f64 = 0.14;
pub(super) const PROTON_MASS: f64 = 0.94;
pub(super) const PROTON_SHARE: f64 = 0.1;
/// Maximum ionisation of slow particles, relative to the minimum (c).
pub(super) const MAX_IONISATION: f64 = 20.0;

/// Charged particles per unit of pseudorapidity in the most central collision of lead nuclei; the
/// number falls with the cube of one minus the centrality (a fit to b).
pub(super) const LEAD_MULTIPLICITY: f64 = 2000.0;
/// Charged particles per unit of pseudorapidity in a collision of protons, on average (b).
pub(super) const PROTON_MULTIPLICITY: f64 = 7.0;

/// Spiralling electrons per track: they leave most of the charge in the TPC. Chosen such that 128
/// orbits at 50 kHz fill some 750 000 dense link pages.
pub(super) const LOOPERS_PER_TRACK: f64 = 1.9;
/// Radii of the spirals, evenly on a logarithmic scale (c).
pub(super) const LOOPER_RADII: Range<f64> = 20.0..300.0;
/// Slopes of the spirals along the drift (c).
pub(super) const LOOPER_SLOPES: Range<f64> = 0.05..1.0;
/// Turns after which an electron has lost its energy (c).
pub(super) const MAX_TURNS: f64 = 8.0;

/// The most probable charge of a crossing by a minimum ionising particle, summed over its samples:
/// some 30 ADC units at the maximum (a: signal over noise of 20 to 30).
pub(super) const CHARGE: f64 = 480.0;
/// Width of the energy loss relative to its most probable value (c).
pub(super) const CHARGE_WIDTH: f64 = 0.2;
/// Probability that a knock-on electron adds charge, and the minimum that it adds, relative to the
/// most probable charge: the spectrum falls with the square of the charge (c).
pub(super) const KNOCK_ON_SHARE: f64 = 0.04;
pub(super) const KNOCK_ON_CHARGE: f64 = 1.5;
/// Samples below this are suppressed: three times the noise of 1 ADC unit (a).
pub(super) const THRESHOLD: u16 = 12;

/// Laser rays of each sector and plane (336 in all), and the planes' distances
/// from the central electrode (a).
pub(super) const RAYS: usize = 3;
pub(super) const LASER_PLANES: [f64; 3] = [115.0, 820.0, 1660.0];
/// Charge on each pad from light that hits the central electrode (c).
pub(super) const FLASH_CHARGE: u16 = 400;

/// The pads of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct PadPlane {
    /// Distance from the beam to the middle of the first row.
    pub(super) first_row: f64,
    /// From row to row: the length of a pad.
    pub(super) row_pitch: f64,
    /// From pad to pad.
    pub(super) pad_pitch: f64,
}

const fn plane(first_row: f64, row_pitch: f64, pad_pitch: f64) -> PadPlane {
    PadPlane { first_row, row_pitch, pad_pitch }
}

/// The pad planes of the regions (a).
pub(super) const PAD_PLANES: [PadPlane; REGIONS] = [
    plane(852.25, 7.5, 4.16),
    plane(979.75, 7.5, 4.20),
    plane(1092.25, 7.5, 4.20),
    plane(1212.25, 7.5, 4.36),
    plane(1352.0, 10.0, 6.00),
    plane(1532.0, 10.0, 6.00),
    plane(1714.0, 12.0, 6.08),
    plane(1906.0, 12.0, 5.88),
    plane(2096.5, 15.0, 6.04),
    plane(2291.5, 15.0, 6.07),
];
/// Distances from the beam that the rows cover.
pub(super) const RADII: Range<f64> = 852.25..2456.5;
