//! Slow and simple: the references of the tasks of the chain, one after the other.

use generators_tpc::charges::{Charge, ChargeCase};
use generators_tpc::{Digit, PadId};
use parallel::map;

use super::finding::{Finding, Limits, NoisyRule, looked_at};
use crate::tpc_cluster_finder::input::charges;
use crate::tpc_cluster_finder::{Charges, RowCluster};
use crate::tpc_decode::TimeFrame;
use crate::tpc_decode::charge_map::Converter;
use crate::tpc_noisy_pads::noisy_pads;

/// The expected output.
pub(super) struct RightOutput {
    pub(super) clusters: Vec<RowCluster>,
    /// The noisy pads of each sector.
    pub(super) noisy: Vec<Vec<PadId>>,
}

/// The clusters of all valid pages.
pub(super) fn find(frame: &TimeFrame, finding: Finding) -> RightOutput {
    let digits = frame.digits().digits;
    let sectors = frame.sector_numbers();
    let cases = map(&sectors, |&sector| {
        let own = digits.iter().copied().filter(|digit| digit.sector() == sector);
        case(frame, finding, sector, &own.collect::<Vec<_>>())
    });
    let noisy = cases.iter().map(|case| case.noisy.clone()).collect();
    RightOutput { clusters: Charges::new(cases).right_clusters().list.clone(), noisy }
}

fn case(frame: &TimeFrame, finding: Finding, sector: u8, digits: &[Digit]) -> ChargeCase {
    let Finding { time_bins, fragment, rule, settings } = finding;
    let gains = frame.gains();
    let format = frame.format();
    let converter = Converter::new(gains, sector, format);
    let charges = charges(digits, &converter);
    let noisy = match rule {
        NoisyRule::Lab => noisy_pads(digits, time_bins, gains, format),
        NoisyRule::Published => noisy_by_experiment(&charges, time_bins, fragment),
    };
    ChargeCase { sector, time_bins, fragment, settings, noisy, charges, ..ChargeCase::default() }
}

/// The noisy pads by the experiment's rule, pad by pad and time bin by time bin.
fn noisy_by_experiment(charges: &[Charge], time_bins: u32, fragment: u32) -> Vec<PadId> {
    let limits = Limits::new(NoisyRule::Published, time_bins, fragment);
    let looked_at = looked_at(NoisyRule::Published);
    let mut charges: Vec<_> = charges.iter().filter(|it| it.time < limits.time_bins).collect();
    charges.sort_by_key(|sample| sample.pad);
    let pads = charges.chunk_by(|one, next| one.pad == next.pad);
    let noisy = pads.filter(|of_pad| {
        let pad = of_pad[0].pad;
        let mut of_times = vec![0; limits.time_bins as usize];
        for sample in *of_pad {
            of_times[sample.time as usize] = sample.charge;
        }
        let runs = of_times.split(|charge| *charge == 0).map(<[_]>::len);
        let charged = of_times.iter().filter(|charge| **charge > 0).count();
        let largest = of_times.iter().copied().max().unwrap_or(0);
        looked_at[usize::from(pad.row())][usize::from(pad.pad())]
            && limits.are_passed_by(charged as u32, runs.max().unwrap_or(0) as u32, largest)
    });
    noisy.map(|of_pad| of_pad[0].pad).collect()
}
