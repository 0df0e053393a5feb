use std::sync::Arc;

use generators_sts::setup::{Cuts, Setup};
use generators_sts::{Address, SegmentedDigis};
use portable_gpu::emulator::{self, Config};

use super::*;
use tasks::device::Arena;

const MODULES: usize = 3;
/// Four deviations of the time between clusters of a digi each, rounded up.
const GAP_NS: u32 = 29;

fn setup(change: impl Fn(&mut Cuts)) -> Setup {
    let regular = Setup::regular(MODULES).expect("a setup");
    let mut cuts = regular.cuts().clone();
    change(&mut cuts);
    let asic = regular.asic().clone();
    let landau = regular.landau().clone();
    Setup::new(asic, cuts, landau, regular.modules().to_vec()).expect("sensible cuts")
}

/// Digis of these modules and times, alternating between both sides.
fn timeslice(digis: &[(usize, u32)], setup: Setup, online: Semantics) -> Timeslice {
    let mut sides = vec![Vec::new(); 2 * MODULES];
    for (index, &(module, time)) in digis.iter().enumerate() {
        let digi = Digi::new(Address::of_module(module), 5, time, 7);
        sides[module + index % 2 * MODULES].push(digi);
    }
    Timeslice::new(SegmentedDigis::from_segments(&sides), Arc::new(setup), online)
}

/// Calls `check` with the parts if the emulator is available; otherwise does nothing.
fn with_parts(input: &Timeslice, count: usize, check: impl Fn(Option<TimeParts<'_>>)) {
    if let Some(gpu) = emulator::gpu_for_tests(Config::default()) {
        let arena = Arena::default();
        check(
            TimeParts::new(Execution { gpu: &gpu, arena: &arena, threads: 1 }, input, count)
                .expect("enough space"),
        );
    }
}

/// All parts, where rules allow them and there are gaps.
fn cut(parts: Option<TimeParts<'_>>) -> Option<Vec<TimePart>> {
    let mut parts = parts.expect("rules that allow it");
    (0..parts.count).map(|index| parts.part(index)).collect()
}

/// A module of single digis, one with crowds of digis, and one without any in between.
fn regular() -> Vec<(usize, u32)> {
    let single = (0..400).map(|i| (0, 100 * i));
    let crowds = (0..4000).filter(|i| i % 50 < 30).map(|i| (1, 10 * i));
    let ends = [(2, 0), (2, 39_990)];
    let mut all: Vec<_> = single.chain(crowds).chain(ends).collect();
    all.sort_by_key(|&(_, time)| time);
    all
}

/// The times of a part's digis by module.
fn times(input: &Timeslice, part: &TimePart) -> Vec<Vec<u32>> {
    let mut times = vec![Vec::new(); MODULES];
    for digi in &input.stream()[part.positions.clone()] {
        let module = (0..MODULES).find(|&module| Address::of_module(module) == digi.address());
        let module = module.expect("one of them");
        let time = digi.time_ns();
        let PartTimes { first, last } = part.times[module];
        if (first..=last).contains(&time) {
            times[module].push(time);
        }
    }
    times
}

#[test]
fn parts_have_all_digis_and_are_disjoint() {
    let input = timeslice(&regular(), setup(|_| ()), Semantics::Exact);
    for count in [2, 3, 5] {
        with_parts(&input, count, |parts| {
            let max = parts.as_ref().map_or(0, TimeParts::max_digis);
            let found = cut(parts).expect("gaps");
            assert!(found.iter().all(|part| part.positions.len() <= max));
            let times: Vec<_> = found.iter().map(|part| times(&input, part)).collect();
            let all: usize = times.iter().flatten().map(Vec::len).sum();
            assert_eq!(all, input.stream().len(), "{count} parts");
            for module in 0..MODULES {
                let ends: Vec<_> = times
                    .iter()
                    .filter_map(|part| Some((*part[module].first()?, *part[module].last()?)))
                    .collect();
                assert!(ends.windows(2).all(|pair| pair[0].1 + GAP_NS < pair[1].0));
                assert!(module == 2 || ends.len() == count, "{count} parts of module {module}");
            }
        });
    }
}

#[test]
fn a_module_without_a_gap_is_not_cut() {
    let busy = (0..4000).map(|i| (1, 20 * i));
    let digis: Vec<_> = busy.chain([(0, 80_000)]).collect();
    let input = timeslice(&digis, setup(|_| ()), Semantics::Exact);
    with_parts(&input, 2, |parts| assert!(cut(parts).is_none()));
    // Gaps of 30 ns are more than long enough.
    let calm: Vec<_> = (0..4000).map(|i| (1, 30 * i)).collect();
    let input = timeslice(&calm, setup(|_| ()), Semantics::Exact);
    with_parts(&input, 2, |parts| assert!(cut(parts).is_some()));
}

#[test]
fn late_digis_are_missing_in_parts() {
    let mut digis = regular();
    // The second one of a side at a time of the first part: it is read out with the one before.
    digis.extend([(2, 39_991), (0, 39_992), (2, 500)]);
    let input = timeslice(&digis, setup(|_| ()), Semantics::Exact);
    with_parts(&input, 2, |parts| {
        let found = cut(parts).expect("gaps");
        let all = found.iter().flat_map(|part| times(&input, part)).map(|times| times.len());
        assert_eq!(all.sum::<usize>(), digis.len() - 1);
    });
}

#[test]
fn rules_that_look_further_forbid_it() {
    let wide = |cuts: &mut Cuts| cuts.time_cut_cluster_abs = 1000.0;
    let many = |cuts: &mut Cuts| cuts.time_cut_cluster_sig = 5.0;
    for (setup, online) in [
        (setup(|_| ()), Semantics::Published),
        (setup(wide), Semantics::Exact),
        (setup(many), Semantics::Exact),
    ] {
        let input = timeslice(&regular(), setup, online);
        with_parts(&input, 2, |parts| assert!(parts.is_none()));
    }
}
