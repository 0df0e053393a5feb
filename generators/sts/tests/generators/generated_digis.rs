//! Generated digis are reproducible, and match the requested shape; distributions match those of
//! `rand_distr`, which uses logarithms.

use std::collections::HashSet;

use generators_common::random::{Exponential, Normal, mix, stream};
use generators_sts::{DigiShape, Order, SegmentedDigis, Skew, generate};
use rand::distr::Distribution;
use rand_distr::{Exp1, StandardNormal};

fn shape(order: Order) -> DigiShape {
    DigiShape {
        segments: 24,
        digis: 200_000,
        order,
        skew: Skew::Ratio(1.0),
        duplicates: 0.0,
        timeslice_ns: 1 << 31,
    }
}

fn make(shape: &DigiShape) -> SegmentedDigis {
    generate(shape, 42).expect("a sensible shape")
}

/// A hash of each bit and its position.
fn checksum(data: &SegmentedDigis) -> u64 {
    data.digis().iter().fold(0, |sum, digi| mix(sum ^ digi.bits()))
}

#[test]
fn data_are_golden() {
    let skewed = DigiShape {
        skew: Skew::Ratio(10.0),
        duplicates: 0.25,
        timeslice_ns: 10_000_000,
        ..shape(Order::Jitter(64))
    };
    let hot = DigiShape { skew: Skew::Hot(0.5), duplicates: 0.25, ..shape(Order::Random) };
    let checksums =
        [shape(Order::Random), shape(Order::Time), shape(Order::Jitter(64)), skewed, hot]
            .map(|shape| checksum(&make(&shape)));
    assert_eq!(
        checksums,
        [
            0x7761_8e5e_3bc2_8485,
            0xe3c0_c985_e370_07b8,
            0x0631_6abe_150e_2011,
            0xd257_60ed_49fe_2732,
            0x1aa0_b498_41e3_b839
        ]
    );
}

#[test]
fn threads_make_no_difference() {
    for order in [Order::Random, Order::Time, Order::Jitter(100)] {
        let shape = DigiShape { segments: 3, duplicates: 0.1, ..shape(order) };
        let expected = make(&shape);
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let data = pool.expect("threads").install(|| make(&shape));
            assert_eq!(data, expected, "{order} with {threads} threads");
        }
    }
}

#[test]
fn seeds_make_a_difference() {
    let shape = shape(Order::Random);
    assert_ne!(make(&shape), generate(&shape, 43).expect("sensible"));
}

#[test]
fn time_order_is_time_order() {
    for duplicates in [0.0, 0.5] {
        let data = make(&DigiShape { duplicates, ..shape(Order::Time) });
        for segment in data.segments() {
            assert!(segment.is_sorted_by_key(|digi| digi.time_ns()));
        }
    }
}

#[test]
fn jitter_keeps_digis_near_their_index() {
    let ordered = make(&shape(Order::Time));
    let jittered = make(&shape(Order::Jitter(64)));
    for (ordered, jittered) in ordered.segments().zip(jittered.segments()) {
        assert!(!jittered.is_sorted_by_key(|digi| digi.time_ns()));
        for (i, digi) in jittered.iter().enumerate() {
            let near = i.saturating_sub(64)..ordered.len().min(i + 65);
            assert!(ordered[near].contains(digi));
        }
    }
}

#[test]
fn random_order_has_the_expected_number_of_descents() {
    let data = make(&shape(Order::Random));
    let pairs = data.segments().flat_map(|segment| segment.windows(2));
    let descents = pairs.filter(|pair| pair[1].time_ns() < pair[0].time_ns());
    let share = descents.count() as f64 / 200_000.0;
    assert!((0.49..0.51).contains(&share), "{share}");
}

#[test]
fn times_and_channels_fill_their_ranges() {
    for order in [Order::Random, Order::Time] {
        let data = make(&DigiShape { timeslice_ns: 1_000_000, ..shape(order) });
        let latest = data.digis().iter().map(|digi| digi.time_ns()).max();
        assert!((990_000..1_000_000).contains(&latest.expect("digis")));
        let channels: HashSet<_> = data.digis().iter().map(|digi| digi.channel()).collect();
        assert_eq!(channels.len(), 1024);
    }
}

