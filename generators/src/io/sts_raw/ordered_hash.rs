//! A hash of digis in order of time that ignores the order of digis of equal time, which sorts by
//! time leave open.

use crate::sts::Digi;

/// FNV-1a (Fowler, Noll, Vo) of 64 bits.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The hash over the bytes of all digis, by time, address, channel and charge.
pub(super) fn ordered_hash(digis: &[Digi]) -> u64 {
    let key = |digi: &Digi| {
        let channel_and_charge = digi.bits() >> 32 & 0xffff;
        (digi.time_ns(), digi.address().packed(), channel_and_charge)
    };
    let mut digis = digis.to_vec();
    digis.sort_unstable_by_key(key);
    let bytes = digis.iter().flat_map(|digi| digi.bits().to_le_bytes());
    bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts::Address;

    #[test]
    fn the_order_of_arrival_makes_no_difference() {
        assert_eq!(ordered_hash(&[]), OFFSET);
        let digi = |time, adc| Digi::new(Address::from_packed(0x1_0001), 5, time, adc);
        let early = digi(7, 2);
        let late = digi(7, 3);
        assert_eq!(ordered_hash(&[early, late]), ordered_hash(&[late, early]));
        assert_ne!(ordered_hash(&[early, late]), ordered_hash(&[early, early]));
    }
}
