//! A hit, step by step: right for all of them.

use generators::sts::MAX_TIME_NS;
use generators::sts::raw::{Message, MicrosliceCounts, Rules};

use super::link::Link;

/// Outcome of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HitOutcome {
    /// A digi with these bits.
    Digi(u64),
    /// Its charge is too small, or its channel masked.
    Unwanted,
    /// The board has no such e-link.
    UnknownElink,
    /// Its time does not fit into a digi.
    Late,
    /// Dropped, because the experiment's code has undefined behaviour for it.
    Undefined,
}

/// End of the range of integer times.
const END_OF_TIMES: f64 = 18_446_744_073_709_551_616.0;

impl HitOutcome {
    /// Outcome of a hit in an epoch that starts `eighths` eighths of ns after the timeslice.
    #[inline]
    pub(crate) fn for_hit(
        message: Message,
        eighths: u64,
        links: &[Link],
        rules: Rules,
    ) -> HitOutcome {
        let Some(link) = links.get(usize::from(message.elink())) else {
            return HitOutcome::UnknownElink;
        };
        let adc = message.adc();
        if u32::from(adc) <= link.cut || link.is_masked(message.channel()) {
            return HitOutcome::Unwanted;
        }
        // The sum wraps before it is divided.
        let time_eighths = 25 * u64::from(message.ticks()) + 4;
        let time = (eighths.wrapping_add(time_eighths) / 8).wrapping_sub(link.time_offset);
        let time = match rules {
            Rules::Of2023 => match u32::try_from(time) {
                Ok(time) => time & MAX_TIME_NS,
                Err(_) => return HitOutcome::Undefined,
            },
            Rules::Current if u32::from(adc) <= link.walks => {
                let time = time as f64 + link.walk_ns[usize::from(adc) - 1];
                if time <= -1.0 || time >= END_OF_TIMES {
                    return HitOutcome::Undefined;
                }
                if time >= f64::from(MAX_TIME_NS) + 1.0 {
                    return HitOutcome::Late;
                }
                time as u32
            }
            Rules::Current if time > MAX_TIME_NS.into() => return HitOutcome::Late,
            Rules::Current => time as u32,
        };
        let channel = link.channels[usize::from(message.channel())];
        let channel_and_charge = channel << 5 | link.charges[usize::from(adc)];
        HitOutcome::Digi(link.address | u64::from(channel_and_charge) << 32 | u64::from(time))
    }

    /// Counts it.
    #[inline]
    pub(crate) fn count(self, counts: &mut MicrosliceCounts, rules: Rules) {
        match self {
            HitOutcome::Digi(_) => counts.digis += 1,
            HitOutcome::Unwanted => {}
            HitOutcome::UnknownElink => counts.elink += 1,
            HitOutcome::Late => counts.overflow += 1,
            HitOutcome::Undefined => {
                // The code of 2023 does not check the range.
                counts.overflow += u32::from(rules == Rules::Current);
                counts.undefined += 1;
            }
        }
    }
}
