//! One module in one timeslice: from crossings to readings of both sides, and their
//! order of arrival.

use generators_common::random::{Exponential, Normal, Stream, below};
use rand::Rng;

use super::channels::{Channels, Reading};
use super::crossing::Crossing;
use super::noise::Noise;
use super::response::{Response, Strips};
use super::sensor::Sensor;
use crate::Order;
use crate::setup::Asic;

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

/// Brings readings from the order of time into another one.
pub(super) fn arrange(readings: &mut [Reading], order: Order, stream: &mut Stream) {
    match order {
        Order::Time => {}
        Order::Random => shuffle(readings, stream),
        Order::Jitter(distance) => displace(readings, distance, stream),
    }
}

fn shuffle(readings: &mut [Reading], stream: &mut Stream) {
    for last in (1..readings.len()).rev() {
        let other = below(stream.next_u32(), last as u64 + 1) as usize;
        readings.swap(last, other);
    }
}

/// Moves readings: each draws a slot up to `distance` after its own, and they arrive by slot. Two
/// readings more than `distance` apart therefore keep their order.
fn displace(readings: &mut [Reading], distance: u32, stream: &mut Stream) {
    let range = u64::from(distance) + 1;
    let slot = |index: usize| index as u64 + below(stream.next_u32(), range);
    let slots: Vec<_> = (0..readings.len()).map(slot).collect();
    let mut arriving: Vec<_> = slots.into_iter().zip(readings.iter().copied()).collect();
    arriving.sort_by_key(|(slot, _)| *slot);
    for (to, (_, reading)) in readings.iter_mut().zip(arriving) {
        *to = reading;
    }
}
