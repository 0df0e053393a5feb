//! Sorting on the host.
//!
//! A variant here is a sort of one segment; `segments` has the common code: segments in parallel,
//! and large segments in `parts`.

mod block_merge;
mod channel_bucket;
mod concat;
mod count;
mod library_sorts;
pub(crate) mod parts;
pub(crate) mod radix;
mod scatter;
pub(crate) mod segments;
mod time_bucket;
mod times;

use super::StsSort;
use tasks::algorithm::Variant;

pub(crate) use channel_bucket::sort_alone_in_place;
pub(crate) use time_bucket::sort_segment as sort_by_time;

pub(super) const VARIANTS: &[Variant<StsSort>] = &[
    library_sorts::STD_STABLE,
    library_sorts::STD_UNSTABLE,
    library_sorts::STD_SORT,
    block_merge::BLOCK_MERGE,
    radix::SEGMENTED_RADIX,
    concat::CONCAT,
    channel_bucket::CHANNEL_BUCKET,
    library_sorts::RDST,
    library_sorts::VORACIOUS,
    library_sorts::VORACIOUS_STABLE,
];

/// The array that has the result of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultIn {
    Digis,
    Scratch,
}

impl ResultIn {
    fn other(self) -> Self {
        match self {
            ResultIn::Digis => ResultIn::Scratch,
            ResultIn::Scratch => ResultIn::Digis,
        }
    }

    #[cfg(test)]
    fn select<'a, T>(self, digis: &'a [T], scratch: &'a [T]) -> &'a [T] {
        match self {
            ResultIn::Digis => digis,
            ResultIn::Scratch => &scratch[..digis.len()],
        }
    }
}

#[cfg(test)]
mod test_digis {
    use generators_common::random::mix;
    use generators_sts::Digi;

    /// `length` digis of random bits.
    pub(super) fn random_digis(length: u64) -> Vec<Digi> {
        let bits = (0..length).map(mix);
        bits.map(Digi::from_bits).collect()
    }

    /// Digis sorted stably by the standard library.
    pub(super) fn sorted(digis: &[Digi]) -> Vec<Digi> {
        let mut digis = digis.to_vec();
        digis.sort_by_key(|digi| digi.key());
        digis
    }
}
