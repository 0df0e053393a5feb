//! Rows of digis, checked against the limits of a detector.

use generators_common::io::rows::in_range;

use crate::setup::Setup;
use crate::{Address, CHANNELS_PER_SIDE, Digi, MAX_ADC, MAX_SEGMENTS, MAX_TIME_NS, ModuleSide};

/// Limits of a detector.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Number of modules.
    pub(super) modules: usize,
    /// The largest charge in ADC units.
    pub(super) adc: u8,
}

impl Limits {
    /// The limits of the digi format itself.
    pub(super) const OF_DIGIS: Limits = Limits { modules: MAX_SEGMENTS / 2, adc: MAX_ADC };

    /// Limits of a detector.
    pub(super) fn for_setup(setup: &Setup) -> Self {
        Limits { modules: setup.modules().len(), adc: setup.asic().n_adc - 1 }
    }
}

/// A digi with the module side it belongs to.
pub(super) struct Row {
    pub(super) side: ModuleSide,
    pub(super) channel: u32,
    pub(super) time_ns: u32,
    pub(super) adc: u32,
}

impl Row {
    /// Returns the digi, or a message about its fields.
    pub(super) fn digi(&self, limits: Limits) -> Result<Digi, String> {
        in_range("channel", self.channel, u32::from(CHANNELS_PER_SIDE) - 1)?;
        in_range("time_ns", self.time_ns, MAX_TIME_NS)?;
        in_range("adc", self.adc, u32::from(limits.adc))?;
        let address = Address::of_module(self.side.module);
        Ok(Digi::new(address, self.channel as u16, self.time_ns, self.adc as u8))
    }
}
