//! `std::sort` of the C++ standard library, which the experiment's code sorts with. It is
//! introspective sort (Musser 1997), and not stable.
//!
//! `std_sort.cpp` is compiled with this crate if there is a C++ compiler. Otherwise variants that
//! need it are unavailable, which is checked before any function is called.

use generators_sts::Digi;

use tasks::device::Unavailable;

/// Checks that it was compiled.
pub(crate) fn available() -> Result<(), Unavailable> {
    match option_env!("RECOBENCH_NO_STD_SORT") {
        Some(reason) => Err(Unavailable(format!("std::sort is missing: {reason}"))),
        None => Ok(()),
    }
}

/// Declares functions that sort records by functions of `std_sort.cpp`, each with the size of a
/// record.
macro_rules! sorts {
    ($($(#[$doc:meta])* $name:ident = $symbol:ident($record:ty, $bytes:literal);)*) => {
        mod compiled {
            use std::ffi::c_void;

            #[cfg(std_sort)]
            unsafe extern "C" {
                $(pub(super) fn $symbol(first: *mut c_void, count: usize);)*
            }

            $(#[cfg(not(std_sort))]
            pub(super) unsafe fn $symbol(_: *mut c_void, _: usize) {
                unreachable!("variants that need std::sort are not opened without it")
            })*
        }

        $($(#[$doc])*
        pub(crate) fn $name(records: &mut [$record]) {
            const { assert!(size_of::<$record>() == $bytes) }
            // SAFETY: the function permutes these records, and moves them bitwise, as Rust does.
            unsafe { compiled::$symbol(records.as_mut_ptr().cast(), records.len()) }
        })*
    };
}

pub(crate) use sorts;

sorts! {
    /// By channel and time.
    sort_by_key = recobench_std_sort_by_key(Digi, 8);
    /// By time only.
    sort_digis_by_time = recobench_std_sort_digis_by_time(Digi, 8);
    /// By channel and time, and digis with equal keys by charge: see
    /// [`digi_order`](crate::sts::data::digi_order).
    sort_by_key_and_charge = recobench_std_sort_by_key_and_charge(Digi, 8);
}

#[cfg(test)]
pub(crate) mod tests {
    use generators_common::random::mix;

    use super::*;
    use crate::sts::data::digi_order;

    /// Sorts records made from many sequences of numbers, and compares their keys with those that
    /// Rust has sorted.
    pub(crate) fn check<T: Clone, K: Ord + std::fmt::Debug>(
        make: impl Fn(u64) -> T,
        sort: fn(&mut [T]),
        key: impl Fn(&T) -> K,
    ) {
        if available().is_err() {
            eprintln!("skipped: built without a C++ compiler");
            return;
        }
        let orders: [fn(u64, u64) -> u64; 6] = [
            |i, _| mix(i),
            |i, _| i,
            |i, count| count - i,
            |i, _| mix(i) % 3,
            |_, _| 7,
            |i, count| i.min(count - i),
        ];
        for count in [0, 1, 2, 3, 16, 17, 18, 1000, 10_000] {
            for order in orders {
                let mut records: Vec<T> = (0..count).map(|i| make(order(i, count))).collect();
                let mut expected: Vec<K> = records.iter().map(&key).collect();
                expected.sort();
                sort(&mut records);
                assert_eq!(records.iter().map(&key).collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn digis_are_sorted() {
        check(Digi::from_bits, sort_by_key, |digi| digi.key());
        check(Digi::from_bits, sort_digis_by_time, |digi| digi.time_ns());
        check(Digi::from_bits, sort_by_key_and_charge, digi_order);
    }
}
