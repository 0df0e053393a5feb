//! Numbers and outcomes as people read them.

use serde::Serialize;

use super::figure::Value;
use super::measured::Measured;
use super::outcome::{Judged, Outcome, Reproduction};
use crate::units::{self, times};

/// What stands where there is no number.
const NOTHING: &str = "-";

/// The columns of [`cells`].
pub const HEADINGS: [&str; 8] = [
    "value",
    "published on",
    "time there",
    "an item",
    "speed-up",
    "time here",
    "an item",
    "speed-up",
];

/// A value for programs.
#[derive(Serialize)]
pub struct Beside<'a> {
    figure: &'a str,
    label: &'a str,
    hardware: &'a str,
    published_s: Option<f64>,
    published_s_an_item: Option<f64>,
    published_speed_up: Option<f64>,
    here_s: Option<f64>,
    here_low_s: Option<f64>,
    here_high_s: Option<f64>,
    here_s_an_item: Option<f64>,
    here_speed_up: Option<f64>,
    items: Option<u64>,
    threads: Option<usize>,
    why_missing: &'a str,
}

/// `tab5.1: The STS chain stage by stage (thesis table 5.1)`.
pub fn heading(reproduction: &Reproduction) -> String {
    let figure = &reproduction.figure;
    format!("{}: {} ({})", figure.id, figure.title, figure.source)
}

/// A row for each value, published or not.
pub fn cells(reproduction: &Reproduction) -> Vec<[String; 8]> {
    let values = reproduction.figure.values.iter();
    values.map(|value| row(reproduction, value)).collect()
}

fn row(reproduction: &Reproduction, value: &Value) -> [String; 8] {
    let shown = |number: Option<f64>, say: fn(f64) -> String| {
        number.map_or_else(|| NOTHING.to_owned(), say)
    };
    let time = |seconds: f64| units::seconds(seconds, 3);
    let here = reproduction.here(&value.label);
    [
        value.label.clone(),
        match value.hardware.as_str() {
            "" => NOTHING.to_owned(),
            hardware => hardware.to_owned(),
        },
        shown(value.seconds(), time),
        shown(value.seconds_an_item(), time),
        shown(reproduction.figure.published_speed_up(value), times),
        match here {
            Some(here) if here.is_sample => format!("{} of a sample", time(here.seconds)),
            Some(here) => time(here.seconds),
            None => why_missing(reproduction, &value.label).to_owned(),
        },
        here.map_or_else(|| NOTHING.to_owned(), an_item),
        shown(reproduction.speed_up(&value.label), times),
    ]
}

/// `56.3 ns a digi`.
fn an_item(here: &Measured) -> String {
    let time = units::seconds(here.seconds_an_item(), 3);
    format!("{time} a {}", here.item_unit)
}

fn why_missing<'a>(reproduction: &'a Reproduction, label: &str) -> &'a str {
    let found = reproduction.measured.iter().find(|(name, _)| name == label);
    found.and_then(|(_, found)| found.as_ref().err()).map_or("", String::as_str)
}

/// What became of all conclusions: a sentence for each that was measured, and one for the
/// others.
pub fn sentences(reproduction: &Reproduction) -> Vec<String> {
    let (known, unknown): (Vec<_>, Vec<_>) = reproduction
        .judged
        .iter()
        .partition(|judged| !matches!(judged.outcome, Outcome::Unknown(_)));
    let mut sentences: Vec<String> = known.into_iter().map(sentence).collect();
    sentences.extend(match unknown.as_slice() {
        [] => None,
        [Judged { outcome: Outcome::Unknown(why), claim, .. }, _, ..] => Some(format!(
            "Not known here of {} conclusions, such as this ({why}): {}.",
            unknown.len(),
            claim.words
        )),
        [one, ..] => Some(sentence(one)),
    });
    sentences
}

/// What became of a conclusion: `Holds here, 1.71 × (published: 1.97 ×): …`.
fn sentence(judged: &Judged) -> String {
    let words = &judged.claim.words;
    let published = judged
        .published
        .map_or_else(String::new, |ratio| format!(" (published: {})", times(ratio)));
    match &judged.outcome {
        Outcome::Holds(ratio) => format!("Holds here, {}{published}: {words}.", times(*ratio)),
        Outcome::Fails(ratio) => {
            format!("Does not hold here, {}{published}: {words}.", times(*ratio))
        }
        Outcome::Unclear(ratio) => format!(
            "Not clear here, {} within the scatter of samples{published}: {words}.",
            times(*ratio)
        ),
        Outcome::Unknown(why) => format!("Not known here ({why}){published}: {words}."),
    }
}

/// All values for programs.
pub fn beside<'a>(reproduction: &'a Reproduction) -> Vec<Beside<'a>> {
    let figure = &reproduction.figure;
    let of_value = |value: &'a Value| {
        let Value { label, hardware, .. } = value;
        let here = reproduction.here(label);
        let interval = here.and_then(|here| here.interval);
        Beside {
            figure: &figure.id,
            label,
            hardware,
            published_s: value.seconds(),
            published_s_an_item: value.seconds_an_item(),
            published_speed_up: figure.published_speed_up(value),
            here_s: here.map(|here| here.seconds),
            here_low_s: interval.map(|interval| interval.low),
            here_high_s: interval.map(|interval| interval.high),
            here_s_an_item: here.map(|here| here.seconds_an_item()),
            here_speed_up: reproduction.speed_up(label),
            items: here.map(|here| here.items),
            threads: here.map(|here| here.threads),
            why_missing: why_missing(reproduction, label),
        }
    };
    figure.values.iter().map(of_value).collect()
}
