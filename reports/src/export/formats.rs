//! Stored runs in the line protocol of InfluxDB, one line per row with the time of its run, and in
//! the text format of Prometheus, version 0.0.4.
//!
//! Numbers for Prometheus have no times, as a textfile collector requires. So each series may occur
//! once only: that of the latest run that has it.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use super::{ExportError, QUANTITIES, figures, started, tags};
use crate::record::SummaryRow;
use crate::store::RunSummary;

const MEASUREMENT: &str = "recobench";

/// All rows of all runs.
pub fn text(runs: &[RunSummary]) -> Result<String, ExportError> {
    let mut text = String::new();
    for run in runs {
        let nanoseconds = started(run)?.as_nanos();
        for row in &run.rows {
            let tags = tag_set(run, row);
            let fields = field_set(run, row);
            text += &format!("{MEASUREMENT}{tags} {fields} {nanoseconds}\n");
        }
    }
    Ok(text)
}

/// Tags, sorted by name, which saves the server from sorting.
fn tag_set(run: &RunSummary, row: &SummaryRow) -> String {
    let mut tags = tags(run, row);
    tags.sort();
    let tag = |(name, value): (String, String)| format!(",{}={}", key(&name), key(&value));
    tags.into_iter().map(tag).collect()
}

fn field_set(run: &RunSummary, row: &SummaryRow) -> String {
    let of_row = |quantity: &super::Quantity| {
        let value = (quantity.of)(row)?;
        Some(format!("{}={value:?}", quantity.field))
    };
    let mut fields: Vec<String> = QUANTITIES.iter().filter_map(of_row).collect();
    fields.extend(figures(row).map(|(name, value)| format!("{}={value:?}", key(name))));
    let commit = run.record.software.git_commit.as_deref().unwrap_or_default();
    let texts = [
        ("run", run.id.as_str()),
        ("git_commit", commit),
        ("fingerprint", &row.fingerprint),
        ("note", &row.note),
    ];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    fields.extend(texts.map(|(name, text)| format!("{name}=\"{}\"", quoted(text))));
    fields.join(",")
}

