//! From values to pixels, and the values worth a label.

/// How values spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    spread: Spread,
}

/// Equal steps, or equal factors, a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Equal steps.
    Linear,
    /// Equal factors.
    Log,
}

impl Scale {
    /// From zero to a bit above `high`.
    pub fn from_zero(high: f64) -> Scale {
        let high = if high > 0.0 { high * 1.08 } else { 1.0 };
        Scale {
            low: 0.0,
            high,
            spread: Spread::Linear,
        }
    }

    /// Around the values, logarithmic if they span a decade.
    pub fn around(low: f64, high: f64) -> Scale {
        if low > 0.0 && high / low >= 10.0 {
            let margin = (high / low).powf(0.05);
            return Scale {
                low: low / margin,
                high: high * margin,
                spread: Spread::Log,
            };
        }
        // A single value needs some room too.
        let span = (high - low).max(high.abs() * 0.1);
        let span = if span > 0.0 { span } else { 1.0 };
        let margin = span * 0.06;
        Scale {
            low: low - margin,
            high: high + margin,
            spread: Spread::Linear,
        }
    }

    /// Linear or logarithmic.
    pub fn spread(&self) -> Spread {
        self.spread
    }

    /// The largest value on the axis.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Where a value lies: 0 at the low end, 1 at the high end.
    pub fn position(&self, value: f64) -> f64 {
        match self.spread {
            Spread::Linear => (value - self.low) / (self.high - self.low),
            Spread::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// Powers of ten between the ends.
    pub fn decades(&self) -> f64 {
        (self.high / self.low).log10()
    }

    /// The values to label: round ones, at most about `count` of them.
    pub fn ticks(&self, count: usize) -> Vec<f64> {
        match self.spread {
            Spread::Linear => self.linear_ticks(count),
            Spread::Log if self.decades() < 2.0 => self.multiples(&[1.0, 2.0, 5.0]),
            Spread::Log => thinned(self.multiples(&[1.0]), count),
        }
    }

    /// The values that get a small tick without a label.
    pub fn minor_ticks(&self) -> Vec<f64> {
        match self.spread {
            Spread::Log if self.decades() <= 8.0 => {
                self.multiples(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
            }
            _ => Vec::new(),
        }
    }

    fn linear_ticks(&self, count: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / count.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let nice = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = nice
            .into_iter()
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    /// `factors` times each power of ten, as far as they lie on the axis.
    fn multiples(&self, factors: &[f64]) -> Vec<f64> {
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let all = (first..=last).flat_map(|e| factors.iter().map(move |f| f * 10f64.powi(e)));
        let on_axis = |value: &f64| (-1e-9..=1.0 + 1e-9).contains(&self.position(*value));
        all.filter(on_axis).collect()
    }
}

/// Every so many-th value, so that at most `count` are left.
fn thinned(values: Vec<f64>, count: usize) -> Vec<f64> {
    let step = values.len().div_ceil(count.max(1)).max(1);
    values.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decade_makes_an_axis_logarithmic() {
        assert_eq!(Scale::around(1.0, 9.0).spread(), Spread::Linear);
        assert_eq!(Scale::around(1.0, 10.0).spread(), Spread::Log);
        assert_eq!(Scale::around(0.0, 10.0).spread(), Spread::Linear);
    }

    #[test]
    fn equal_factors_are_equal_distances() {
        let scale = Scale::around(1e3, 1e8);
        let step = |a: f64, b: f64| scale.position(b) - scale.position(a);
        assert!((step(1e3, 1e4) - step(1e7, 1e8)).abs() < 1e-12);
        assert_eq!(scale.ticks(10).len(), 6);
    }

    #[test]
    fn linear_ticks_are_round_and_start_at_zero() {
        let ticks = Scale::from_zero(12.3).ticks(6);
        assert_eq!(ticks, [0.0, 5.0, 10.0]);
        let ticks = Scale::from_zero(0.9).ticks(6);
        assert_eq!(ticks.len(), 5);
    }

    #[test]
    fn a_single_value_has_an_axis() {
        let scale = Scale::around(5.0, 5.0);
        assert!((scale.position(5.0) - 0.5).abs() < 1e-9);
        assert!(!scale.ticks(5).is_empty());
        assert!(Scale::from_zero(0.0).position(0.0).is_finite());
    }
}
