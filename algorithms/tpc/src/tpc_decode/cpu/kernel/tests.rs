//! All kernels that this CPU can run agree with the scalar one.

use std::ops::Range;

use generators_common::random::mix;
use generators_tpc::{Digit, PadId};

use super::*;
use crate::tpc_decode::input::LINK_STRIDE;

/// Channels of a link.
const CHANNELS: u128 = (1 << 80) - 1;

/// Runs a check of a kernel for each witness that this CPU has.
macro_rules! for_each_kernel {
    ($check:ident) => {
        $check(Scalar);
        #[cfg(target_arch = "x86_64")]
        {
            use tasks::device::cpu_features::{Avx2Bmi2, Avx512Vbmi2};
            match Avx2Bmi2::detect() {
                Some(avx2) => $check(avx2),
                None => eprintln!("skipped: no AVX2"),
            }
            match Avx512Vbmi2::detect() {
                Some(avx512) => $check(avx512),
                None => eprintln!("skipped: no AVX-512"),
            }
        }
    };
}

fn random_bytes<const N: usize>(seed: u64) -> [u8; N] {
    std::array::from_fn(|index| mix(seed << 32 | index as u64) as u8)
}

fn pads(of: &PadList, range: Range<usize>) -> Vec<PadId> {
    range.map(|index| of.at::<1>(index)[0]).collect()
}

fn link() -> [PadId; LINK_STRIDE] {
    std::array::from_fn(|channel| PadId::new(channel as u8 / 20, 7 * channel as u8))
}

fn check_spread(isa: impl Isa) {
    for seed in 0..1000 {
        // All ten bytes of a mask, or any of them.
        let level = mix(seed) as u16 & if seed % 7 == 0 { u16::MAX } else { 0x3ff };
        let bytes = random_bytes(seed);
        assert_eq!(isa.spread(level, &bytes) & CHANNELS, Scalar.spread(level, &bytes) & CHANNELS);
    }
}

#[test]
fn masks_are_spread() {
    for_each_kernel!(check_spread);
}

fn check_list_selected(isa: impl Isa) {
    let [mut expected, mut found] = [(); 2].map(|()| PadList::new());
    for seed in 0..1000 {
        let random = u128::from(mix(seed)) << 64 | u128::from(mix(seed << 32));
        let channels = [random, 0, CHANNELS][seed as usize % 3] & CHANNELS;
        let start = seed as usize % 50;
        let end = Scalar.list_selected(&mut expected, start, &link(), channels);
        assert_eq!(isa.list_selected(&mut found, start, &link(), channels), end);
        assert_eq!(pads(&found, start..end), pads(&expected, start..end));
    }
}

#[test]
fn selected_pads_are_listed() {
    for_each_kernel!(check_list_selected);
}

fn check_number(isa: impl Isa) {
    for first in 0..=u8::MAX - SEQUENCE as u8 {
        let [mut expected, mut found] = [[PadId::default(); SEQUENCE]; 2];
        Scalar.number(&mut expected, PadId::new(151, first));
        isa.number(&mut found, PadId::new(151, first));
        assert_eq!(found, expected);
    }
}

#[test]
fn pads_are_numbered() {
    for_each_kernel!(check_number);
}

type Join<K> = fn(K, &Bytes, &PadList, Group, &mut [Digit]);

fn check_join<K: Isa>(isa: K) {
    let joins: [(Join<K>, Join<Scalar>); 3] = [
        (K::join_packed::<10>, Scalar::join_packed::<10>),
        (K::join_packed::<12>, Scalar::join_packed::<12>),
        (K::join_words, Scalar::join_words),
    ];
    let bytes: Bytes = random_bytes(1);
    let mut pads = PadList::new();
    for start in (0..LINK_STRIDE).step_by(80) {
        Scalar.list_selected(&mut pads, start, &link(), CHANNELS);
    }
    for (join, join_scalar) in joins {
        for samples in 0..100 {
            let template = Digit::new(35, PadId::default(), 12_345, 0).bits();
            let group = Group { template, position: 8 * samples, first: 3, ..Group::default() };
            let group = Group { end: group.first + samples as u16, ..group };
            // The buffer may or may not have capacity after the digits of the group.
            for capacity in [0, 1, 5, 64] {
                let mut digits = vec![Digit::default(); samples as usize + capacity];
                let mut expected = digits.clone();
                join(isa, &bytes, &pads, group, &mut digits);
                join_scalar(Scalar, &bytes, &pads, group, &mut expected);
                assert_eq!(digits[..samples as usize], expected[..samples as usize]);
            }
        }
    }
}

#[test]
fn samples_are_joined_with_pads() {
    for_each_kernel!(check_join);
}
