//! Values of flags that are not axes, which suites write the same way, and suggestions for unknown
//! names.

use std::time::{Duration, SystemTime};

use crate::registry::{self, tasks};
use clap::ValueEnum;
use clap::builder::{
    BoolValueParser, PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser,
};
use reports::rank::{Rank, RankedBy};
use statistics::Search;
use tasks::axis::parse_time;
use tasks::device::Device;
use tasks::task::Task;
use text::Untrusted;

use super::CacheMode;
use crate::platform::usable_threads;

/// Minimum and maximum number of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRange {
    /// Minimum.
    pub min: usize,
    /// Maximum.
    pub max: usize,
}

impl Default for SampleRange {
    fn default() -> Self {
        SampleRange { min: 10, max: 100 }
    }
}

impl SampleRange {
    /// Creates a range of exactly `samples` samples.
    pub const fn exactly(samples: usize) -> Self {
        SampleRange { min: samples, max: samples }
    }
}

/// Parses `10..100`, `10-100`, `30..` (30 or more), or a single number (exactly).
pub(crate) fn sample_range(text: &str) -> Result<SampleRange, String> {
    let (min, max) = text.split_once("..").or_else(|| text.split_once('-')).unwrap_or((text, text));
    let number = |part: &str| part.trim().parse::<usize>().ok();
    let min = number(min);
    let max = match max.trim() {
        "" => min.map(|min| min.max(SampleRange::default().max)),
        max => number(max),
    };
    match (min, max) {
        (Some(min), Some(max)) if 1 <= min && min <= max => Ok(SampleRange { min, max }),
        _ => Err("use MIN..MAX with 1 or more samples, such as 10..100, or one number".to_owned()),
    }
}

/// Parses a time such as `10s` or `500ms`, in the syntax of axes.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    parse_time(text)
}

/// Parses a probability, above 0 and below 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(probability) if probability > 0.0 && probability < 1.0 => Ok(probability),
        _ => Err("use a number between 0 and 1, such as 0.01".to_owned()),
    }
}

/// Parses the significance level of a permutation test; the number of permutations of [`Search`]
/// limits it from below.
pub(crate) fn change_significance(text: &str) -> Result<f64, String> {
    let min = 1.0 / (1 + Search::default().permutations) as f64;
    match text.parse::<f64>() {
        Ok(level) if (min..1.0).contains(&level) => Ok(level),
        _ => Err(format!("use a number from {min} to below 1, such as 0.005")),
    }
}

/// Parses a percentage such as `1%` to a fraction; a plain number is a percentage, too.
pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>();
    match number {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err("use a percentage above 0 and up to 100, such as 1%".to_owned()),
    }
}

/// Parses a percentage that may be 0, into a fraction.
pub(crate) fn percentage_or_none(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>();
    match number {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("use a percentage from 0 to 100, such as 0.1%".to_owned()),
    }
}

/// Threads of a team, or of nested teams (`12x4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// Total number of threads.
    pub all: usize,
    /// Threads of each inner team; `None` if not specified.
    pub inner: Option<usize>,
}

impl From<usize> for Threads {
    fn from(all: usize) -> Self {
        Threads { all, inner: None }
    }
}

/// Parses a number of threads; `all` for all CPUs that this process may use; `12x4` for nested
/// teams.
pub(crate) fn threads(text: &str) -> Result<Threads, String> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|&number| number > 0);
    if let Some(threads) = number(text) {
        return Ok(threads.into());
    }
    let nested = || {
        let (outer, inner) = text.split_once('x')?;
        let outer = number(outer)?;
        let inner = number(inner)?;
        Some(Threads { all: outer.checked_mul(inner)?, inner: Some(inner) })
    };
    match nested() {
        Some(nested) => Ok(nested),
        None if text == "all" => Ok(usable_threads().into()),
        None => Err("use a number of 1 or more, all, or 12x4 for nested teams".to_owned()),
    }
}

/// Parses thread counts: one, `all`, or `doubling` for 1, 2, 4, ... and all; `72?` is dropped on
/// machines with fewer than 72 CPUs.
pub(crate) fn thread_counts(text: &str) -> Result<Vec<Threads>, String> {
    match text {
        "doubling" => Ok(doubling(usable_threads()).into_iter().map(Threads::from).collect()),
        _ => {
            let (number, only_if_there) = match text.strip_suffix('?') {
                Some(number) => (number, true),
                None => (text, false),
            };
            match threads(number) {
                Ok(threads) if only_if_there && threads.all > usable_threads() => Ok(Vec::new()),
                Ok(threads) => Ok(vec![threads]),
                Err(problem) => Err(format!("{problem}; or doubling for 1, 2, 4, ...")),
            }
        }
    }
}

/// Returns the powers of two below `max`, and `max`.
pub(super) fn doubling(max: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |&threads| Some(2 * threads));
    let powers = powers.take_while(|&threads| threads < max);
    powers.chain([max]).collect()
}

/// Parses a cache mode.
pub(crate) fn cache(text: &str) -> Result<CacheMode, String> {
    let mode = CacheMode::from_str(text, false);
    mode.map_err(|_| format!("unknown cache {}; there are hot and cold", text.quoted()))
}

/// Parser of tasks; the help lists them.
pub(crate) fn task() -> impl TypedValueParser<Value = &'static dyn Task> {
    let names = PossibleValuesParser::new(tasks().iter().map(|task| task.name()));
    names.try_map(|name| registry::task(&name).ok_or("unknown"))
}

/// Parser of counts of 1 or more.
pub(crate) fn count() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=1_000_000)
}

