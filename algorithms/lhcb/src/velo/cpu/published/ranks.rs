//! Order of hits by counting those before each.

use generators_lhcb::geometry::MODULE_PAIRS;

use crate::velo::cpu::results::HitSlots;
use crate::velo::model::{EventHits, PairRange};

/// Writes hits in order of angle and identifier; returns the number of slots.
pub fn sort(hits: &EventHits<'_>, slots: &mut HitSlots<'_>) -> usize {
    let mut order = Vec::new();
    for pair in 0..MODULE_PAIRS {
        let range = hits.pairs[pair];
        slots.pairs[pair] = range;
        let PairRange { start, count } = range;
        let own = start as usize..(start + count) as usize;
        let phi = &hits.phi[own.clone()];
        let ids = &hits.ids[own];
        order.clear();
        order.resize(count as usize, 0);
        for index in 0..phi.len() {
            let mut rank = 0;
            for other in 0..phi.len() {
                let is_before = (phi[other], ids[other], other) < (phi[index], ids[index], index);
                rank += usize::from(is_before);
            }
            order[rank] = start as usize + index;
        }
        for (slot, &from) in (start as usize..).zip(&order) {
            slots.ids[slot] = hits.ids[from];
            slots.x[slot] = hits.x[from];
            slots.y[slot] = hits.y[from];
            slots.z[slot] = hits.z[from];
            slots.phi[slot] = hits.phi[from];
        }
    }
    hits.ids.len()
}
