//! Difficult time frames: those of decoding, of any format and with damaged pages, with clusters
//! across the ends of fragments; and pads that are nearly noisy.

use generators_tpc::time::time_bins_of;

use super::Tpc;
use super::finding::{Finding, NoisyRule};
use super::input::RawFrame;
use crate::tpc_cluster_finder::Settings;
use crate::tpc_decode::{Output, TimeFrame, TpcDecode};
use tasks::algorithm::Algorithm;
use tasks::axis::Params;

/// Fragments that end within an orbit.
const FRAGMENT: u32 = 120;

/// Time frames with their names.
pub(super) fn all(seed: u64) -> Vec<(String, RawFrame)> {
    let decoded = TpcDecode.hard_inputs(seed).into_iter();
    let digits = decoded.filter(|(name, frame)| {
        // All formats in few pages, and one in many.
        let is_wanted = name.contains("few pages") || name.starts_with("dense-link: all kinds");
        is_wanted && frame.output() == Output::Digits && !is_contested(frame)
    });
    let of_decoding = digits.enumerate().map(|(index, (name, frame))| {
        let rule = NoisyRule::ALL[index % 2];
        let finding = Finding {
            time_bins: time_bins_of(frame.orbits() - 1).end,
            fragment: FRAGMENT,
            rule,
            settings: Settings::default(),
        };
        (format!("{name}, {rule} rule"), RawFrame::new(frame, finding))
    });
    let noisy = NoisyRule::ALL.map(|rule| noisy(rule, seed));
    of_decoding.chain(noisy).chain([many_sectors(seed)]).collect()
}

/// True if several samples are in one cell, and the result is not specified.
fn is_contested(frame: &TimeFrame) -> bool {
    let mut cells: Vec<_> = frame.digits().digits.iter().map(|digit| digit.cell_bits()).collect();
    cells.sort_unstable();
    cells.windows(2).any(|cells| cells[0] == cells[1])
}

/// A frame with many noisy or busy pads.
fn noisy(rule: NoisyRule, seed: u64) -> (String, RawFrame) {
    let given = [
        ("preset", "pp"),
        ("sectors", "1"),
        ("noisy-pads", "0.02"),
        ("hot-pads", "0.02"),
        ("fragment", "300"),
        ("noisy", rule.name()),
    ];
    (format!("noisy pads, {rule} rule"), generated(&given, seed))
}

/// More sectors than are processed in one group, so that the next group reuses the buffers of the
/// first.
fn many_sectors(seed: u64) -> (String, RawFrame) {
    let given = [
        ("sectors", "20"),
        ("occupancy", "0.0001"),
        ("noise", "0"),
        ("noisy", NoisyRule::ALL[0].name()),
    ];
    ("many sectors".to_owned(), generated(&given, seed))
}

/// Generates a time frame of one orbit.
fn generated(given: &[(&'static str, &str)], seed: u64) -> RawFrame {
    let params: Params = given.iter().copied().chain([("orbits", "1")]).collect();
    let planned = Tpc.plan(params).and_then(|plan| Tpc.generate(&plan.params, seed));
    planned.unwrap_or_else(|problem| unreachable!("a small time frame: {problem}"))
}
