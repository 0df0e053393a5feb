//! The chain on the host.
//!
//! | module | holds |
//! |---|---|
//! | `published` | as the experiment: maps of charges, and a loop for each stage |
//! | `rows` | recobench's chain: digits, then row by row in the nearest caches |

mod published;
mod rows;

use generators_tpc::PadId;
use generators_tpc::charges::Charge;

use super::Tpc;
use super::finding::{Limits, NoisyRule};
use crate::tpc_decode::charge_map::entry_of;
use tasks::algorithm::Variant;
use tasks::device::Unavailable;

pub(super) const VARIANTS: &[Variant<Tpc>] = &[
    Variant::<Tpc>::cpu(
        "published",
        "fragment by fragment and sector by sector, a loop for each stage, as the experiment on a \
         CPU",
        |at| match at.input.finding.rule {
            NoisyRule::Published => {
                at.session(published::Published::new(at.input, at.arena, at.threads()))
            }
            // Fragments are finished before the last one is known.
            NoisyRule::Lab => Err(Unavailable(
                "it searches noisy pads in the first fragment only: use --noisy published".into(),
            )),
        },
    )
    .by_published_rules(),
    Variant::<Tpc>::cpu(
        "rows",
        "ours: pages to digits, digits by row; each row's noisy pads and clusters at once",
        |at| at.session(rows::Rows::new(at.input, at.arena, at.threads())),
    )
    .by_published_rules(),
];

/// Charges of a pad so far.
#[derive(Clone, Copy, Default)]
struct Activity {
    charges: u32,
    run: u32,
    longest_run: u32,
    largest: u16,
    /// The time bin after the last charge.
    next: u32,
}

/// True for each examined pad that is noisy. Samples of a pad are in the order of time, those of
/// different pads in any order.
fn noisy_pads(samples: &[Charge], looked_at: &[bool], limits: &Limits) -> Vec<bool> {
    let mut pads = vec![Activity::default(); looked_at.len()];
    for sample in samples {
        if sample.time < limits.time_bins {
            pads[usize::from(sample.pad.pad())].add(sample.time, sample.charge);
        }
    }
    pads.iter().zip(looked_at).map(|(pad, seen)| *seen && pad.is_noisy(limits)).collect()
}

/// The noisy pads of a sector, from the map of the first fragment.
fn noisy_in_map(map: &[u16], looked_at: &[Vec<bool>], limits: &Limits) -> Vec<PadId> {
    let of_row = |(row, looked_at): (usize, &Vec<bool>)| {
        let pads = looked_at.iter().zip(0..).filter(|(seen, _)| **seen);
        let pads = pads.map(|(_, pad)| PadId::new(row as u8, pad));
        pads.filter(|pad| is_noisy_in_map(map, *pad, limits)).collect::<Vec<_>>()
    };
    parallel::map(looked_at.iter().enumerate(), of_row).concat()
}

fn is_noisy_in_map(map: &[u16], pad: PadId, limits: &Limits) -> bool {
    let mut activity = Activity::default();
    for time in 0..limits.time_bins {
        // Time bins after the end may be outside of the map.
        activity.add(time, map.get(entry_of(pad, time)).copied().unwrap_or(0));
    }
    activity.is_noisy(limits)
}

impl Activity {
    fn is_noisy(&self, limits: &Limits) -> bool {
        let longest = self.longest_run.max(self.run);
        limits.are_passed_by(self.charges, longest, self.largest)
    }

    #[inline]
    fn add(&mut self, time: u32, charge: u16) {
        if charge == 0 {
            return;
        }
        self.charges += 1;
        if time != self.next {
            self.longest_run = self.longest_run.max(self.run);
            self.run = 0;
        }
        self.run += 1;
        self.largest = self.largest.max(charge);
        self.next = time + 1;
    }
}

#[cfg(test)]
mod tests {
    use generators_tpc::PadId;

    use super::*;
    use crate::tpc::finding::NoisyRule;

    #[test]
    fn runs_end_where_there_is_no_charge() {
        let limits = Limits::new(NoisyRule::Published, 1000, 4000);
        let noisy = |charges: &dyn Fn(u32) -> Option<u16>| {
            let pad = PadId::new(0, 1);
            let sample = |time| Some(Charge { time, pad, charge: charges(time)? });
            let samples: Vec<_> = (0..1000).filter_map(sample).collect();
            noisy_pads(&samples, &[true; 2], &limits)
        };
        assert_eq!(noisy(&|time| (time < 200).then_some(5)), [false, true]);
        assert_eq!(noisy(&|time| (time < 200 && time != 100).then_some(5)), [false, false]);
        assert_eq!(noisy(&|time| (time < 200).then(|| u16::from(time != 100))), [false, false]);
        assert_eq!(noisy(&|time| (time % 2 == 0).then_some(5)), [false, true]);
        assert_eq!(noisy(&|time| (time < 200).then_some(11_200)), [false, false]);
    }
}