#[test]
fn the_share_of_duplicates_is_as_requested() {
    for order in [Order::Random, Order::Time, Order::Jitter(9)] {
        let data = make(&DigiShape { duplicates: 0.3, ..shape(order) });
        let keys = |segment: &[_]| -> usize {
            let keys: HashSet<_> =
                segment.iter().map(generators_sts::Digi::clone).map(|digi| digi.key()).collect();
            keys.len()
        };
        let unique: usize = data.segments().map(keys).sum();
        let share = 1.0 - unique as f64 / 200_000.0;
        assert!((0.29..0.31).contains(&share), "{order}: {share}");
    }
}

#[test]
fn addresses_belong_to_the_module_of_the_segment() {
    let data = make(&shape(Order::Random));
    let front = data.segment(3)[0].address();
    assert!(data.segment(3).iter().all(|digi| digi.address() == front));
    assert_eq!(data.segment(15)[0].address(), front, "back of the module");
    assert_ne!(data.segment(4)[0].address(), front);
}

#[test]
fn gaps_between_digis_are_exponential() {
    let data = make(&DigiShape { segments: 1, ..shape(Order::Time) });
    let times: Vec<_> = data.digis().iter().map(|digi| f64::from(digi.time_ns())).collect();
    let gaps: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let above = |limit: f64| {
        gaps.iter().filter(|&&gap| gap > limit * mean).count() as f64 / gaps.len() as f64
    };
    for limit in [0.5, 1.0, 2.0, 4.0] {
        let expected = f64::exp(-limit);
        assert!((above(limit) - expected).abs() < 0.005, "beyond {limit}");
    }
}

const SAMPLES: usize = 200_000;

/// The largest distance between the shares of two samples that are below a number
/// (Kolmogorov and Smirnov).
fn distance(mut drawn: Vec<f64>, mut expected: Vec<f64>) -> f64 {
    drawn.sort_by(f64::total_cmp);
    expected.sort_by(f64::total_cmp);
    let share = |of: &[f64], value: f64| {
        let below = of.partition_point(|other| *other < value);
        below as f64 / of.len() as f64
    };
    let values = drawn.iter();
    let distances = values.map(|&value| (share(&drawn, value) - share(&expected, value)).abs());
    distances.fold(0.0, f64::max)
}

/// Threshold that equal distributions exceed once in 10,000 times.
fn critical() -> f64 {
    (-0.5 * (0.5e-4_f64).ln() * 2.0 / SAMPLES as f64).sqrt()
}

fn samples<T>(of: &impl Distribution<T>, index: u64, as_number: impl Fn(T) -> f64) -> Vec<f64> {
    let mut random = stream(7, [index]);
    (0..SAMPLES).map(|_| as_number(of.sample(&mut random))).collect()
}

fn gap_of_mean_one(gap: u32) -> f64 {
    f64::from(gap) / f64::from(Exponential::MEAN)
}

#[test]
fn normal_numbers_are_distributed_as_those_of_rand_distr() {
    let drawn = samples(&Normal::new(), 1, f64::from);
    let expected = samples::<f64>(&StandardNormal, 2, |deviate| deviate);
    let found = distance(drawn.clone(), expected.clone());
    assert!(found < critical(), "{found}");
    // A fiftieth of a deviation aside would be seen.
    let moved = drawn.iter().map(|deviate| deviate + 0.02).collect();
    assert!(distance(moved, expected) > critical());
}

#[test]
fn gaps_are_distributed_as_exponential_numbers_of_rand_distr() {
    let drawn = samples(&Exponential::new(), 3, gap_of_mean_one);
    let expected = samples::<f64>(&Exp1, 4, |gap| gap);
    let found = distance(drawn.clone(), expected.clone());
    assert!(found < critical(), "{found}");
    let longer = drawn.iter().map(|gap| 1.02 * gap).collect();
    assert!(distance(longer, expected) > critical());
}

/// The number of gaps of mean 1 in a time is Poisson distributed.
#[test]
fn numbers_of_gaps_are_distributed_as_poisson_numbers_of_rand_distr() {
    const MEAN: f64 = 3.0;
    let gaps = Exponential::new();
    let mut random = stream(7, [5]);
    let mut fitting = || {
        let mut elapsed = 0.0;
        let mut count = 0.0;
        loop {
            elapsed += gap_of_mean_one(gaps.sample(&mut random));
            if elapsed > MEAN {
                return count;
            }
            count += 1.0;
        }
    };
    let drawn = (0..SAMPLES).map(|_| fitting()).collect();
    let poisson = rand_distr::Poisson::new(MEAN).expect("a mean");
    let found = distance(drawn, samples::<f64>(&poisson, 6, |index| index));
    assert!(found < critical(), "{found}");
}
