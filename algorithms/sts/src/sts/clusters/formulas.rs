//! Clusters of chains of digis.
//!
//! Charges have few steps, so values that follow from the charges of one or two digis are looked
//! up; the tables are made by the formulas that they replace.

use generators_sts::setup::Setup;
use generators_sts::{CHANNELS_PER_SIDE, Digi, MAX_ADC};

use crate::sts::Cluster;
use crate::sts::formulas::{BelowFirstStep, Shape, Shapes, Side};
use crate::sts::rules::{Rules, Window};

/// The longest chain: each digi of it is in another channel.
const LONGEST: usize = CHANNELS_PER_SIDE as usize;
/// Largest cluster size, exclusive, with a tabulated time error.
const KNOWN_SIZES: usize = 32;
/// Steps of the converter.
const STEPS: usize = MAX_ADC as usize + 1;

/// The window between digis, and the formulas for their clusters.
pub(in crate::sts) struct ClusterFormulas {
    pub(super) window: Window,
    shapes: Shapes<f32>,
    /// Shapes by the charges of both digis; positions are relative to the middle between them.
    pairs: Vec<Shape<f32>>,
    singles: [Shape<f32>; STEPS],
    time_errors: [f32; KNOWN_SIZES],
}

/// The charges and times of the digis of a chain.
pub(super) struct Chain {
    size: usize,
    adcs: [u8; LONGEST],
    times: [u32; LONGEST],
}

impl ClusterFormulas {
    /// Formulas for the detector of `setup`.
    pub(in crate::sts) fn new(setup: &Setup) -> Self {
        let shapes = Shapes::new(setup, BelowFirstStep::Flat);
        let pair = |adcs: usize| shapes.behind_middle((adcs / STEPS) as u8, (adcs % STEPS) as u8);
        ClusterFormulas {
            window: Window::new(setup),
            pairs: (0..STEPS * STEPS).map(pair).collect(),
            singles: std::array::from_fn(|adc| shapes.shape(0, &[adc as u8])),
            time_errors: std::array::from_fn(|size| shapes.time_error(size)),
            shapes,
        }
    }

    /// Length of a gap, in ns before `until`, that no cluster crosses.
    pub(in crate::sts) fn quiet_ns<P: Rules>(&self, until: u32) -> u32 {
        self.window.crowd_ns::<P>(until)
    }

    /// The cluster of one digi; `offset` is that of the side's positions.
    #[inline]
    pub(super) fn single(&self, digi: Digi, offset: f32) -> Cluster {
        let shape = &self.singles[usize::from(digi.adc())];
        Cluster {
            charge: shape.charge,
            size: 1,
            position: f32::from(digi.channel()) + offset,
            position_error: shape.position_error,
            time: digi.time_ns(),
            time_error: self.time_errors[1],
        }
    }

    /// The cluster of two digis.
    #[inline]
    pub(super) fn pair<P: Rules>(&self, first: Digi, second: Digi, offset: f32) -> Cluster {
        let adcs = usize::from(first.adc()) * STEPS + usize::from(second.adc());
        let shape = &self.pairs[adcs];
        Cluster {
            charge: shape.charge,
            size: 2,
            position: f32::from(first.channel()) + 0.5 + shape.position + offset,
            position_error: shape.position_error,
            time: P::cluster_time(&[first.time_ns(), second.time_ns()]),
            time_error: self.time_errors[2],
        }
    }

    /// Charge and variance of a digi.
    #[inline]
    pub(super) fn of_digi(&self, digi: Digi) -> [f32; 2] {
        self.shapes.of_digi(digi.adc())
    }

    /// Time error of a cluster of `size` digis.
    #[inline]
    pub(super) fn time_error(&self, size: usize) -> f32 {
        match self.time_errors.get(size) {
            Some(&error) => error,
            None => self.shapes.time_error(size),
        }
    }

    /// Cluster of a chain whose first digi is in channel `first`.
    pub(super) fn cluster<P: Rules>(&self, first: u16, chain: &Chain, offset: f32) -> Cluster {
        let adcs = &chain.adcs[..chain.size];
        let times = &chain.times[..chain.size];
        let shape = self.shapes.shape(first, adcs);
        Cluster {
            charge: shape.charge,
            size: chain.size as i32,
            position: shape.position + offset,
            position_error: shape.position_error,
            time: P::cluster_time(times),
            time_error: self.time_error(chain.size),
        }
    }
}

/// Offset added to the positions of a side's clusters.
pub(super) fn offset(side: Side) -> f32 {
    match side {
        Side::Front => 0.0,
        Side::Back => f32::from(CHANNELS_PER_SIDE),
    }
}

impl Chain {
    pub(super) fn new() -> Box<Self> {
        Box::new(Chain { size: 0, adcs: [0; LONGEST], times: [0; LONGEST] })
    }

    #[inline]
    pub(super) fn begin(&mut self) {
        self.size = 0;
    }

    /// Adds the digi of the next channel.
    #[inline]
    pub(super) fn push(&mut self, digi: Digi) {
        self.adcs[self.size] = digi.adc();
        self.times[self.size] = digi.time_ns();
        self.size += 1;
    }
}
