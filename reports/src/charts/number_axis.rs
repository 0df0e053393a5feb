//! The vertical axis of a plain number: a ratio, a factor.

use super::figure::{Ruler, Tick};
use super::scale::{Scale, Spread};

/// The ruler of an axis of numbers `height` pixels high.
pub fn ruler(scale: &Scale, height: f64, what: &str) -> Ruler {
    let values = match scale.spread() {
        Spread::Linear => scale.ticks((height / 36.0) as usize),
        // Factors double, as the threads do that they are compared with.
        Spread::Log => scale.doublings((height / 24.0) as usize),
    };
    let tick =
        |value: f64| Tick { at: height * (1.0 - scale.position(value)), label: plain(value) };
    Ruler {
        label: what.to_owned(),
        ticks: values.into_iter().map(tick).collect(),
        minor: Vec::new(),
        grid: true,
    }
}

/// A number without rounding errors: `0.3`, not `0.30000000000000004`.
pub fn plain(value: f64) -> String {
    let rounded = (value * 1e9).round() / 1e9;
    format!("{rounded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        let ticks = ruler(scale, 260.0, "speed-up").ticks;
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn factors_double_and_ratios_take_equal_steps() {
        let factors = Scale::new(0.6, 20.0, Spread::Log);
        assert_eq!(labels(&factors), ["1", "2", "4", "8", "16"]);
        assert_eq!(labels(&Scale::from_zero(2.3)), ["0", "0.5", "1", "1.5", "2"]);
    }
}
