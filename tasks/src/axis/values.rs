//! Grammar of values, for axes and for all flags.

use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

/// Decimal prefixes of counts.
const PREFIXES: [(&str, u64); 4] =
    [("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000), ("T", 1_000_000_000_000)];

/// Parses an integer with a decimal suffix: `24`, `20M`, `1.5k`, `2 M`.
///
/// # Errors
/// If it is not an integer, or not below 2^64.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let problem = || "not a whole number; write it such as 24, 2M or 1.5G".to_owned();
    let prefix = PREFIXES.iter().find(|(prefix, _)| text.ends_with(prefix));
    let Some((prefix, scale)) = prefix else {
        return text.parse().map_err(|_| problem());
    };
    let digits = text.strip_suffix(prefix).unwrap_or(text).trim_end();
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return Err(problem());
    }
    let fraction_scale = 10_u64.checked_pow(fraction.len() as u32);
    let (Ok(mantissa), Some(fraction_scale)) =
        (format!("{whole}{fraction}").parse::<u64>(), fraction_scale)
    else {
        return Err(problem());
    };
    let scaled = u128::from(mantissa) * u128::from(*scale);
    if scaled % u128::from(fraction_scale) != 0 {
        return Err(problem());
    }
    u64::try_from(scaled / u128::from(fraction_scale)).map_err(|_| problem())
}

pub(super) fn parse_choice(text: &str, names: &[&str]) -> Result<String, String> {
    if names.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("unknown; there are {}", names.join(", ")))
}

pub(super) fn parse_time_stamp(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "not a time in ns; write an integer such as 10500000000".to_owned())
}

pub(super) fn parse_number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "not a number; write it such as 0.25".to_owned())
}

/// Parses hertz: `10MHz`, `50kHz`, `0.5Hz`; without a unit, hertz too.
///
/// # Errors
/// If it is not a frequency.
pub fn parse_frequency(text: &str) -> Result<f64, String> {
    let problem = || "not a frequency; write it such as 10MHz, 50kHz or 1000Hz".to_owned();
    let units = [("GHz", 1e9), ("MHz", 1e6), ("kHz", 1e3), ("Hz", 1.0), ("", 1.0)];
    let (unit, scale) =
        units.into_iter().find(|(unit, _)| text.ends_with(unit)).ok_or_else(problem)?;
    let number = text.strip_suffix(unit).unwrap_or(text).trim();
    let hertz = number.parse::<f64>().map_err(|_| problem())? * scale;
    if hertz.is_finite() && hertz >= 0.0 {
        return Ok(hertz);
    }
    Err("a frequency must be 0 or more, and finite".to_owned())
}

/// Parses a time; returns nanoseconds.
pub(super) fn parse_duration(text: &str) -> Result<u64, String> {
    u64::try_from(parse_time(text)?.as_nanos()).map_err(|_| "too long a time".to_owned())
}

/// Parses a time: `10ms`, `1s 500ms`, or a number of seconds.
///
/// # Errors
/// Describes how a time is written.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let time = match text.parse() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => humantime::parse_duration(text).ok(),
    };
    time.ok_or_else(|| "use a time such as 10ms, 100us or 2s, or a number of seconds".to_owned())
}

/// A half-open range of indices: `3..7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRange(pub Range<u64>);

impl FromStr for IndexRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || "use A..B, with A below B, such as 0..10".to_owned();
        let (first, end) = text.split_once("..").ok_or_else(problem)?;
        let first: u64 = first.parse().map_err(|_| problem())?;
        let end: u64 = end.parse().map_err(|_| problem())?;
        if first < end { Ok(IndexRange(first..end)) } else { Err(problem()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_take_decimal_suffixes() {
        assert_eq!(parse_count("24"), Ok(24));
        assert_eq!(parse_count("20M"), Ok(20_000_000));
        assert_eq!(parse_count("187.5M"), Ok(187_500_000));
        assert_eq!(parse_count("1.5k"), Ok(1500));
        assert_eq!(parse_count("20 M"), Ok(20_000_000));
        for bad in ["", "M", "-1", "1.5", "1.0001k", "1e6", "20m", "2 0M", "99999999T", "1.2.3k"] {
            assert!(parse_count(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_number_counts_seconds_and_others_have_a_unit() {
        for (text, ms) in [("5", 5000), ("0.25", 250), ("10ms", 10), ("1s 500ms", 1500), ("0", 0)] {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for bad in ["", "ten", "-1", "-1s", "NaN", "inf", "1e30", "5 apples"] {
            let problem = parse_time(bad).expect_err(bad);
            assert!(problem.starts_with("use a time such as 10ms"), "{bad}: {problem}");
        }
    }

    #[test]
    fn ranges_are_half_open_and_not_empty() {
        assert_eq!("3..7".parse(), Ok(IndexRange(3..7)));
        for text in ["3", "3..", "..7", "7..7", "8..7", "a..b", "-1..3", "3...7"] {
            assert!(text.parse::<IndexRange>().is_err(), "{text}");
        }
    }
}
