//! Slow and obvious: pad by pad, time bin by time bin.

use generators::tpc::PadId;
use generators::tpc::geometry::{ROWS, pads_in_row};
use rayon::prelude::*;

use super::activity::PadActivity;
use super::input::ChargeMaps;
use crate::tpc_decode::charge_map::entry_of;

/// What each pad of each sector did.
pub(super) fn find(maps: &ChargeMaps) -> Vec<PadActivity> {
    let rows = (0..maps.sectors() * ROWS).into_par_iter();
    let of_row = |number: usize| {
        let (map, row) = (maps.map(number / ROWS), number % ROWS);
        pads(row).map(move |pad| of_pad(maps, map, pad))
    };
    rows.flat_map_iter(of_row).collect()
}

/// The pads of a row.
fn pads(row: usize) -> impl Iterator<Item = PadId> {
    (0..pads_in_row(row)).map(move |pad| PadId::new(row as u8, pad as u8))
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
