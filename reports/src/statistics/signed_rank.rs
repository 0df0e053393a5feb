//! Wilcoxon's signed-rank test: do differences tend to one side?
//!
//! Wilcoxon 1945. It is to pairs what the test of Mann and Whitney is to two
//! series: it looks at the order of the differences by size and at their signs.
//! Differences of nothing are left out, as Wilcoxon did.

/// Up to so many differences without ties the distribution is counted out: the
/// counts are then whole numbers that a float can hold.
const EXACT: usize = 50;

/// The two-sided p-value of "the differences are symmetric about 0"; `None` if
/// there is none, or one is not a number.
pub fn signed_rank(differences: &[f64]) -> Option<f64> {
    if differences.is_empty() || differences.iter().any(|x| x.is_nan()) {
        return None;
    }
    let mut sized: Vec<f64> = differences.iter().copied().filter(|x| *x != 0.0).collect();
    sized.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = Ranks::of(&sized);
    Some(match sized.len() {
        0 => 1.0,
        n if ranks.ties == 0.0 && n <= EXACT => exact(n, ranks.up),
        n => approximate(n, &ranks),
    })
}

/// What the test needs to know of the order by size.
struct Ranks {
    /// The sum of the ranks of what is above 0.
    up: f64,
    /// The sum of t³ − t over groups of t differences of the same size.
    ties: f64,
}

impl Ranks {
    fn of(sized: &[f64]) -> Self {
        let (mut up, mut ties, mut before) = (0.0, 0.0, 0.0);
        for group in sized.chunk_by(|a, b| a.abs() == b.abs()) {
            let size = group.len() as f64;
            let above = group.iter().filter(|x| **x > 0.0).count() as f64;
            // Equal sizes share the mean of their ranks.
            up += above * (before + (size + 1.0) / 2.0);
            ties += size.powi(3) - size;
            before += size;
        }
        Ranks { up, ties }
    }
}

/// Counts the signs that are at least as one-sided.
fn exact(n: usize, up: f64) -> f64 {
    let counts = signs_by_sum(n);
    let most = counts.len() - 1;
    let extreme = up.min(most as f64 - up).round() as usize;
    let tail: f64 = counts[..=extreme].iter().sum();
    (2.0 * tail / 2.0_f64.powi(n as i32)).min(1.0)
}

/// In how many of the 2ⁿ ways to give signs to the ranks 1 to n the ranks with
/// a plus have each sum: the coefficients of the product of (1 + qⁱ).
fn signs_by_sum(n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * (n + 1) / 2 + 1];
    counts[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..counts.len()).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    counts
}

fn approximate(n: usize, ranks: &Ranks) -> f64 {
    let n = n as f64;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ranks.ties / 48.0;
    // Half a rank: sums are whole numbers, the normal distribution is not.
    let distance = ((ranks.up - n * (n + 1.0) / 4.0).abs() - 0.5).max(0.0);
    libm::erfc(distance / (2.0 * variance).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(differences: &[f64], expected: f64) {
        let found = signed_rank(differences).expect("a p-value");
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }

    #[test]
    fn few_differences_have_the_exact_distribution() {
        let up: Vec<_> = (1..=8).map(f64::from).collect();
        close(&up, 2.0 / 256.0);
        let down: Vec<_> = up.iter().map(|x| -x).collect();
        close(&down, 2.0 / 256.0);
        // From Wilcoxon's table: with 10 pairs, a rank sum of 3 is beyond 1 %.
        let mut ten: Vec<_> = (1..=10).map(f64::from).collect();
        ten[2] = -ten[2];
        close(&ten, 10.0 / 1024.0);
    }

    #[test]
    fn all_signs_are_counted() {
        assert_eq!(signs_by_sum(3), [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]);
        let all: f64 = signs_by_sum(EXACT).iter().sum();
        assert_eq!(all, 2.0_f64.powi(EXACT as i32));
    }

    #[test]
    fn many_differences_agree_with_the_exact_distribution() {
        let differences: Vec<_> = (1..=50)
            .map(|i| f64::from(i) * if i % 3 == 0 { -1.0 } else { 1.0 })
            .collect();
        let ranks = Ranks::of(&differences);
        let (counted, approximated) = (exact(50, ranks.up), approximate(50, &ranks));
        assert!(
            (counted - approximated).abs() < 1e-3,
            "{counted} {approximated}"
        );
    }

    #[test]
    fn balanced_signs_say_nothing() {
        close(&[1.0, -1.0, 2.0, -2.0], 1.0);
        close(&[0.0, 0.0], 1.0);
        assert!(signed_rank(&[1.0, -2.0, 3.0, -4.0, 5.0]).is_some_and(|p| p > 0.5));
        assert_eq!(signed_rank(&[]), None);
        assert_eq!(signed_rank(&[f64::NAN]), None);
    }
}
