//! The clock of the read-out: a tick is 25/8 ns, an epoch 1024 ticks, a cycle 2²⁹ epochs. Epochs
//! and cycles are counted from the beginning of Unix time.

/// Ticks of an epoch.
pub const TICKS_PER_EPOCH: u64 = 1024;
/// The length of an epoch in ns.
pub const EPOCH_NS: u64 = 3200;
/// Number of epochs of a cycle, which messages can number.
pub const EPOCHS_PER_CYCLE: u64 = 1 << 29;
/// The length of a cycle in ns: 28.6 minutes.
pub const CYCLE_NS: u64 = EPOCH_NS * EPOCHS_PER_CYCLE;

/// The tick that is nearest to a time, of two the later one; both count from the same moment.
///
/// The time is below 2⁶¹ ns.
#[inline]
pub const fn tick_of(ns: u64) -> u64 {
    (8 * ns + 12) / 25
}

/// The time of a tick in whole ns, halves up.
#[inline]
pub const fn ns_of(tick: u64) -> u64 {
    (25 * tick + 4) / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_rounded_to_the_nearest_ns_halves_up() {
        assert_eq!([0, 1, 4, 8, 1024].map(ns_of), [0, 3, 13, 25, EPOCH_NS]);
        for tick in 0..5000 {
            assert_eq!(tick_of(ns_of(tick)), tick);
        }
        assert!((0..5000).all(|ns| ns_of(tick_of(ns)).abs_diff(ns) <= 2));
    }

    #[test]
    fn a_cycle_is_a_multiple_of_the_range_of_digis() {
        assert_eq!(CYCLE_NS, 1_717_986_918_400);
        assert!(CYCLE_NS.is_multiple_of(1 << 31));
    }
}
