//! Tables of distributions compared with `rand_distr`, which uses logarithms.

use generators::random::{Exponential, Normal, stream};
use rand::distr::Distribution;
use rand_distr::{Exp1, StandardNormal};

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
