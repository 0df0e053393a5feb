//! Digis for tests.

use generators::random::mix;
use generators::sts::Digi;

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
