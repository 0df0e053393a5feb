//! Numbers drawn from a stream.

use std::ops::Range;

use rand::Rng;
use rand::distr::Distribution;

use crate::random::{Exponential, Stream};

/// Between 0 and 1, neither of them.
pub(crate) fn uniform(stream: &mut Stream) -> f64 {
    (f64::from(stream.next_u32()) + 0.5) / 4_294_967_296.0
}

/// Uniform in a range.
pub(crate) fn within(range: Range<f64>, stream: &mut Stream) -> f64 {
    range.start + (range.end - range.start) * uniform(stream)
}

/// A random number of a range, uniform on a logarithmic scale.
pub(crate) fn logarithmic(range: Range<f64>, stream: &mut Stream) -> f64 {
    range.start * libm::exp(libm::log(range.end / range.start) * uniform(stream))
}

/// A Poisson number with this mean: the number of gaps of mean 1 that fit into it.
pub(crate) fn poisson(mean: f64, gaps: &Exponential, stream: &mut Stream) -> usize {
    let limit = mean * f64::from(Exponential::MEAN);
    let mut elapsed = 0.0;
    for index in 0.. {
        elapsed += f64::from(gaps.sample(stream)) + 1.0;
        if elapsed > limit {
            return index;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn poisson_numbers_have_their_mean() {
        let gaps = Exponential::new();
        let mut stream = stream(1, [9]);
        let sum: usize = (0..10_000).map(|_| poisson(3.0, &gaps, &mut stream)).sum();
        assert!((29_000..31_000).contains(&sum), "{sum}");
    }
}
