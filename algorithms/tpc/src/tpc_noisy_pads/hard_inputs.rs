//! Difficult maps: few time bins, runs at their ends, charges and counts at the thresholds, pads at
//! the ends of rows.

use generators_common::random::{below, mix};
use generators_tpc::PadId;
use generators_tpc::geometry::pads_in_row;

use super::input::{ChargeMaps, Thresholds, cells};
use crate::tpc_decode::charge_map::entry_of;

const THRESHOLDS: Thresholds = Thresholds { charges: 20, run: 10, saturation: 1000 };

/// Maps with their names.
pub(super) fn all(seed: u64) -> Vec<(String, ChargeMaps)> {
    let empty = |sectors, time_bins| ChargeMaps::empty(sectors, time_bins, THRESHOLDS);
    let mut inputs = vec![
        ("no sectors".to_owned(), empty(0, 100)),
        ("no time bins".to_owned(), empty(1, 0)),
        ("no charges".to_owned(), empty(2, 50)),
    ];
    for (sectors, time_bins) in [(1, 1), (2, 1), (1, 3), (1, 4), (1, 5)] {
        let maps = filled(sectors, time_bins, |_, _, time_bin| 1 + time_bin as u16);
        inputs.push((format!("{time_bins} time bins of {sectors} sectors, all with charge"), maps));
    }
    inputs.push(("runs at the thresholds".into(), at_thresholds()));
    inputs.push(("pads at the ends of rows".into(), ends_of_rows()));
    inputs.push(("long runs with short gaps".into(), long_runs(seed)));
    for (share, name) in [(1, "sparse"), (128, "half full"), (250, "nearly full")] {
        let maps = filled(2, 37, |sector, pad, time_bin| {
            let key = u64::from(pad.bits()) << 32 | u64::from(time_bin) << 8 | sector as u64;
            let random = mix(seed ^ mix(key));
            let charge = 1 + below(random as u32, 1010) as u16;
            if random >> 56 < share { charge } else { 0 }
        });
        inputs.push((name.to_owned(), maps));
    }
    inputs
}

/// Maps with `charge` for each sector, pad and time bin, in this order.
fn filled(
    sectors: usize,
    time_bins: u32,
    mut charge: impl FnMut(usize, PadId, u32) -> u16,
) -> ChargeMaps {
    let mut maps = ChargeMaps::empty(sectors, time_bins, THRESHOLDS);
    for sector in 0..sectors {
        let map = maps.map_mut(sector);
        for (pad, time_bin) in cells(time_bins) {
            map[entry_of(pad, time_bin)] = charge(sector, pad, time_bin);
        }
    }
    maps
}

/// Runs of 9 to 11 time bins at the start, in the middle and at the end, 19 to 21 charges in total,
/// the largest just below, at and above saturation.
fn at_thresholds() -> ChargeMaps {
    const TIME_BINS: u32 = 64;
    filled(1, TIME_BINS, |_, pad, time_bin| {
        let pad = u32::from(pad.pad());
        let run = 9 + pad % 3;
        let charges = 19 + pad / 3 % 3;
        let largest = 999 + (pad / 9 % 3) as u16;
        let start = [0, 27, TIME_BINS - run][(pad / 27 % 3) as usize];
        let in_run = (start..start + run).contains(&time_bin);
        // The other charges are single ones, away from the run.
        let other = (time_bin + TIME_BINS - start - run - 1) % TIME_BINS;
        let single = other % 2 == 1 && other / 2 < charges - run;
        if in_run { largest } else { single.into() }
    })
}

fn ends_of_rows() -> ChargeMaps {
    filled(1, 9, |_, pad, time_bin| {
        let last = pads_in_row(usize::from(pad.row())) - 1;
        let at_end = pad.pad() == 0 || usize::from(pad.pad()) == last;
        if at_end { 5 + time_bin as u16 } else { 0 }
    })
}

/// Runs that cross any boundary at which time may be divided, and pads with charge all the time.
fn long_runs(seed: u64) -> ChargeMaps {
    let mut runs = Runs::new(seed, PadId::default());
    filled(1, 270, |_, pad, time_bin| {
        if time_bin == 0 {
            runs = Runs::new(seed, pad);
        }
        runs.next_charge()
    })
}

/// Runs of a pad: their lengths have an upper limit, from 1 to 512 time bins.
struct Runs {
    random: u64,
    longest: u64,
    left: u64,
    charge: u16,
}

impl Runs {
    fn new(seed: u64, pad: PadId) -> Self {
        let random = mix(seed ^ mix(pad.bits().into()));
        Runs { random, longest: 1 << (random % 10), left: 0, charge: 0 }
    }

    fn next_charge(&mut self) -> u16 {
        if self.left == 0 {
            self.random = mix(self.random);
            let is_run = self.charge == 0;
            let drawn = self.random as u32;
            self.left = 1 + below(drawn, if is_run { self.longest } else { 3 });
            self.charge = if is_run { 1 + (drawn >> 22) as u16 } else { 0 };
        }
        self.left -= 1;
        self.charge
    }
}
