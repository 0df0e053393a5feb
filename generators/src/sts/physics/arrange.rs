//! The order in which the readings of a module side arrive.

use rand::Rng;

use super::channels::Reading;
use crate::random::{Stream, below};
use crate::sts::Order;

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
