//! A point's axes in words, the same in tables, in charts and in their captions.
//!
//! A row carries its data shape as plain `name=value` pairs so that machines
//! can compare them. People read "2 M digis · order random" faster.

use std::cmp::Ordering;

use text::Foreign;

use crate::record::{Params, Point, SummaryRow};
use crate::units;

/// What stands between the phrases of a shape.
pub const SEPARATOR: &str = " · ";

/// What a run began with, as if it were an axis.
pub const GIVEN: &str = "given";

/// The device without a GPU.
pub const CPU: &str = "cpu";

/// Names of axes with values.
pub type Axes = Vec<(String, String)>;

/// The axes of a row; see [`point_axes`].
pub fn axes(row: &SummaryRow) -> Axes {
    ordered(&row.params, row.threads, [&row.cache, &row.places, &row.bind])
}

/// The axes of a row, and what it was given: only rows that share all of it can be ranked.
pub fn contest(row: &SummaryRow) -> Axes {
    let given = (!row.given.is_empty()).then(|| (GIVEN.to_owned(), row.given.clone()));
    axes(row).into_iter().chain(given).collect()
}

/// The axes of a point with their values, in the order in which they are read:
/// counts first, then the other parameters, then how it was run.
///
/// Variant and device are no axes here: they say who was measured, not on what.
pub fn point_axes(point: &Point) -> Axes {
    ordered(&point.params, point.threads, [&point.cache, &point.places, &point.bind])
}

fn ordered(params: &Params, threads: usize, [cache, places, bind]: [&str; 3]) -> Axes {
    let (counts, others): (Vec<_>, Vec<_>) =
        params.iter().partition(|(name, value)| is_count(name, value));
    let threads = threads.to_string();
    let run = [("threads", &*threads), ("cache", cache), ("places", places), ("bind", bind)];
    let axes = counts.into_iter().chain(others).chain(run);
    axes.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The value of an axis in a row; see [`point_axes`].
pub fn axis(row: &SummaryRow, name: &str) -> Option<String> {
    let of_run = || match name {
        "threads" => Some(row.threads.to_string()),
        "cache" => Some(row.cache.clone()),
        "places" => Some(row.places.clone()),
        "bind" => Some(row.bind.clone()),
        GIVEN => Some(row.given.clone()),
        _ => None,
    };
    row.params.get(name).map(str::to_owned).or_else(of_run)
}

/// The shape of one row: `2 M digis · 24 segments · order random · 2 threads`.
pub fn words(row: &SummaryRow) -> String {
    phrases(&axes(row))
}

/// Axes in words, without those at a value that nobody needs to be told.
pub fn phrases(axes: &[(String, String)]) -> String {
    let said = axes.iter().filter(|(name, value)| !is_silent(name, value));
    let phrases: Vec<String> = said.map(|(name, value)| phrase(name, value)).collect();
    phrases.join(SEPARATOR)
}

/// The axes that all of these have with the same value.
pub fn common(points: impl IntoIterator<Item = Axes>) -> Axes {
    let mut points = points.into_iter();
    let first = points.next().unwrap_or_default();
    points.fold(first, |mut common, axes| {
        common.retain(|axis| axes.contains(axis));
        common
    })
}

/// An axis with its value: `2 M digis`, `1 thread`, `order random`.
pub fn phrase(name: &str, text: &str) -> String {
    let shown = value(name, text);
    match name.strip_suffix('s') {
        Some(singular) if is_count(name, text) && text == "1" => format!("1 {singular}"),
        _ if is_count(name, text) => format!("{shown} {}", name.shown()),
        _ => format!("{} {shown}", name.shown()),
    }
}

/// A value with the unit of its axis and without loss: `2 M`, `10 ms`, `random`.
pub fn value(name: &str, text: &str) -> String {
    let short = short_value(name, text);
    let exact = text.parse().is_ok_and(|v: f64| has_three_digits(v));
    match unit(name) {
        _ if exact || text.parse::<f64>().is_err() => short,
        // To the nanosecond a time says less, and the records have it.
        Some("ns") => short,
        Some(unit) => format!("{text} {unit}"),
        None => text.shown().to_string(),
    }
}

/// A value with the unit of its axis, rounded to three digits: `31.6 k`.
pub fn short_value(name: &str, text: &str) -> String {
    match (text.parse::<f64>(), unit(name)) {
        (Ok(number), Some("ns")) => {
            let time = units::seconds(number * 1e-9, 4);
            match time.split_once(' ') {
                Some((number, unit)) => format!("{} {unit}", units::trimmed(number)),
                None => time,
            }
        }
        (Ok(number), Some(unit)) => units::with_unit(&units::count(number), unit),
        (Ok(number), None) if number.abs() >= 1000.0 => units::count(number),
        _ => text.shown().to_string(),
    }
}

/// Numbers by size and before texts, texts by name.
pub fn order(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        _ => a.cmp(b),
    }
}