/// Parses a time, a day (its start), or a duration before now.
pub(crate) fn moment(text: &str) -> Result<SystemTime, String> {
    let day = || humantime::parse_rfc3339_weak(&format!("{text}T00:00:00Z"));
    if let Ok(time) = humantime::parse_rfc3339_weak(text).or_else(|_| day()) {
        return Ok(time);
    }
    let ago = |time: Duration| SystemTime::now().checked_sub(time);
    let past = humantime::parse_duration(text).ok().and_then(ago);
    past.ok_or_else(|| "use a time such as 2026-01-31, 2026-01-31T12:00:00Z or 7d".to_owned())
}

/// Parses a seed.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    let problem = |_| "use a whole number from 0 to 18446744073709551615".to_owned();
    text.parse().map_err(problem)
}

/// Parses the name of a device.
pub(crate) fn device(text: &str) -> Result<Device, String> {
    text.parse()
}

/// Parser of one of these names, which help and errors list.
pub(crate) fn named<T, const N: usize>(
    known: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(known.map(|(name, _)| name)).try_map(move |name| {
        let known = known.iter().find(|(known, _)| *known == name);
        known.map(|(_, value)| *value).ok_or("unknown")
    })
}

/// Parser of the ranking metric.
pub(crate) fn rank() -> impl TypedValueParser<Value = Rank> {
    named(Rank::ALL.map(|rank| (rank.name(), rank)))
}

/// Parser of the quantity by which points are ranked or followed.
pub(crate) fn ranked_by() -> impl TypedValueParser<Value = RankedBy> {
    named(RankedBy::ALL.map(|by| (by.name(), by)))
}

/// Parser of an enum. Help and errors list its names without what the values mean, which the help
/// of the flag says.
pub(crate) fn choice<T>() -> impl TypedValueParser<Value = T>
where
    T: ValueEnum + Send + Sync + 'static,
{
    let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let names = names.map(|named| PossibleValue::new(named.get_name().to_owned()));
    PossibleValuesParser::new(names).try_map(|name| T::from_str(&name, false))
}

/// Parser of a flag without a value: `on` if it is given, else `off`.
pub(crate) fn switch<T>(off: T, on: T) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    BoolValueParser::new().map(move |is_on| if is_on { on.clone() } else { off.clone() })
}

/// Removes repeated values, keeping the order.
pub(crate) fn each_once<T: Clone + PartialEq>(values: &mut Vec<T>) {
    let mut known: Vec<T> = Vec::new();
    values.retain(|value| {
        let is_new = !known.contains(value);
        known.extend(is_new.then(|| value.clone()));
        is_new
    });
}

/// Returns the end of a list that shows `shown` of `all` entries, such as `; and 3 more` after the
/// separator `;`.
pub(crate) fn and_more(separator: &str, all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("{separator} and {more} more"),
    }
}

/// Minimum similarity of a suggested name (Jaro-Winkler; 1 is equal).
const ALIKE: f64 = 0.7;

/// Returns the end of a message on an unknown name: the most similar name, and all known ones.
pub(crate) fn instead_of(name: &str, known: &[&str]) -> String {
    let likeness = |candidate: &str| strsim::jaro_winkler(name, candidate);
    let nearest = known
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
        .filter(|candidate| likeness(candidate) > ALIKE);
    let all = known.join(", ");
    match nearest {
        Some(nearest) => format!("did you mean {}? There are: {all}", nearest.quoted()),
        None => format!("there are: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_days_times_or_spans() {
        let day = moment("2026-01-31").expect("a day");
        let noon = moment("2026-01-31T12:00:00Z").expect("a time");
        assert_eq!(noon, day + Duration::from_secs(12 * 3600));
        assert_eq!(moment("2026-01-31 12:00:00"), Ok(noon));
        let past = moment("7d").expect("a span");
        let ago = SystemTime::now().duration_since(past).expect("past");
        assert_eq!(ago.as_secs() / 3600, 7 * 24);
        for bad in ["", "yesterday", "2026-13-01", "-7d"] {
            assert!(moment(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges_of_samples() {
        let range = |min, max| Ok(SampleRange { min, max });
        assert_eq!(sample_range("10..100"), range(10, 100));
        assert_eq!(sample_range("3-5"), range(3, 5));
        assert_eq!(sample_range("7"), range(7, 7));
        assert_eq!(sample_range("30.."), range(30, 100));
        assert_eq!(sample_range("300.."), range(300, 300));
        for bad in ["", "0", "5..3", "..", "-5", "a..b"] {
            assert!(sample_range(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn threads_double_up_to_all_of_them() {
        assert_eq!(doubling(1), [1]);
        assert_eq!(doubling(2), [1, 2]);
        assert_eq!(doubling(8), [1, 2, 4, 8]);
        assert_eq!(doubling(12), [1, 2, 4, 8, 12]);
        assert_eq!(thread_counts("3"), Ok(vec![3.into()]));
        assert_eq!(thread_counts("all"), Ok(vec![usable_threads().into()]));
        assert_eq!(thread_counts("12x4"), Ok(vec![Threads { all: 48, inner: Some(4) }]));
        assert_eq!(thread_counts("1?"), Ok(vec![1.into()]));
        assert_eq!(thread_counts("1000000?"), Ok(Vec::new()));
        for wrong in ["0", "?", "half", "0x4", "4x0", "x", "4x", "2x2x2", "9999999999x9999999999"] {
            assert!(thread_counts(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_and_percentages() {
        assert_eq!(duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(percentage("1%"), Ok(0.01));
        for bad in ["-1", "NaN", "x", ""] {
            assert!(duration(bad).is_err(), "{bad}");
            assert!(percentage(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let known = ["segments", "digis"];
        assert_eq!(
            instead_of("segmets", &known),
            "did you mean \"segments\"? There are: segments, digis"
        );
        assert_eq!(instead_of("xyz", &known), "there are: segments, digis");
    }
}
