//! What a chain of digis becomes.

use generators::sts::setup::Setup;
use generators::sts::{CHANNELS_PER_SIDE, Digi};

use crate::sts::Cluster;
use crate::sts::formulas::{BelowFirstStep, Shapes, Side};
use crate::sts::rules::{Rules, Window};

/// The longest chain: each digi of it is in another channel.
const LONGEST: usize = CHANNELS_PER_SIDE as usize;
/// Sizes whose error of the time is looked up.
const KNOWN_SIZES: usize = 32;

/// The window between digis, and the formulas for their clusters.
pub(in crate::sts) struct ClusterFormulas {
    pub(super) window: Window,
    shapes: Shapes<f32>,
    time_errors: [f32; KNOWN_SIZES],
}

/// The charges and times of the digis of a chain.
pub(super) struct Chain {
    size: usize,
    adcs: [u8; LONGEST],
    times: [u32; LONGEST],
}

impl ClusterFormulas {
    /// Those of a detector.
    pub(in crate::sts) fn new(setup: &Setup) -> Self {
        let shapes = Shapes::new(setup, BelowFirstStep::Flat);
        ClusterFormulas {
            window: Window::new(setup),
            time_errors: std::array::from_fn(|size| shapes.time_error(size)),
            shapes,
        }
    }

    /// If nothing happens for longer than this until a time, no cluster goes across: in
    /// ns.
    pub(in crate::sts) fn quiet_ns<P: Rules>(&self, until: u32) -> u32 {
        self.window.crowd_ns::<P>(until)
    }

    /// The cluster of a chain whose first digi is in channel `first`.
    #[inline]
    pub(super) fn cluster<P: Rules>(&self, first: u16, chain: &Chain, side: Side) -> Cluster {
        let (adcs, times) = (&chain.adcs[..chain.size], &chain.times[..chain.size]);
        let shape = self.shapes.of(first, adcs);
        let offset = match side {
            Side::Front => 0.0,
            Side::Back => f32::from(CHANNELS_PER_SIDE),
        };
        Cluster {
            charge: shape.charge,
            size: chain.size as i32,
            position: shape.position + offset,
            position_error: shape.position_error,
            time: match times {
                [time] => *time,
                times => P::cluster_time(times),
            },
            time_error: match self.time_errors.get(chain.size) {
                Some(&error) => error,
                None => self.shapes.time_error(chain.size),
            },
        }
    }
}

impl Chain {
    pub(super) fn new() -> Box<Self> {
        Box::new(Chain {
            size: 0,
            adcs: [0; LONGEST],
            times: [0; LONGEST],
        })
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
