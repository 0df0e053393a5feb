//! Published figures and measured values as text.

use serde_json::json;

use super::figure::{Figure, Shows, Unit, Value};
use super::measured::Measured;
use super::verdict::{ClaimVerdict, JudgedClaim, Reproduction};
use crate::frame::{Frame, json_text};
use crate::row::Record;
use crate::screen::Screen;
use crate::table::{NOTHING, Side, Table, TableError, Tabular, known};
use crate::units::{self, times};

/// The columns of [`cells`].
const COLUMNS: [(&str, Side); 8] = [
    ("value", Side::Left),
    ("published on", Side::Left),
    ("there", Side::Right),
    ("per item", Side::Right),
    ("speed-up", Side::Right),
    ("here", Side::Right),
    ("per item", Side::Right),
    ("speed-up", Side::Right),
];

/// Note on figures that show the content of timeslices.
const IN_WORDS: &str = "No numbers were printed in the figure; those above are of the text, of \
    timeslices of another length.";

impl Tabular for [Figure] {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let columns =
            [("figure", Side::Left), ("group", Side::Left), ("what it shows", Side::Left)];
        vec![Table::new(&columns, self.iter().map(listed))]
    }

    fn frame(&self) -> Frame {
        Frame::like_first(self.iter().map(listing))
    }
}

fn listed(figure: &Figure) -> [String; 3] {
    let Figure { id, group, title, reason, .. } = figure;
    let what = match reason.as_str() {
        "" => title.clone(),
        reason => format!("{title} (not reproducible: {reason})"),
    };
    [id.clone(), group.clone(), what]
}

fn listing(figure: &Figure) -> Record<'_> {
    Record::default()
        .with("figure", &figure.id)
        .with("group", &figure.group)
        .with("title", &figure.title)
        .with("source", &figure.source)
        .with("why_not", &figure.reason)
}

impl Tabular for [Reproduction] {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let whole = |figure: &Reproduction| {
            table(figure).under(heading(figure)).with_notes(sentences(figure))
        };
        self.iter().map(whole).collect()
    }

    fn frame(&self) -> Frame {
        Frame::like_first(
            self.iter().flat_map(|figure| {
                figure.figure.values.iter().map(move |value| record(figure, value))
            }),
        )
    }

    fn json(&self) -> Result<String, TableError> {
        let figure = |it: &Reproduction| {
            json!({
                "figure": it.figure.id,
                "title": it.figure.title,
                "source": it.figure.source,
                "values": std::slice::from_ref(it).frame(),
                "conclusions": sentences(it),
            })
        };
        Ok(json_text(&self.iter().map(figure).collect::<Vec<_>>())?)
    }
}

/// `tab5.1: The STS chain stage by stage (thesis table 5.1)`.
pub fn heading(reproduction: &Reproduction) -> String {
    let figure = &reproduction.figure;
    format!("{}: {} ({})", figure.id, figure.title, figure.source)
}

/// A table with a row for each value, published or not.
pub fn table(reproduction: &Reproduction) -> Table {
    let values = reproduction.figure.values.iter();
    Table::new(&COLUMNS, values.map(|value| cells(reproduction, value)))
}

fn cells(reproduction: &Reproduction, value: &Value) -> [String; 8] {
    let found = reproduction.found(&value.label);
    [
        value.label.clone(),
        match value.hardware.as_str() {
            "" => NOTHING.to_owned(),
            hardware => hardware.to_owned(),
        },
        there(value),
        known(value.amount_an_item(), |amount| each(value, amount)),
        speed_up_there(&reproduction.figure, value),
        match found {
            Ok(here) if here.is_sample => format!("{} of a sample", written(value, here)),
            Ok(here) => written(value, here),
            Err(why) => why.to_owned(),
        },
        known(found.ok(), |here| an_item(value, here)),
        known(reproduction.speed_up(&value.label), times),
    ]
}

/// The published value with its digits: `276.6 ms`, `36 % longer`. Speed-ups have their own column.
fn there(value: &Value) -> String {
    let Some(printed) = &value.published else { return NOTHING.to_owned() };
    let number = printed.words();
    match &value.unit {
        Unit::Seconds => format!("{number} s"),
        Unit::Milliseconds => format!("{number} ms"),
        Unit::Microseconds => format!("{number} µs"),
        Unit::Longer => format!("{number} % longer"),
        Unit::Kilohertz => format!("{number} kHz"),
        Unit::Percent => format!("{number} %"),
        Unit::Amount(what) => format!("{number} {what}"),
        Unit::SpeedUp | Unit::Nothing => NOTHING.to_owned(),
    }
}

