//! Which pads of a row are noisy, sample by sample.

use generators::tpc::charges::Charge;

use crate::tpc::noisy::Limits;

/// What a pad did until now.
#[derive(Clone, Copy, Default)]
struct Activity {
    charges: u32,
    run: u32,
    longest_run: u32,
    largest: u16,
    /// The time bin behind the last charge.
    next: u32,
}

/// Of each pad that is looked at, whether it is noisy. Samples of a pad are in the order of time,
/// those of different pads in any.
pub(super) fn noisy_pads(samples: &[Charge], looked_at: &[bool], limits: &Limits) -> Vec<bool> {
    let mut pads = vec![Activity::default(); looked_at.len()];
    for sample in samples {
        if sample.time < limits.time_bins {
            pads[usize::from(sample.pad.pad())].add(sample.time, sample.charge);
        }
    }
    let is_noisy = |pad: &Activity| {
        let longest = pad.longest_run.max(pad.run);
        limits.are_passed_by(pad.charges, longest, pad.largest)
    };
    pads.iter().zip(looked_at).map(|(pad, seen)| *seen && is_noisy(pad)).collect()
}

impl Activity {
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
    use generators::tpc::PadId;

    use super::*;
    use crate::tpc::noisy::NoisyRule;

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
