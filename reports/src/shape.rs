//! The axes of a point as text, consistent in tables, charts and captions.
//!
//! A row contains its data shape as plain `name=value` pairs so that machines can compare them.
//! People read "2 M digis · order random" faster.

use std::cmp::Ordering;

use text::Untrusted;

pub use crate::axis_name::AxisName;
use crate::record::{AxisKind, AxisRecord, Params, Point, SummaryRow};
use crate::units;

/// Separator of the axes of a shape.
pub const SEPARATOR: &str = " · ";

/// The parts that are not empty.
pub fn joined<const N: usize>(parts: [&str; N]) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(SEPARATOR)
}

/// The kind of input, as an axis.
pub const GIVEN: &str = "given";

/// The device without a GPU.
pub const CPU: &str = "cpu";

/// The axis of the number of threads, which all tasks have.
pub const THREADS: &str = "threads";

/// Names of axes with values.
pub type Axes = Vec<(AxisName, String)>;

/// The axes of a row; see [`point_axes`].
pub fn axes(row: &SummaryRow) -> Axes {
    let SummaryRow { algorithm, params, threads, cache, cpu_sets, bind, .. } = row;
    ordered(algorithm, params, *threads, [cache, cpu_sets, bind])
}

/// The axes of a row, and its kind of input: only rows that share all of these can be ranked.
pub fn ranking_axes(row: &SummaryRow) -> Axes {
    let given = (!row.given.is_empty()).then(|| (GIVEN.into(), row.given.clone()));
    axes(row).into_iter().chain(given).collect()
}

/// The axes of a point with their values, in reading order: counts first, then the other
/// parameters, then threads and placement.
///
/// Variant and device are no axes here: they are the subject of a measurement, not its conditions.
pub fn point_axes(point: &Point) -> Axes {
    let Point { algorithm, params, threads, cache, cpu_sets, bind, .. } = point;
    ordered(algorithm, params, *threads, [cache, cpu_sets, bind])
}

/// The parameters of a task as axes, in reading order.
pub fn param_axes(task: &str, params: &Params) -> Axes {
    let named =
        |(name, value): (&str, &str)| (AxisName::for_task(task, name, params), value.to_owned());
    let (counts, others): (Axes, Axes) =
        params.iter().map(named).partition(|(name, value)| is_count(name, value));
    counts.into_iter().chain(others).collect()
}

fn ordered(
    task: &str,
    params: &Params,
    threads: usize,
    [cache, cpu_sets, bind]: [&str; 3],
) -> Axes {
    let threads = (AxisName::count(THREADS), threads.to_string());
    let run = [("cache", cache), ("places", cpu_sets), ("bind", bind)];
    let run = run.map(|(name, value)| (name.into(), value.to_owned()));
    param_axes(task, params).into_iter().chain([threads]).chain(run).collect()
}

/// An axis of a row by its name.
pub fn axis_name(row: &SummaryRow, name: &str) -> AxisName {
    match row.params.get(name) {
        Some(_) => AxisName::for_task(&row.algorithm, name, &row.params),
        None if name == THREADS => AxisName::count(name),
        None => name.into(),
    }
}

