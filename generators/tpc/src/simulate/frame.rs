//! One heartbeat frame of one sector: its samples, from all that crosses it meanwhile.

use generators_common::random::stream;

use super::bad_pads::BadFrame;
use super::cells::Columns;
use super::particles::{Particles, Simulation};
use super::physics::THRESHOLD;
use super::plane::{Deposits, Plane};
use super::samples::{EndpointSamples, Noise, Signal};
use super::truth::FrameTruth;
use crate::Endpoint;
use crate::geometry::{ENDPOINTS, Region};
use crate::time::time_bins_of;

/// Names the streams of noise.
const NOISE: u64 = 2;

/// Buffers that are reused for each region.
pub(super) struct Buffers {
    deposits: Deposits,
    signal: Signal,
    endpoint_samples: EndpointSamples,
}

impl Simulation {
    /// Buffers that are large enough for any region.
    pub(super) fn buffers(&self) -> Buffers {
        Buffers {
            deposits: Deposits::default(),
            signal: Signal::new(),
            endpoint_samples: EndpointSamples::new(self.cells.largest_half()),
        }
    }

    /// Visits each endpoint with its samples, in order.
    pub(super) fn frame(
        &self,
        sector: usize,
        frame: u32,
        buffers: &mut Buffers,
        visit: impl FnMut(Endpoint, &EndpointSamples),
    ) {
        self.frame_with_truth(sector, frame, buffers, None, visit);
    }

    /// Simulates a frame and records the true clusters and marks, if requested.
    pub(super) fn frame_with_truth(
        &self,
        sector: usize,
        frame: u32,
        buffers: &mut Buffers,
        mut truth: Option<&mut FrameTruth<'_>>,
        mut visit: impl FnMut(Endpoint, &EndpointSamples),
    ) {
        let Buffers { deposits, signal, endpoint_samples } = buffers;
        let columns = Columns::for_frame(frame);
        let particles = Particles::seen_in(sector, frame, self);
        let bins = columns.time_bins().len();
        let bad_frame = BadFrame { seed: self.seed, number: frame, bins, threshold: THRESHOLD };
        for region in Region::all() {
            let cells = self.cells.region(region);
            deposits.clear(cells.len());
            Plane::new(self, region, cells, &columns, deposits, truth.as_deref_mut())
                .add_all(&particles);
            deposits.sort();
            let mut noise = self.noise(sector, frame, region);
            let bad_pads = self.bad_pads.of_region(self.seed, sector, region, cells);
            for endpoint in region.endpoints() {
                let (first, indices) = cells.half(endpoint);
                endpoint_samples.clear(&columns);
                for (cell, index) in (first..).zip(indices) {
                    deposits.add_to(signal, cell, &self.response);
                    noise.add_to(signal);
                    bad_pads.add_to(signal, cell, &bad_frame);
                    endpoint_samples.add(*index, signal, THRESHOLD, self.format);
                    signal.clear();
                }
                visit(endpoint, endpoint_samples);
            }
        }
    }

    fn noise(&self, sector: usize, frame: u32, region: Region) -> Noise<'_> {
        let name = [NOISE, (sector * ENDPOINTS + region.number()) as u64, frame.into()];
        let bins = time_bins_of(frame).len();
        Noise::new(self.noise, THRESHOLD, bins, &self.gaps, stream(self.seed, name))
    }
}
