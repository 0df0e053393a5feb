//! Slow and simple: pad by pad, time bin by time bin.

use generators_tpc::PadId;
use parallel::{Grain, collect};

use super::input::{ChargeMaps, PadActivity, pads};
use crate::tpc_decode::charge_map::entry_of;

/// Activity of each pad of each sector.
pub(super) fn find(maps: &ChargeMaps) -> Vec<PadActivity> {
    let pads: Vec<PadId> = pads().collect();
    collect(maps.pads(), Grain::Adaptive, |range| {
        range.map(|pad| of_pad(maps, maps.map(pad / pads.len()), pads[pad % pads.len()]))
    })
}

fn of_pad(maps: &ChargeMaps, map: &[u16], pad: PadId) -> PadActivity {
    let mut charges = 0;
    let mut run = 0;
    let mut longest = 0;
    let mut largest = 0;
    for time_bin in 0..maps.time_bins() {
        let charge = map[entry_of(pad, time_bin)];
        largest = largest.max(charge);
        if charge == 0 {
            run = 0;
            continue;
        }
        charges += 1;
        run += 1;
        longest = longest.max(run);
    }
    PadActivity::new(charges, longest, largest, maps.thresholds())
}
