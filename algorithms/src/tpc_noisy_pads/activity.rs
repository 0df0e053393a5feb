//! Activity of a pad.

use crate::algorithm::{Choose, Element};
use crate::device::Poison;

/// Activity of a pad in a time frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PadActivity {
    /// Time bins with charge.
    pub charges: u16,
    /// The longest run of consecutive time bins with charge.
    pub longest_run: u16,
    /// The largest charge, in sixteenths of an ADC unit.
    pub largest: u16,
    /// Decision whether the pad is left out.
    pub verdict: Verdict,
}

/// Classification of a pad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u16)]
pub enum Verdict {
    /// Its charges may be those of particles.
    #[default]
    Good = 0,
    /// It has lost its baseline.
    Noisy = 1,
}

/// Thresholds of noisy pads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Maximum number of time bins with charge of a good pad.
    pub charges: u16,
    /// Maximum length of a run of them.
    pub run: u16,
    /// Pads with a larger charge than this are never noisy: saturation is no noise.
    pub saturation: u16,
}

/// An invalid activity: a longer run than charges.
impl Poison for PadActivity {
    const POISON: Self =
        PadActivity { charges: 0, longest_run: u16::MAX, largest: 0, verdict: Verdict::Good };
}

impl Element for PadActivity {
    const NAME: &'static str = "pad";

    fn changed(&self, _: Choose<'_>) -> Self {
        let largest = self.largest ^ 1;
        PadActivity { largest, ..*self }
    }
}

impl PadActivity {
    /// The activity of a pad, with the verdict by these thresholds.
    #[inline]
    pub fn new(charges: u16, longest_run: u16, largest: u16, thresholds: &Thresholds) -> Self {
        let busy = charges > thresholds.charges || longest_run > thresholds.run;
        let verdict =
            if busy && largest <= thresholds.saturation { Verdict::Noisy } else { Verdict::Good };
        PadActivity { charges, longest_run, largest, verdict }
    }

    /// True if the pad is to be left out.
    pub fn is_noisy(&self) -> bool {
        self.verdict == Verdict::Noisy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pad_is_noisy_beyond_either_threshold_unless_it_saturates() {
        let thresholds = Thresholds { charges: 100, run: 20, saturation: 5000 };
        let is_noisy =
            |charges, run, largest| PadActivity::new(charges, run, largest, &thresholds).is_noisy();
        assert!(!is_noisy(100, 20, 10) && !is_noisy(101, 21, 5001));
        assert!(is_noisy(101, 20, 10) && is_noisy(100, 21, 5000));
    }
}