/// Published speed-up of a value over its basis: as printed, or from published times.
fn speed_up_there(figure: &Figure, value: &Value) -> String {
    match (&value.unit, &value.published) {
        (Unit::SpeedUp, Some(printed)) => format!("{} ×", printed.words()),
        _ => known(figure.published_speed_up(value), times),
    }
}

/// `1.22 s`, `5.90 M clusters`, `112 bytes`, `592 kHz`, `98.52 %`.
fn written(value: &Value, here: &Measured) -> String {
    match &value.unit {
        Unit::Amount(what) => format!("{} {what}", units::count(here.amount)),
        Unit::Kilohertz => units::with_unit(&units::count(1.0 / here.amount_an_item()), "Hz"),
        Unit::Percent => format!("{:.2} %", 100.0 * here.amount),
        _ => units::seconds(here.amount, 3),
    }
}

/// The amount per item: `56.3 ns`, `0.34`.
fn each(value: &Value, amount: f64) -> String {
    match value.counts() {
        None => units::seconds(amount, 3),
        Some(_) => format!("{amount:.3}"),
    }
}

/// `56.3 ns per digi`; empty for counts that are not per item.
fn an_item(value: &Value, here: &Measured) -> String {
    if value.counts().is_some() && value.items.is_none() {
        return NOTHING.to_owned();
    }
    format!("{} per {}", each(value, here.amount_an_item()), here.item_unit)
}

/// Verdicts on all claims: a sentence for each that was measured, and one for the others.
pub fn sentences(reproduction: &Reproduction) -> Vec<String> {
    let (known, unknown): (Vec<_>, Vec<_>) = reproduction
        .judged
        .iter()
        .partition(|judged| !matches!(judged.verdict, ClaimVerdict::Unknown(_)));
    let mut sentences: Vec<String> = known.into_iter().map(sentence).collect();
    let Figure { reason, contradiction, stream, .. } = &reproduction.figure;
    if stream.as_ref().is_some_and(|stream| matches!(stream.shows, Shows::Contents(_))) {
        sentences.push(IN_WORDS.to_owned());
    }
    if !reason.is_empty() {
        sentences.push(format!("Not reproducible here: {reason}."));
    }
    if !contradiction.is_empty() {
        sentences.push(format!("The publications contradict each other: {contradiction}."));
    }
    sentences.extend(match unknown.as_slice() {
        [] => None,
        [JudgedClaim { verdict: ClaimVerdict::Unknown(why), claim, .. }, _, ..] => Some(format!(
            "Not known here of {} conclusions, such as this ({why}): {}.",
            unknown.len(),
            claim.words
        )),
        [one, ..] => Some(sentence(one)),
    });
    sentences
}

/// Verdict on a claim: `Holds here, 1.71 × (published: 1.97 ×): …`.
fn sentence(judged: &JudgedClaim) -> String {
    let verdict = match &judged.verdict {
        ClaimVerdict::Holds(ratio) => format!("Holds here, {}", times(*ratio)),
        ClaimVerdict::Fails(ratio) => format!("Does not hold here, {}", times(*ratio)),
        ClaimVerdict::Unclear(ratio) => {
            format!("Not clear here, {} within the scatter of samples", times(*ratio))
        }
        ClaimVerdict::Unknown(why) => format!("Not known here ({why})"),
    };
    let published = judged.published.map(|ratio| format!(" (published: {})", times(ratio)));
    format!("{verdict}{}: {}.", published.unwrap_or_default(), judged.claim.words)
}

