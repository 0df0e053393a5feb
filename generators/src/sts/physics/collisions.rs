//! When collisions happen.

use rand::distr::Distribution;

use crate::random::{Exponential, Stream};

/// Times in ns of `count` collisions in a timeslice, in order: a Poisson process with a fixed
/// number of collisions.
pub(super) fn times(
    count: u32,
    timeslice_ns: u64,
    gaps: &Exponential,
    stream: &mut Stream,
) -> Vec<f64> {
    let mut elapsed = 0.0;
    let mut next = |_| {
        elapsed += f64::from(gaps.sample(stream)) + 0.5;
        elapsed
    };
    let mut times: Vec<_> = (0..=count).map(&mut next).collect();
    // The gap after the last collision ends with the timeslice.
    let whole = times.pop().unwrap_or(1.0);
    let scale = timeslice_ns as f64 / whole;
    times.iter_mut().for_each(|time| *time *= scale);
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn collisions_fill_the_timeslice_at_random() {
        let gaps = Exponential::new();
        let times = times(10_000, 1_000_000, &gaps, &mut stream(1, [8]));
        assert_eq!(times.len(), 10_000);
        assert!(times.is_sorted() && times[9999] < 1e6);
        let short = times.windows(2).filter(|pair| pair[1] - pair[0] < 100.0);
        let share = short.count() as f64 / 9999.0;
        assert!((share - (1.0 - f64::exp(-1.0))).abs() < 0.02, "{share}");
        assert!(super::times(0, 1000, &gaps, &mut stream(1, [8])).is_empty());
    }
}
