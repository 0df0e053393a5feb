//! Numbers and outcomes as people read them.

use super::figure::Value;
use super::measured::Measured;
use super::outcome::{Judged, Outcome, Reproduction};
use crate::frame::Record;
use crate::table::{NOTHING, Side, Table};
use crate::units::{self, times};

/// The columns of [`cells`].
const COLUMNS: [(&str, Side); 8] = [
    ("value", Side::Left),
    ("published on", Side::Left),
    ("time there", Side::Right),
    ("an item", Side::Right),
    ("speed-up", Side::Right),
    ("time here", Side::Right),
    ("an item", Side::Right),
    ("speed-up", Side::Right),
];

/// `tab5.1: The STS chain stage by stage (thesis table 5.1)`.
pub fn heading(reproduction: &Reproduction) -> String {
    let figure = &reproduction.figure;
    format!("{}: {} ({})", figure.id, figure.title, figure.source)
}

/// A row for each value, published or not.
pub fn table(reproduction: &Reproduction) -> Table {
    let values = reproduction.figure.values.iter();
    Table::new(&COLUMNS, values.map(|value| cells(reproduction, value)))
}

fn cells(reproduction: &Reproduction, value: &Value) -> [String; 8] {
    let shown = |number: Option<f64>, say: fn(f64) -> String| {
        number.map_or_else(|| NOTHING.to_owned(), say)
    };
    let time = |seconds: f64| units::seconds(seconds, 3);
    let found = reproduction.found(&value.label);
    [
        value.label.clone(),
        match value.hardware.as_str() {
            "" => NOTHING.to_owned(),
            hardware => hardware.to_owned(),
        },
        shown(value.seconds(), time),
        shown(value.seconds_an_item(), time),
        shown(reproduction.figure.published_speed_up(value), times),
        match found {
            Ok(here) if here.is_sample => format!("{} of a sample", time(here.seconds)),
            Ok(here) => time(here.seconds),
            Err(why) => why.to_owned(),
        },
        found.map_or_else(|_| NOTHING.to_owned(), an_item),
        shown(reproduction.speed_up(&value.label), times),
    ]
}

/// `56.3 ns a digi`.
fn an_item(here: &Measured) -> String {
    let time = units::seconds(here.seconds_an_item(), 3);
    format!("{time} a {}", here.item_unit)
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

/// A value for programs.
pub fn record<'a>(reproduction: &'a Reproduction, value: &'a Value) -> Record<'a> {
    let figure = &reproduction.figure;
    let Value { label, hardware, .. } = value;
    let found = reproduction.found(label);
    let here = found.ok();
    let interval = here.and_then(|here| here.interval);
    Record::default()
        .with("figure", &figure.id)
        .with("label", label)
        .with("hardware", hardware)
        .with("published_s", value.seconds())
        .with("published_s_an_item", value.seconds_an_item())
        .with("published_speed_up", figure.published_speed_up(value))
        .with("here_s", here.map(|here| here.seconds))
        .with("here_low_s", interval.map(|interval| interval.low))
        .with("here_high_s", interval.map(|interval| interval.high))
        .with("here_s_an_item", here.map(|here| here.seconds_an_item()))
        .with("here_speed_up", reproduction.speed_up(label))
        .with("items", here.map(|here| here.items))
        .with("threads", here.map(|here| here.threads))
        .with("why_missing", found.err().unwrap_or_default())
}
