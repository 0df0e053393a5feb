//! One module in one timeslice: from crossings to readings of both sides.

use super::channels::{Channels, Reading};
use super::crossing::Crossing;
use super::noise::Noise;
use super::response::Response;
use super::sensor::Sensor;
use super::strips::Strips;
use crate::random::{Exponential, Normal, Stream};
use crate::sts::setup::Asic;

/// Parameters that all modules have in common.
pub(super) struct Electronics<'a> {
    pub(super) asic: &'a Asic,
    pub(super) pickup: f64,
    pub(super) timeslice_ns: u64,
    pub(super) response: &'a Response,
    pub(super) normal: &'a Normal,
    pub(super) gaps: &'a Exponential,
}

/// A module being read out.
pub(super) struct ModuleReadout<'a> {
    electronics: &'a Electronics<'a>,
    sensor: &'a Sensor,
    sides: [SideReadout<'a>; 2],
    strips: [Strips; 2],
    stream: Stream,
}

struct SideReadout<'a> {
    channels: Channels<'a>,
    noise: Noise<'a>,
    stream: Stream,
}

impl<'a> ModuleReadout<'a> {
    /// `stream` is for the deposits, the others for the two sides' channels and noise.
    pub(super) fn new(
        electronics: &'a Electronics<'a>,
        sensor: &'a Sensor,
        stream: Stream,
        sides: [[Stream; 2]; 2],
    ) -> Self {
        let Electronics { asic, normal, .. } = *electronics;
        let side = |[stream, noise]: [Stream; 2]| SideReadout {
            channels: Channels::new(asic, normal, electronics.timeslice_ns),
            noise: Noise::new(asic, electronics.pickup, electronics.gaps, noise),
            stream,
        };
        ModuleReadout {
            electronics,
            sensor,
            sides: sides.map(side),
            strips: [Strips::default(), Strips::default()],
            stream,
        }
    }

    /// Adds all crossings, by time; the first has this number.
    pub(super) fn add(&mut self, crossings: &[Crossing], first: u32) {
        for (index, crossing) in (first..).zip(crossings) {
            self.add_crossing(crossing, index);
        }
    }

    fn add_crossing(&mut self, crossing: &Crossing, number: u32) {
        let point = [crossing.x.into(), crossing.y.into()];
        let slopes = [crossing.slope_x.into(), crossing.slope_y.into()];
        let passage = self.sensor.passage(point, slopes);
        let ionisation = f64::from(crossing.ionisation);
        let response = self.electronics.response;
        response.add(&passage, ionisation, &mut self.strips, &mut self.stream);
        for (number_of_side, side) in self.sides.iter_mut().enumerate() {
            let SideReadout { channels, noise, stream } = side;
            noise.add_until(crossing.time_ns, channels);
            for (strip, charge) in self.strips[number_of_side].charges() {
                if let Some(channel) = self.sensor.channel(number_of_side, strip) {
                    channels.signal(channel, crossing.time_ns, charge, number, stream);
                }
            }
        }
    }

    /// All readings, front and back, by time and channel.
    pub(super) fn finish(self) -> [Vec<Reading>; 2] {
        let end = self.electronics.timeslice_ns as f64;
        self.sides.map(|mut side| {
            side.noise.add_until(end, &mut side.channels);
            side.channels.finish()
        })
    }
}
