//! An e-link of a board: the ASIC at its end, and the corrections of its hits.

use serde::{Deserialize, Serialize};

/// ASICs of a module, both sides together.
pub const ASICS: u8 = 16;
/// Channels of an ASIC.
pub const ASIC_CHANNELS: u8 = 128;
/// Module and corrections of an e-link.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "ElinkFields", into = "ElinkFields")]
pub struct Elink {
    /// The full address of the module; 0 if nothing is connected.
    pub address: u32,
    /// Number of the ASIC in its module, 0 to 15.
    pub asic: u8,
    /// Nonzero for pulses of known charge: stored, but not used.
    pub pulser: u8,
    /// Subtracted from times, in ns.
    pub time_offset_ns: i32,
    /// Charges up to this are dropped.
    pub adc_min_cut: u8,
    /// The charge of ADC value 1.
    pub adc_offset: f64,
    /// The charge from one ADC value to the next.
    pub adc_gain: f64,
    /// Bit mask of the channels of the ASIC whose hits are dropped.
    pub masked: u128,
    /// Index of the table of corrections of times, for ADC values from 1 on.
    pub walk_table: usize,
}

/// An e-link in the code of 2023.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "(i64, u8)", into = "(i64, u8)")]
pub struct Elink2023 {
    /// The full address of the module; all bits if nothing is connected.
    pub address: u32,
    /// Number of the ASIC in its module, 0 to 15.
    pub asic: u8,
}

/// The fields of an e-link in the order of files.
type ElinkFields = (u32, u8, u8, i32, u8, f64, f64, Vec<u8>, usize);

impl TryFrom<ElinkFields> for Elink {
    type Error = String;

    fn try_from(fields: ElinkFields) -> Result<Self, String> {
        let bit = |&channel: &u8| {
            let bit = 1_u128.checked_shl(channel.into());
            bit.ok_or_else(|| format!("an ASIC has no channel {channel}; use 0 to 127"))
        };
        let masked =
            fields.7.iter().map(bit).try_fold(0, |all, bit| Ok::<_, String>(all | bit?))?;
        Ok(Elink {
            address: fields.0,
            asic: fields.1,
            pulser: fields.2,
            time_offset_ns: fields.3,
            adc_min_cut: fields.4,
            adc_offset: fields.5,
            adc_gain: fields.6,
            masked,
            walk_table: fields.8,
        })
    }
}

impl From<Elink> for ElinkFields {
    fn from(it: Elink) -> Self {
        let masked = (0..ASIC_CHANNELS).filter(|&channel| it.is_masked(channel)).collect();
        let offset = it.adc_offset;
        let gain = it.adc_gain;
        let cut = it.adc_min_cut;
        let walk = it.walk_table;
        (it.address, it.asic, it.pulser, it.time_offset_ns, cut, offset, gain, masked, walk)
    }
}

impl From<(i64, u8)> for Elink2023 {
    fn from((address, asic): (i64, u8)) -> Self {
        Elink2023 { address: address as u32, asic }
    }
}

impl From<Elink2023> for (i64, u8) {
    fn from(elink: Elink2023) -> Self {
        let address = if elink.address == u32::MAX { -1 } else { elink.address.into() };
        (address, elink.asic)
    }
}

impl Elink {
    /// An e-link that nothing is connected to.
    pub const UNCONNECTED: Elink = Elink {
        address: 0,
        asic: 0,
        pulser: 0,
        time_offset_ns: 0,
        adc_min_cut: 0,
        adc_offset: 1.0,
        adc_gain: 1.0,
        masked: 0,
        walk_table: 0,
    };

    /// True if hits of a channel are dropped.
    #[inline]
    pub fn is_masked(&self, channel: u8) -> bool {
        self.masked >> channel & 1 == 1
    }

    /// The charge of an ADC value from 1 to 31.
    #[inline]
    pub fn charge(&self, adc: u8) -> u16 {
        self.exact_charge(adc) as u16
    }

    /// The charge of an ADC value before it is cut to an integer.
    pub(super) fn exact_charge(&self, adc: u8) -> f64 {
        self.adc_offset + (f64::from(adc) - 1.0) * self.adc_gain
    }
}

impl Elink2023 {
    /// An e-link that nothing is connected to.
    pub const UNCONNECTED: Elink2023 = Elink2023 { address: u32::MAX, asic: 0 };
}