/// Escapes the name or value of a tag, or the name of a field. The protocol cannot represent
/// control characters such as line breaks, nor a backslash before a special character.
pub(crate) fn key(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if text::is_hidden(letter) => escaped.push_str(r"\ "),
            '\\' => escaped.push('/'),
            ',' | '=' | ' ' => escaped.extend(['\\', letter]),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Quotes a text; line breaks are allowed in it, other control characters are not.
fn quoted(text: &str) -> String {
    text::page(text.to_owned()).replace('\\', r"\\").replace('"', "\\\"")
}

const FIGURE: &str = "recobench_figure";
const STARTED: &str = "recobench_run_timestamp_seconds";

/// Lines by the names of their metrics, because all lines of a metric must be adjacent.
#[derive(Default)]
struct Families(BTreeMap<&'static str, String>);

/// The latest numbers of each point.
pub fn prometheus_text(runs: &[RunSummary]) -> Result<String, ExportError> {
    let mut families = Families::default();
    for (run, row, labels) in latest(runs) {
        for quantity in &QUANTITIES {
            if let Some(value) = (quantity.of)(row) {
                families.add(quantity.metric, &labels, value);
            }
        }
        for (name, value) in figures(row) {
            let figure = format!("{labels},figure=\"{}\"", escaped(name));
            families.add(FIGURE, &figure, value);
        }
        families.add(STARTED, &labels, started(run)?.as_secs_f64());
    }
    Ok(families.text())
}

/// The rows of each series' latest run, with their labels.
fn latest(runs: &[RunSummary]) -> Vec<(&RunSummary, &SummaryRow, String)> {
    let rows = runs.iter().rev();
    let rows = rows.flat_map(|run| run.rows.iter().rev().map(move |row| (run, row)));
    let mut seen = HashSet::new();
    let mut kept: Vec<_> = rows
        .map(|(run, row)| (run, row, labels(run, row)))
        .filter(|(_, _, labels)| seen.insert(labels.clone()))
        .collect();
    kept.reverse();
    kept
}

fn labels(run: &RunSummary, row: &SummaryRow) -> String {
    let label =
        |(name, value): (String, String)| format!("{}=\"{}\"", allowed(&name), escaped(&value));
    let labels: Vec<String> = tags(run, row).into_iter().map(label).collect();
    labels.join(",")
}

/// A name of letters, digits and underscores.
fn allowed(name: &str) -> String {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let letters = name.chars();
    letters.map(|it| if is_allowed(it) { it } else { '_' }).collect()
}

/// The value of a label between its quotes.
pub(crate) fn escaped(text: &str) -> String {
    let text = text::page(text.to_owned()).replace('\\', r"\\").replace('"', "\\\"");
    text.replace('\n', r"\n")
}

impl Families {
    fn add(&mut self, metric: &'static str, labels: &str, value: f64) {
        let lines = self.0.entry(metric).or_default();
        // Writing to a `String` does not fail.
        let _ = writeln!(lines, "{metric}{{{labels}}} {value:?}");
    }

    fn text(self) -> String {
        let family = |(metric, lines): (&str, String)| {
            let help = help(metric);
            format!("# HELP {metric} {help}\n# TYPE {metric} gauge\n{lines}")
        };
        self.0.into_iter().map(family).collect()
    }
}

fn help(metric: &str) -> &'static str {
    let quantity = QUANTITIES.iter().find(|quantity| quantity.metric == metric);
    match metric {
        FIGURE => "A further figure of the task, named by the label figure.",
        STARTED => "When the run was started, in seconds since 1970.",
        _ => quantity.map_or("", |quantity| quantity.help),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{run_of, runs};
    use super::*;

    /// A line as parsed by a server: tags, fields, nanoseconds.
    type Line = (Vec<(String, String)>, Vec<(String, String)>, u128);

    /// Splits at separators that are neither escaped nor quoted.
    fn cut(text: &str, sign: char) -> Vec<String> {
        let mut pieces = vec![String::new()];
        let mut escaped = false;
        let mut quoted = false;
        for letter in text.chars() {
            if letter == sign && !escaped && !quoted {
                pieces.push(String::new());
                continue;
            }
            quoted ^= letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            pieces.last_mut().expect("one").push(letter);
        }
        pieces
    }

    fn unescaped(text: &str) -> String {
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        let mut letters = text.chars();
        let mut plain = String::new();
        while let Some(letter) = letters.next() {
            plain.push(match letter {
                '\\' => letters.next().expect("escaped"),
                letter => letter,
            });
        }
        plain
    }

    fn pairs(texts: &[String]) -> Vec<(String, String)> {
        let pair = |text: &String| {
            let sides = cut(text, '=');
            assert_eq!(sides.len(), 2, "{text}");
            (unescaped(&sides[0]), unescaped(&sides[1]))
        };
        texts.iter().map(pair).collect()
    }

    fn parse(line: &str) -> Line {
        let parts = cut(line, ' ');
        assert_eq!(parts.len(), 3, "{line}");
        let tags = cut(&parts[0], ',');
        assert_eq!(tags[0], MEASUREMENT);
        let time = parts[2].parse().expect("a time");
        (pairs(&tags[1..]), pairs(&cut(&parts[1], ',')), time)
    }

    fn lines(text: &str) -> Vec<Line> {
        let all = cut(text, '\n');
        let lines = all.iter().filter(|line| !line.is_empty());
        lines.map(|line| parse(line)).collect()
    }

    #[test]
    fn a_server_understands_what_was_meant() {
        let lines = lines(&text(&runs()).expect("a text"));
        assert_eq!(lines.len(), 4);
        let (tags, fields, time) = &lines[1];
        let value = |pairs: &[(String, String)], name: &str| {
            let pair = pairs.iter().find(|(key, _)| key == name);
            pair.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        // A backslash can't be written before the end of a tag.
        assert_eq!(value(tags, "variant"), "std \"quoted\", a=b/");
        assert_eq!(value(tags, "axis_digis"), "1000");
        assert_eq!(value(fields, "median_s"), "0.001");
        assert_eq!(value(fields, "us_per_page"), "1.5");
        assert_eq!(value(fields, "note"), "two\nlines, \"quoted\"");
        assert_eq!(value(fields, "peak_fraction"), "");
        assert_eq!(*time, 1_767_225_600_000_000_000);
        assert_eq!(lines[3].2 - time, 86_400_000_000_000);
    }

    #[test]
    fn tags_are_sorted_and_none_is_empty() {
        for (tags, ..) in lines(&text(&runs()).expect("a text")) {
            assert!(tags.is_sorted(), "{tags:?}");
            assert!(tags.iter().all(|(_, value)| !value.is_empty()), "{tags:?}");
        }
    }

    /// A sample as parsed by a server: metric, labels, value.
    type Sample = (String, Vec<(String, String)>, f64);

    /// Parses a line by the definition of the format.
    fn prometheus_parse(line: &str) -> Sample {
        let (metric, mut rest) = line.split_once('{').expect("labels");
        let mut labels = Vec::new();
        while !rest.starts_with('}') {
            let (name, quoted) = rest.split_once("=\"").expect("a label");
            let (value, after) = unquoted(quoted);
            labels.push((name.trim_start_matches(',').to_owned(), value));
            rest = after;
        }
        let value = rest[1..].trim().parse().expect("a number");
        (metric.to_owned(), labels, value)
    }

    /// The value up to its closing quote, and the remaining text.
    fn unquoted(text: &str) -> (String, &str) {
        let mut value = String::new();
        let mut letters = text.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => return (value, &text[at + 1..]),
                '\\' => match letters.next().expect("escaped").1 {
                    'n' => value.push('\n'),
                    escaped => value.push(escaped),
                },
                letter => value.push(letter),
            }
        }
        panic!("no closing quote: {text}");
    }

    fn samples(text: &str) -> Vec<Sample> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(prometheus_parse).collect()
    }

    #[test]
    fn prometheus_a_server_understands_what_was_meant() {
        let text = prometheus_text(&runs()).expect("a text");
        let medians: Vec<Sample> = samples(&text)
            .into_iter()
            .filter(|(metric, ..)| metric == "recobench_median_seconds")
            .collect();
        let values: Vec<f64> = medians.iter().map(|(_, _, value)| *value).collect();
        assert_eq!(values, [2e-3, 1e-3]);
        let variant = ("variant".to_owned(), "std \"quoted\", a=b\\".to_owned());
        assert!(medians[1].1.contains(&variant), "{medians:?}");
        let axis = ("axis_first_orbit".to_owned(), "0".to_owned());
        assert!(medians[1].1.contains(&axis), "{medians:?}");
        assert!(text.contains(",figure=\"us_per_page\"} 1.5\n"), "{text}");
    }

    #[test]
    fn each_series_is_there_once_with_its_latest_numbers() {
        let text = prometheus_text(&runs()).expect("a text");
        let mut series = HashSet::new();
        for (metric, labels, _) in samples(&text) {
            assert!(series.insert((metric, format!("{labels:?}"))), "{text}");
        }
        let day = |line: &&str| line.starts_with(STARTED) && line.ends_with("} 1767312000.0");
        assert_eq!(text.lines().filter(day).count(), 2, "{text}");
    }

    #[test]
    fn metrics_stand_together_under_their_heads() {
        let text = prometheus_text(&runs()).expect("a text");
        let mut metric = "";
        for line in text.lines() {
            match line.strip_prefix("# TYPE ") {
                Some(head) => metric = head.strip_suffix(" gauge").expect("a gauge"),
                None if line.starts_with("# HELP ") => {}
                None => assert!(line.starts_with(&format!("{metric}{{")), "{line}"),
            }
        }
        assert_eq!(text.matches("# TYPE recobench_median_seconds ").count(), 1);
    }

    #[test]
    fn a_run_without_a_time_is_refused() {
        let error = prometheus_text(&[run_of("odd", "yesterday")]).expect_err("no time");
        assert!(error.to_string().contains("run odd: started \"yesterday\""));
    }
}
