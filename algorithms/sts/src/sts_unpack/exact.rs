//! A hit and the e-link it comes from, step by step: right for all hits.

use std::iter::zip;

use bytemuck::{Pod, Zeroable};
use generators_sts::raw::{ASIC_CHANNELS, Message, MicrosliceCounts, Rules};
use generators_sts::{Address, Digi, MAX_ADC, MAX_TIME_NS};

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

/// ADC values: five bits.
pub(crate) const ADC_VALUES: usize = MAX_ADC as usize + 1;

/// Readout of an e-link.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Link {
    /// Its digis have these bits.
    pub(crate) address: u64,
    /// Subtracted from times, in ns; it wraps.
    pub(crate) time_offset: u64,
    /// Added to times, in ns, from ADC value 1 on.
    pub(crate) walk_ns: [f64; ADC_VALUES],
    /// Number of ADC values with a correction of the time.
    pub(crate) walks: u32,
    /// Charges up to this are dropped.
    pub(crate) cut: u32,
    /// A bit for each channel, set if its hits are dropped.
    pub(crate) masked: [u32; 4],
    /// Charges of ADC values.
    pub(crate) charges: [u16; ADC_VALUES],
    /// Channels in the module.
    pub(crate) channels: [u16; ASIC_CHANNELS as usize],
}

impl Link {
    pub(super) fn new(link: &generators_sts::raw::Link<'_>, rules: Rules) -> Self {
        let generators_sts::raw::Link { elink, walk_ns } = link;
        let walks = walk_ns.len().min(ADC_VALUES - 1);
        let mut all = Link {
            address: Digi::new(Address::of_full(elink.address), 0, 0, 0).bits(),
            time_offset: i64::from(elink.time_offset_ns) as u64,
            walks: walks as u32,
            cut: elink.adc_min_cut.into(),
            masked: [0, 1, 2, 3].map(|word| (elink.masked >> (32 * word)) as u32),
            ..Link::zeroed()
        };
        all.walk_ns[..walks].copy_from_slice(&walk_ns[..walks]);
        for (adc, charge) in (1..).zip(&mut all.charges[1..]) {
            *charge = elink.charge(adc);
        }
        for (channel, index) in zip(0.., &mut all.channels) {
            *index = rules.channel(elink.asic, channel);
        }
        all
    }

    /// True if hits of a channel are dropped.
    #[inline]
    pub(crate) fn is_masked(&self, channel: u8) -> bool {
        self.masked[usize::from(channel / 32)] >> (channel % 32) & 1 == 1
    }
}