/// A value for programs.
pub fn record<'a>(reproduction: &'a Reproduction, value: &'a Value) -> Record<'a> {
    let figure = &reproduction.figure;
    let Value { label, hardware, .. } = value;
    let found = reproduction.found(label);
    let here = found.ok();
    let is_time = value.counts().is_none();
    let interval = here.filter(|_| is_time).and_then(|here| here.interval);
    Record::default()
        .with("figure", &figure.id)
        .with("label", label)
        .with("hardware", hardware)
        .with("published_s", value.seconds())
        .with("published_s_an_item", value.amount_an_item().filter(|_| is_time))
        .with("published_speed_up", figure.published_speed_up(value))
        .with("here_s", here.filter(|_| is_time).map(|here| here.amount))
        .with("here_low_s", interval.map(|interval| interval.low))
        .with("here_high_s", interval.map(|interval| interval.high))
        .with("here_s_an_item", here.filter(|_| is_time).map(Measured::amount_an_item))
        .with("here_speed_up", reproduction.speed_up(label))
        .with("counted", value.counts().unwrap_or_default())
        .with("published_count", value.amount().filter(|_| !is_time))
        .with("here_count", here.filter(|_| !is_time).map(|here| here.amount))
        .with("items", here.map(|here| here.items))
        .with("threads", here.map(|here| here.threads))
        .with("why_missing", found.err().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::figures;
    use super::super::fixture::rows;
    use super::super::{Here, reproduce};
    use super::*;
    use crate::charts::fixture::run;
    use crate::table::Format;

    fn reproduced() -> Vec<Reproduction> {
        let figures = figures().into_iter();
        let wanted = figures.filter(|figure| ["tab5.1", "fig3.9"].contains(&figure.id.as_str()));
        let record = run();
        let rows = rows();
        let here = Here { record: &record, rows: &rows, streams: &[] };
        reproduce(wanted.collect(), &here)
    }

    fn shown(format: Format) -> String {
        reproduced().render(format, Screen::default()).expect("a text")
    }

    #[test]
    fn people_see_both_numbers_and_what_follows() {
        let text = shown(Format::Table);
        let row = text.lines().find(|line| line.starts_with("sort, online, 1 thread"));
        let row = row.expect("a row");
        for cell in
            ["Xeon Gold 6130", "1.22 s", "70.9 ns", "1.97 ×", "5.00 ms", "5.00 ns", "2.00 ×"]
        {
            assert!(row.contains(cell), "{cell}: {row}");
        }
        assert!(
            text.contains("  Holds here, 2.00 × (published: 1.97 ×): The stage sort is"),
            "{text}"
        );
        assert!(text.contains("not measured"), "{text}");
        let markdown = shown(Format::Markdown);
        assert!(markdown.starts_with("### fig3.9: Merging slice tracks"), "{markdown}");
    }

    #[test]
    fn numbers_are_shown_with_the_digits_that_were_printed() {
        let all = figures();
        let value = |id: &str, hardware: &str| {
            let figure = all.iter().find(|figure| figure.id == id).expect(id);
            let value = figure.values.iter().find(|it| it.hardware.starts_with(hardware));
            (figure, value.expect(hardware))
        };
        assert_eq!(there(value("fig5.6", "RTX 2080 Ti").1), "276.6 ms");
        let (figure, faster) = value("fig3.6", "EPYC 7452 (72 threads)");
        assert_eq!(speed_up_there(figure, faster), "47 ×");
        assert_eq!(there(value("allen.search", "one GPU").1), "592 kHz");
        assert_eq!(there(value("allen.physics", "on average").1), "98.52 %");
        for value in all.iter().flat_map(|figure| &figure.values) {
            if let (Some(_), Unit::Milliseconds) = (&value.published, &value.unit) {
                let shown = there(value);
                let number: f64 = shown.trim_end_matches(" ms").parse().expect("a number");
                assert_eq!(Some(number), value.number(), "{shown}");
            }
        }
    }

    /// A batch of 1000 events in 2 ms, of which 98.3 % of the particles are found.
    #[test]
    fn rates_and_shares_are_shown_in_their_units() {
        let all = figures();
        let label = |id: &str, label: &str| {
            let figure = all.iter().find(|figure| figure.id == id).expect(id);
            figure.value(label, "").expect(label)
        };
        let here = Measured {
            amount: 2e-3,
            interval: None,
            items: 1000,
            is_sample: false,
            item_unit: "event".to_owned(),
            threads: 1,
        };
        let rate = label("allen.search", "search, published, GPU");
        assert_eq!(
            (written(rate, &here), an_item(rate, &here)),
            ("500 kHz".into(), "2.00 µs per event".into())
        );
        let share = label("allen.physics", "ghosts, super-pixels, minimum bias");
        assert_eq!(written(share, &Measured { amount: 0.00634, ..here }), "0.63 %");
    }

    #[test]
    fn figures_without_published_numbers_have_a_note() {
        let record = run();
        let here = Here { record: &record, rows: &[], streams: &[] };
        let all = reproduce(figures(), &here);
        let phrases = |id: &str| {
            let figure = all.iter().find(|it| it.figure.id == id).expect(id);
            sentences(figure).iter().any(|sentence| sentence == IN_WORDS)
        };
        assert_eq!(["fig5.11", "fig5.14", "fig5.15"].map(phrases), [true; 3]);
        assert_eq!(["fig5.13", "allen.plateau", "tab5.1"].map(phrases), [false; 3]);
    }

    #[test]
    fn programs_get_each_value() {
        let text = shown(Format::Csv);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
        let values: usize = reproduced().iter().map(|it| it.figure.values.len()).sum();
        assert_eq!(rows.expect("well formed").len(), values);
        let json = shown(Format::Json);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json[1]["figure"], "tab5.1");
        assert!(json[1]["values"][0]["published_s"].is_number());
    }
}
