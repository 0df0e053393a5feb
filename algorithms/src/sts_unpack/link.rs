//! Readout of an e-link in a plain record.

use std::iter::zip;

use bytemuck::{Pod, Zeroable};
use generators::sts::raw::{ASIC_CHANNELS, Rules};
use generators::sts::{Address, Digi, MAX_ADC};

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
    pub(super) fn new(link: &generators::sts::raw::Link<'_>, rules: Rules) -> Self {
        let generators::sts::raw::Link { elink, walk_ns } = link;
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