/// Whether an axis at this value is the default that nobody needs to be told.
pub fn is_silent(name: &str, value: &str) -> bool {
    matches!((name, value), ("places", "none" | "") | ("bind", "false" | ""))
        || (name == "cache" && value.is_empty())
}

/// Whether the value counts the things that the axis names: `digis`, not
/// `bias`, and not `duplicates`, of which it gives the share.
fn is_count(name: &str, value: &str) -> bool {
    let plural = name.ends_with('s') && !["ss", "us", "as"].iter().any(|e| name.ends_with(e));
    plural && !["duplicates", "noise-eps"].contains(&name) && value.parse::<u64>().is_ok()
}

/// The unit that the contract gives an axis.
pub fn unit(name: &str) -> Option<&'static str> {
    match name {
        "timeslice" | "microslice" => Some("ns"),
        "rate" | "noise" => Some("Hz"),
        "block size" => Some("B"),
        _ => None,
    }
}

/// Whether three significant digits say all of the number.
fn has_three_digits(value: f64) -> bool {
    if value == 0.0 || value.abs() < 1000.0 {
        return true;
    }
    let last_digit = 10f64.powf(value.abs().log10().floor() - 2.0);
    let rounded = (value / last_digit).round() * last_digit;
    (rounded - value).abs() < value.abs() * 1e-9
}

/// The variant, and its device if that is not the CPU.
pub fn name(row: &SummaryRow) -> String {
    on_device(row.variant.clone(), &row.device)
}

/// `block-merge on cuda:0`; of the CPU nothing is said.
pub fn on_device(name: String, device: &str) -> String {
    let name = name.shown();
    if device == CPU { name.to_string() } else { format!("{name} on {}", device.shown()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_before_their_name_and_words_after_it() {
        assert_eq!(phrase("digis", "2000000"), "2 M digis");
        assert_eq!(phrase("threads", "1"), "1 thread");
        assert_eq!(phrase("order", "random"), "order random");
        assert_eq!(phrase("skew", "1"), "skew 1");
        assert_eq!(phrase("bias", "3"), "bias 3");
    }

    #[test]
    fn a_shortened_value_never_hides_digits() {
        assert_eq!(value("segments", "1792"), "1792");
        assert_eq!(value("digis", "2500000"), "2.5 M");
        assert_eq!(value("digis", "3162278"), "3162278");
        assert_eq!(short_value("digis", "3162278"), "3.16 M");
        assert_eq!(value("skew", "0.5"), "0.5");
    }

    #[test]
    fn times_and_frequencies_take_their_units() {
        assert_eq!(value("timeslice", "10000000"), "10 ms");
        assert_eq!(value("timeslice", "10500000"), "10.5 ms");
        assert_eq!(value("microslice", "102400"), "102.4 µs");
        assert_eq!(value("rate", "50000"), "50 kHz");
        assert_eq!(value("noise", "24"), "24 Hz");
        assert_eq!(value("rate", "12345"), "12345 Hz");
        assert_eq!(value("rate", "auto"), "auto");
    }

    #[test]
    fn numbers_sort_by_size() {
        let mut values = ["random", "24", "1792", "3"];
        values.sort_by(|a, b| order(a, b));
        assert_eq!(values, ["3", "24", "1792", "random"]);
    }
}
