//! The sign test: do differences tend to one side?
//!
//! It asks of each difference only which way it goes. A test that ranks them by
//! size, as Wilcoxon's does, lets those decide that a neighbour has made largest:
//! with rounds from a loaded host it misses clear changes that this one finds.
//! Differences of nothing are left out (Dixon and Mood 1946).

/// The two-sided p-value of "up and down are equally likely"; `None` if there
/// is no difference, or one is not a number.
pub fn sign_test(differences: &[f64]) -> Option<f64> {
    if differences.is_empty() || differences.iter().any(|x| x.is_nan()) {
        return None;
    }
    let count = |is_so: fn(&f64) -> bool| differences.iter().filter(|x| is_so(x)).count();
    let (up, down) = (count(|x| *x > 0.0), count(|x| *x < 0.0));
    Some((2.0 * at_most(up.min(down), up + down)).min(1.0))
}

/// The probability of at most so many heads in so many throws of a coin.
fn at_most(heads: usize, throws: usize) -> f64 {
    // In logarithms: 2ⁿ is beyond all floats where there are many throws.
    let n = throws as f64;
    let choose = |k: f64| libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    let probability = |k: usize| (choose(k as f64) - n * std::f64::consts::LN_2).exp();
    (0..=heads).map(probability).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(differences: &[f64], expected: f64) {
        let found = sign_test(differences).expect("a p-value");
        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
    }

    #[test]
    fn signs_have_the_binomial_distribution() {
        close(&[1.0; 8], 2.0 / 256.0);
        close(&[-1.0; 8], 2.0 / 256.0);
        // One of ten the other way, however far: 2 · (1 + 10) / 2¹⁰.
        let mut ten = [0.1; 10];
        ten[4] = -1e9;
        close(&ten, 22.0 / 1024.0);
    }

    #[test]
    fn balanced_signs_say_nothing() {
        close(&[1.0, -1.0, 2.0, -3.0], 1.0);
        close(&[0.0, 0.0], 1.0);
        close(&[0.0, 1.0, 0.0], 1.0);
        assert_eq!(sign_test(&[]), None);
        assert_eq!(sign_test(&[f64::NAN]), None);
    }

    #[test]
    fn many_differences_do_not_overflow() {
        let found = sign_test(&[1.0; 5000]).expect("a p-value");
        assert!((0.0..1e-300).contains(&found));
    }
}