/// The value of an axis in a row; see [`point_axes`].
pub fn axis(row: &SummaryRow, name: &str) -> Option<String> {
    let of_run = || match name {
        "threads" => Some(row.threads.to_string()),
        "cache" => Some(row.cache.clone()),
        "places" => Some(row.cpu_sets.clone()),
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

/// Axes as text, without those at their default value.
pub fn phrases(axes: &[(AxisName, String)]) -> String {
    let visible = axes.iter().filter(|(name, value)| !is_silent(name, value));
    let phrases: Vec<String> = visible.map(|(name, value)| phrase(name, value)).collect();
    phrases.join(SEPARATOR)
}

/// The axes that have the same value in all points.
pub fn common(points: impl IntoIterator<Item = Axes>) -> Axes {
    let mut points = points.into_iter();
    let first = points.next().unwrap_or_default();
    points.fold(first, |mut common, axes| {
        common.retain(|axis| axes.contains(axis));
        common
    })
}

/// An axis with its value: `2 M digis`, `1 thread`, `window 20 ns`, `order random`.
pub fn phrase(name: &AxisName, text: &str) -> String {
    let shown = value(name, text);
    match name.label().strip_suffix('s') {
        Some(singular) if is_count(name, text) && text == "1" => {
            format!("1 {}", singular.escaped())
        }
        _ if is_count(name, text) => format!("{shown} {}", name.label().escaped()),
        _ => format!("{} {shown}", name.label().escaped()),
    }
}

/// A value with the unit of its axis and without loss, as the axis' flag accepts it: `2 M`, `10
/// ms`, `random`.
pub fn value(name: &AxisName, text: &str) -> String {
    let AxisRecord { kind, unit, .. } = name.declared();
    let Some(number) = number_of(text) else { return text.escaped().to_string() };
    let exact = || text.escaped().to_string();
    match kind {
        AxisKind::Count | AxisKind::Frequency if has_three_digits(number) => {
            with_unit(&units::count(number), unit)
        }
        AxisKind::Duration => exact_time(text).unwrap_or_else(|| with_unit(&exact(), unit)),
        _ => with_unit(&exact(), unit),
    }
}

/// A value with the unit of its axis, rounded to three digits: `31.6 k`.
pub fn short_value(name: &AxisName, text: &str) -> String {
    let AxisRecord { kind, unit, .. } = name.declared();
    let Some(number) = number_of(text) else { return text.escaped().to_string() };
    match kind {
        AxisKind::Duration => {
            let time = units::seconds(number * 1e-9, 4);
            match time.split_once(' ') {
                Some((number, unit)) => format!("{} {unit}", units::trimmed(number)),
                None => time,
            }
        }
        AxisKind::Frequency => with_unit(&units::count(number), unit),
        _ if number.abs() >= 1000.0 => with_unit(&units::count(number), unit),
        _ => with_unit(&text.escaped().to_string(), unit),
    }
}

/// A value for its flag, in one word: `1000ns`.
pub fn flag_value(name: &AxisName, text: &str) -> String {
    match name.declared().kind {
        AxisKind::Duration | AxisKind::Frequency if number_of(text).is_some() => {
            format!("{text}{}", name.declared().unit)
        }
        _ => text.to_owned(),
    }
}

fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() {
        number.to_owned()
    } else {
        units::with_unit(number, &unit.escaped().to_string())
    }
}

/// A finite number without a plus sign.
fn number_of(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Nanoseconds in the largest unit that leaves at most three decimals, or in seconds with all nine:
/// `10.5 ms`, `102.4 µs`, `2.147483648 s`.
fn exact_time(nanoseconds: &str) -> Option<String> {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs"), (1, "ns")];
    let time: u64 = nanoseconds.parse().ok()?;
    let (scale, unit) = UNITS.into_iter().find(|(scale, _)| time >= *scale).unwrap_or(UNITS[3]);
    let decimals = format!("{:0width$}", time % scale, width = scale.ilog10() as usize);
    let decimals = if scale == 1 { "" } else { decimals.trim_end_matches('0') };
    let point = if decimals.is_empty() { "" } else { "." };
    Some(format!("{}{point}{decimals} {unit}", time / scale))
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

/// True if an axis has its default value, which is not shown.
pub fn is_silent(name: &str, value: &str) -> bool {
    matches!((name, value), ("places", "none" | "") | ("bind", "false" | ""))
        || (name == "cache" && value.is_empty())
}

/// True if the value is a number of the things that the label names.
fn is_count(name: &AxisName, value: &str) -> bool {
    name.declared().kind == AxisKind::Count && value.parse::<u64>().is_ok()
}

/// True if three significant digits represent the number exactly.
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

/// `block-merge on cuda:0`; the CPU is omitted.
pub fn on_device(name: String, device: &str) -> String {
    let name = name.escaped();
    if device == CPU { name.to_string() } else { format!("{name} on {}", device.escaped()) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::record::{Declared, Quantities};

    /// An axis of runs without declarations.
    fn old(task: &str, name: &str) -> AxisName {
        AxisName::for_task(task, name, &Params::default())
    }

    fn declared(kind: AxisKind, unit: &str) -> AxisName {
        let axis = AxisRecord { kind, unit: unit.into(), label: "it".into(), with_input: false };
        let axes = Declared::new([("task".into(), "it".into(), axis)]);
        let quantities = Quantities { axes, ..Quantities::default() };
        AxisName::for_task("task", "it", &Params::default().declared_by(&Arc::new(quantities)))
    }

    #[test]
    fn counts_come_before_their_name_and_words_after_it() {
        let phrase = |name: &str, text: &str| phrase(&old("sort", name), text);
        assert_eq!(phrase("digis", "2000000"), "2 M digis");
        assert_eq!(phrase("order", "random"), "order random");
        assert_eq!(phrase("skew", "1"), "skew 1");
        assert_eq!(phrase("bias", "3"), "bias 3");
        assert_eq!(super::phrase(&AxisName::count(THREADS), "1"), "1 thread");
    }

    #[test]
    fn a_shortened_value_never_hides_digits() {
        let value = |name: &str, text: &str| value(&old("sort", name), text);
        assert_eq!(value("segments", "1792"), "1792");
        assert_eq!(value("digis", "2500000"), "2.5 M");
        assert_eq!(value("digis", "3162278"), "3162278");
        assert_eq!(short_value(&old("sort", "digis"), "3162278"), "3.16 M");
        assert_eq!(value("skew", "0.5"), "0.5");
    }

    #[test]
    fn times_and_frequencies_take_their_units() {
        let value = |name: &str, text: &str| value(&old("sort", name), text);
        assert_eq!(value("timeslice", "10000000"), "10 ms");
        assert_eq!(value("timeslice", "10500000"), "10.5 ms");
        assert_eq!(value("timeslice", "2147483648"), "2.147483648 s");
        assert_eq!(value("timeslice", "1000000001"), "1.000000001 s");
        assert_eq!(value("microslice", "102400"), "102.4 µs");
        assert_eq!(value("window", "20"), "20 ns");
        assert_eq!(value("dead-time", "0"), "0 ns");
        assert_eq!(value("rate", "50000"), "50 kHz");
        assert_eq!(value("noise", "24"), "24 Hz");
        assert_eq!(value("rate", "12345"), "12345 Hz");
        assert_eq!(value("rate", "auto"), "auto");
        assert_eq!(short_value(&old("sort", "timeslice"), "2147483648"), "2.147 s");
    }

    #[test]
    fn declarations_of_the_run_count_and_not_the_name() {
        assert_eq!(value(&old("decode", "noise"), "0.005"), "0.005");
        assert_eq!(phrase(&declared(AxisKind::Duration, "ns"), "1000"), "it 1 µs");
        assert_eq!(phrase(&declared(AxisKind::Share, ""), "2000"), "it 2000");
        assert_eq!(phrase(&declared(AxisKind::Integer, "ADC"), "3"), "it 3 ADC");
        assert_eq!(flag_value(&declared(AxisKind::Duration, "ns"), "1000"), "1000ns");
        assert_eq!(flag_value(&declared(AxisKind::Integer, "ADC"), "3"), "3");
    }

    #[test]
    fn numbers_sort_by_size() {
        let mut values = ["random", "24", "1792", "3"];
        values.sort_by(|a, b| order(a, b));
        assert_eq!(values, ["3", "24", "1792", "random"]);
    }
}
