//! Slow and obvious: pad by pad, time bin by time bin.

use generators::tpc::PadId;
use generators::tpc::geometry::{ROWS, pads_in_row};

use super::activity::PadActivity;
use super::input::ChargeMaps;
use crate::tpc_decode::charge_map::entry_of;

/// What each pad of each sector did.
pub(super) fn find(maps: &ChargeMaps) -> Vec<PadActivity> {
    let mut activity = Vec::with_capacity(maps.pads());
    for sector in 0..maps.sectors() {
        for row in 0..ROWS {
            for pad in 0..pads_in_row(row) {
                let pad = PadId::new(row as u8, pad as u8);
                activity.push(of_pad(maps, maps.map(sector), pad));
            }
        }
    }
    activity
}

fn of_pad(maps: &ChargeMaps, map: &[u16], pad: PadId) -> PadActivity {
    let (mut charges, mut run, mut longest, mut largest) = (0, 0, 0, 0);
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
