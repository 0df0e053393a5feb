//! Formatting of numbers in tables, charts and messages.

use statistics::Interval;

/// Placeholder of a number that is unknown or not finite.
pub const UNKNOWN: &str = "-";

/// The formatted number, or the placeholder.
fn known(value: f64, words: impl FnOnce() -> String) -> String {
    match value.is_finite() {
        true => words(),
        false => UNKNOWN.to_owned(),
    }
}

/// Seconds with a fitting unit and `digits` significant digits: `12.3 ms`.
pub fn seconds(value: f64, digits: usize) -> String {
    let (scale, unit) = second_unit(value);
    known(value, || format!("{} {unit}", significant(value / scale, digits)))
}

/// The unit that suits a time: its size in seconds and its name.
pub fn second_unit(value: f64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 4] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let fits = UNITS.into_iter().find(|(scale, _)| value.abs() >= *scale);
    fits.unwrap_or(UNITS[3])
}

/// Joules with a fitting unit: `78.1 nJ`, `1.25 J`.
pub fn joules(value: f64) -> String {
    const UNITS: [(f64, &str); 6] =
        [(1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"), (1e-9, "nJ"), (1e-12, "pJ")];
    let fits = UNITS.into_iter().find(|(scale, _)| value.abs() >= *scale);
    let (scale, unit) = fits.unwrap_or(UNITS[5]);
    known(value, || format!("{} {unit}", significant(value / scale, 3)))
}

/// A count with a decimal prefix: `2 M`, `1.79 k`, `24`.
pub fn count(value: f64) -> String {
    known(value, || prefixed(value, 3))
}

/// A count with its noun in the singular or the plural: `1 thread`, `3 threads`.
pub fn counted(number: usize, thing: &str) -> String {
    text::counted(number as u64, thing)
}

/// The verb for a count: `is` or `are`.
pub fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// A rate with a decimal prefix: `125 M/s`.
pub fn rate(value: f64) -> String {
    known(value, || format!("{}/s", prefixed(value, 3)))
}

/// Bytes with a decimal prefix: `1.5 GB`.
pub fn bytes(value: f64) -> String {
    known(value, || with_unit(&prefixed(value, 3), "B"))
}

/// Joins a prefix and a unit: `50 k` and `Hz` to `50 kHz`, `24` and `Hz` to `24 Hz`.
pub fn with_unit(count: &str, unit: &str) -> String {
    let separator = if count.contains(' ') { "" } else { " " };
    format!("{count}{separator}{unit}")
}

/// Bytes per second: `30 GB/s`.
pub fn bytes_per_second(value: f64) -> String {
    known(value, || format!("{}/s", bytes(value)))
}

/// A ratio: `1.24 ×`, `146 ×`.
pub fn times(ratio: f64) -> String {
    format!("{} ×", significant(ratio, 3))
}

/// The change of a time, by the ratio of the new one to the old one: `+1.2 %`, `−50.0 %`; from
/// twice the time on the ratio: `3.4 ×`.
pub fn change(ratio: f64) -> String {
    known(ratio, || match ratio {
        2.0.. => format!("{} ×", significant(ratio, 2)),
        _ => format!("{} %", signed(&format!("{:.1}", 100.0 * (ratio - 1.0)))),
    })
}

/// [`change`] as an interval: `+1.2 % to +3.4 % time`, `−50 % to −20 % time`,
/// `−1.0 % to +2.0 % time`, `2.0 to 7.9 × the time`.
pub fn change_range(interval: Interval) -> String {
    change_range_of(interval, "time")
}

/// [`change_range`] of another quantity: `+1.2 % to +3.4 % energy`.
pub fn change_range_of(Interval { low, high }: Interval, quantity: &str) -> String {
    if high >= 2.0 {
        let times = |ratio| significant(ratio, 2);
        return format!("{} to {} × the {quantity}", times(low), times(high));
    }
    let percent = |ratio: f64| signed(&significant(100.0 * (ratio - 1.0), 2));
    format!("{} % to {} % {quantity}", percent(low), percent(high))
}

/// A number with its sign: `+1.2`, `−3`.
pub fn signed(number: &str) -> String {
    match number.strip_prefix('-') {
        Some(size) => format!("\u{2212}{size}"),
        None => format!("+{number}"),
    }
}

/// Smallest fraction that is more than the error of its arithmetic.
const SMALLEST_FRACTION: f64 = 1e-9;

/// A fraction in per cent, to two digits: `0.50 %`, `12 %`.
pub fn percent(fraction: f64) -> String {
    let fraction = if fraction.abs() < SMALLEST_FRACTION { 0.0 } else { fraction };
    format!("{} %", significant(100.0 * fraction, 2))
}

/// A ratio to three decimals: `1.080`.
pub fn ratio(value: f64) -> String {
    known(value, || format!("{value:.3}"))
}

/// The interval of a [`ratio`]: `[1.050, 1.110]`.
pub fn ratio_interval(Interval { low, high }: Interval) -> String {
    format!("[{}, {}]", ratio(low), ratio(high))
}

/// A number with `digits` significant digits, without trailing noise: `0.0123`, `1230`.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (digits as i32 - 1).saturating_sub(magnitude).max(0) as usize;
    known(value, || format!("{value:.decimals$}"))
}

/// A number with a prefix, without trailing zeros: `2 M` rather than `2.00 M`.
fn prefixed(value: f64, digits: usize) -> String {
    const PREFIXES: [(f64, &str); 5] =
        [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")];
    let fits = PREFIXES.into_iter().find(|(scale, _)| value.abs() >= *scale);
    let (scale, prefix) = fits.unwrap_or((1.0, ""));
    format!("{}{prefix}", trimmed(&significant(value / scale, digits)))
}

/// A number without insignificant trailing zeros.
pub fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_take_the_fitting_unit() {
        assert_eq!(seconds(0.01234, 3), "12.3 ms");
        assert_eq!(seconds(2.0, 3), "2.00 s");
        assert_eq!(seconds(45e-9, 3), "45.0 ns");
        assert_eq!(seconds(0.0, 3), "0 ns");
    }

    #[test]
    fn counts_take_prefixes() {
        assert_eq!(count(24.0), "24");
        assert_eq!(count(1792.0), "1.79 k");
        assert_eq!(count(2e6), "2 M");
        assert_eq!(bytes(1.5e9), "1.5 GB");
        assert_eq!(bytes(24.0), "24 B");
        assert_eq!(rate(125e6), "125 M/s");
    }

    #[test]
    fn errors_of_arithmetic_are_no_fractions() {
        assert_eq!([0.0, 1.4e-16, 1e-6, 0.12].map(percent), ["0 %", "0 %", "0.00010 %", "12 %"]);
    }

    #[test]
    fn infinite_numbers_are_not_shown() {
        let say: [fn(f64) -> String; 7] = [
            |value| seconds(value, 3),
            |value| significant(value, 3),
            count,
            rate,
            bytes,
            bytes_per_second,
            ratio,
        ];
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(say.iter().all(|say| say(value) == UNKNOWN), "{value}");
        }
    }

    #[test]
    fn one_thing_is_no_things() {
        let counts = [0, 1, 2].map(|count| counted(count, "thread"));
        assert_eq!(counts, ["0 threads", "1 thread", "2 threads"]);
    }

    #[test]
    fn changes_are_those_of_the_time() {
        assert_eq!(change(1.012), "+1.2 %");
        assert_eq!(change(0.8), "\u{2212}20.0 %");
        assert_eq!(change(1.96), "+96.0 %");
        assert_eq!(change(2.0), "2.0 ×");
        assert_eq!(change(0.097), "\u{2212}90.3 %");
        assert_eq!(change(f64::NAN), UNKNOWN);
    }

    #[test]
    fn ranges_of_changes_are_those_of_the_time() {
        let range = |low, high| change_range(Interval { low, high });
        assert_eq!(range(1.012, 1.034), "+1.2 % to +3.4 % time");
        assert_eq!(range(0.5, 0.8), "\u{2212}50 % to \u{2212}20 % time");
        assert_eq!(range(0.99, 1.02), "\u{2212}1.0 % to +2.0 % time");
        assert_eq!(range(0.536, 1.23), "\u{2212}46 % to +23 % time");
        assert_eq!(range(0.126, 7.9), "0.13 to 7.9 × the time");
        assert_eq!(range(1.4, 2.1), "1.4 to 2.1 × the time");
    }

    #[test]
    fn rounding_keeps_significant_digits() {
        assert_eq!(significant(1234.0, 3), "1234");
        assert_eq!(significant(0.012345, 3), "0.0123");
    }
}
