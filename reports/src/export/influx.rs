//! The line protocol of InfluxDB: one line per row, with the time of its run.

use super::ExportError;
use super::quantities::{QUANTITIES, figures, started, tags};
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
    let of_row = |quantity: &super::quantities::Quantity| {
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

#[cfg(test)]
mod tests {
    use super::super::fixture::runs;
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
}
