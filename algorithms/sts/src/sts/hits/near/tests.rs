//! All instruction sets that this CPU supports find the same crossings.

use generators_common::random::mix;

use super::*;
use crate::sts::hits::lines::MAX_CLASSES;
use crate::sts::rules::{Exact, Published};

const LINES: usize = 100;

/// Lines in order of time, followed by padding lines that cross nothing.
fn lines(seed: u64) -> Lines {
    let random = |index: usize| mix(seed << 32 | index as u64);
    let indices = 0..LINES + SLACK;
    let edge = |index: usize| (random(index) >> 32) as f32 / (1_u64 << 32) as f32;
    Lines {
        count: LINES,
        times: indices.clone().map(|index| (1 << 24) + 3 * index as u32).collect(),
        classes: indices.clone().map(|index| random(index) as u32 % 16).collect(),
        edges: indices.map(|index| if index < LINES { edge(index) } else { f32::NAN }).collect(),
        edge_errors: Vec::new(),
    }
}

fn check_rules<P: Rules>(isa: impl Isa) {
    let fronts = lines(1);
    let backs = lines(2);
    let cuts: [f32; MAX_CLASSES] = std::array::from_fn(|class| 5.0 * class as f32);
    let mut pairs = 0;
    for front in 0..LINES {
        let time = fronts.times[front];
        let edge = fronts.edges[front];
        let front = Front { time, edge, cuts: &cuts, range: [-0.4, 0.3] };
        for index in (0..LINES).step_by(width(isa)) {
            let bits = isa.crossing::<P>(&front, &backs, index);
            let expected: Vec<usize> = (0..width(isa))
                .filter(|lane| Scalar.crossing::<P>(&front, &backs, index + lane) == 1)
                .collect();
            assert!(expected.iter().fold(0, |bits, lane| bits | 1 << lane) == bits);
            let mut list = [0; SLACK];
            isa.put(bits, index as u32, &mut list);
            let listed = list[..expected.len()].iter().map(|&front| front as usize - index);
            // One by one, a number is listed whether or not its line crosses.
            assert!(listed.eq(expected.iter().copied()));
            pairs += expected.len();
        }
    }
    assert!((LINES..LINES * LINES / 2).contains(&pairs), "{pairs} pairs");
}

fn width<I: Isa>(_: I) -> usize {
    I::BACKS
}

fn check(isa: impl Isa) {
    check_rules::<Exact>(isa);
    check_rules::<Published>(isa);
}

#[test]
fn crossings_are_those_of_single_lines() {
    check(Scalar);
    #[cfg(target_arch = "x86_64")]
    {
        use tasks::device::cpu_features::{Avx2, Avx512};
        match Avx2::detect() {
            Some(avx2) => check(avx2),
            None => eprintln!("skipped: no AVX2"),
        }
        match Avx512::detect() {
            Some(avx512) => check(avx512),
            None => eprintln!("skipped: no AVX-512"),
        }
    }
}
