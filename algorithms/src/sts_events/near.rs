//! Searches that begin where the answer is expected.

use std::ops::Range;

use generators::sts::Digi;

/// Lower bound: the index of the first digi whose time is not `before`, by exponential search from
/// `start` on. Times ascend, so `before` holds for all digis before it.
pub(super) fn lower_bound(digis: &[Digi], start: usize, before: impl Fn(u32) -> bool) -> usize {
    let is_before = |at: usize| before(digis[at].time_ns());
    let within = if start < digis.len() && is_before(start) {
        ahead(start, digis.len(), is_before)
    } else {
        behind(start.min(digis.len()), is_before)
    };
    within.start + digis[within].partition_point(|digi| before(digi.time_ns()))
}

/// Range that contains the result if that is after `start`, for which `is_before` holds.
fn ahead(start: usize, end: usize, is_before: impl Fn(usize) -> bool) -> Range<usize> {
    let mut low = start + 1;
    let mut leap = 1;
    while low + leap <= end && is_before(low + leap - 1) {
        low += leap;
        leap *= 2;
    }
    low..end.min(low + leap)
}

/// Range that contains the result if that is at or before `start`.
fn behind(start: usize, is_before: impl Fn(usize) -> bool) -> Range<usize> {
    let mut high = start;
    let mut leap = 1;
    while high > 0 && !is_before(high.saturating_sub(leap)) {
        high = high.saturating_sub(leap);
        leap *= 2;
    }
    high.saturating_sub(leap)..high
}

#[cfg(test)]
mod tests {
    use generators::sts::Address;

    use super::*;

    #[test]
    fn the_result_does_not_depend_on_the_start_of_the_search() {
        let digi = |time| Digi::new(Address::of_module(0), 0, time, 1);
        let digis: Vec<_> = (0..40).map(|i| digi(i / 3)).collect();
        for time in 0..15 {
            let right = digis.partition_point(|digi| digi.time_ns() < time);
            for start in 0..=digis.len() + 1 {
                assert_eq!(lower_bound(&digis, start, |t| t < time), right, "{time} from {start}");
            }
        }
        assert_eq!(lower_bound(&[], 0, |_| true), 0);
    }
}
