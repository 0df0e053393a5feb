//! The five versions of the zero-suppressed format.

use generators_common::named;

/// A zero-suppressed format; see `docs/tpc-pages.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ZsFormat {
    /// Version 1: by row, 10-bit samples.
    Row10,
    /// Version 2: by row, 12-bit samples.
    Row12,
    /// Version 3: by link, 12-bit samples, five in a 64-bit word.
    Link,
    /// Version 4: by link, densely packed 12-bit samples, blocks that continue in
    /// the next page.
    DenseLink,
    /// Version 5: the same with 10 bits a sample where all samples of a time bin
    /// are small.
    DenseLinkV2,
}

/// Structure of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Records of time bins with rows and sequences of pads.
    Row,
    /// Blocks of one link and time bin.
    Link,
    /// Blocks of one time bin with all its links.
    DenseLink,
}

// Ordered by version.
named! {
    "format",
    ZsFormat {
        Row10 = "row10",
        Row12 = "row12",
        Link = "link",
        DenseLink = "dense-link",
        DenseLinkV2 = "dense-link-v2",
    }
}

impl ZsFormat {
    /// The format with this version number, if there is one.
    pub fn from_version(version: u8) -> Option<Self> {
        ZsFormat::ALL.into_iter().find(|format| format.version() == version)
    }

    /// The version number in the headers of pages.
    pub const fn version(self) -> u8 {
        self as u8 + 1
    }

    /// Structure of pages.
    pub const fn layout(self) -> Layout {
        match self {
            ZsFormat::Row10 | ZsFormat::Row12 => Layout::Row,
            ZsFormat::Link => Layout::Link,
            ZsFormat::DenseLink | ZsFormat::DenseLinkV2 => Layout::DenseLink,
        }
    }

    /// Bits of an ADC value: 10 count whole ADC units, 12 quarters of them.
    pub const fn sample_bits(self) -> u32 {
        match self {
            ZsFormat::Row10 => 10,
            _ => 12,
        }
    }

    /// The largest ADC value.
    pub const fn max_adc(self) -> u16 {
        (1 << self.sample_bits()) - 1
    }

    /// The ADC value for a charge in quarters of an ADC unit: rounded, and
    /// saturated where the format has no larger value.
    #[inline]
    pub const fn adc_of_quarters(self, quarters: u16) -> u16 {
        let adc = match self {
            ZsFormat::Row10 => quarters / 4 + (quarters % 4) / 2,
            _ => quarters,
        };
        if adc > self.max_adc() { self.max_adc() } else { adc }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_back() {
        for format in ZsFormat::ALL {
            assert_eq!(ZsFormat::from_version(format.version()), Some(format));
        }
        assert_eq!(ZsFormat::DenseLinkV2.version(), 5);
        assert_eq!(ZsFormat::from_version(0), None);
    }

    #[test]
    fn charges_are_rounded_and_saturate() {
        let row10 = [0, 1, 2, 5, 6, 4093, 4095].map(|q| ZsFormat::Row10.adc_of_quarters(q));
        assert_eq!(row10, [0, 0, 1, 1, 2, 1023, 1023]);
        assert_eq!(ZsFormat::Link.adc_of_quarters(4095), 4095);
        assert_eq!(ZsFormat::Link.adc_of_quarters(u16::MAX), 4095);
    }
}
